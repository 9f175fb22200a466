// Drives /implement and /resolve-pr-feedback without a model between the steps. `baton for-module` (Python) decides and
// gives orders; this carries them out: it starts agents, shows, asks in the client's own dialog, waits. It keeps
// nothing that matters: the journal has it, so losing this process loses nothing. Where modules do not run, or
// BATON_MODULE is off, the skills' text does the same with a model.
const COMMANDS = { "baton:implement": "implement", "baton:resolve-pr-feedback": "feedback" };
// The name of each agent we start is that of its run or its unit: so we know it again, after a reload too.
const OURS = /^(sess_\d+_[0-9a-f]+_[a-z]+\d+|pr\d+-r[0-9a-f]+-u\d+)$/;
const PULL = /^(#?\d+|https?:\S+)?$/;
const starts = new Map(); // how often each agent was started
const starting = new Set(); // agents that are about to be in the client's list
const waits = new Map(); // story -> its newest wait for GitHub: an older one ends
let handedOver = false; // the command that is run next is the skill's
let modeTold = true;
let engine; // what needs `$` and outlives a hook: made at the session's start, as `$` itself cannot be kept

export function register(on) {
  on("session.start", async ($, e, next) => {
    const started = await next(e);
    const alone = !e.isInteractive; // -p ends with its command, so that is held until there is nothing left to do

    const run = async (words, stdin) => {
      // BATON_DRIVEN: what is waited for on GitHub is looked at from here, and no conversation is woken for it.
      const env = { ...(await $.process.hookEnv()), BATON_DRIVEN: "1" };
      const done = await $.process.run([`${$.plugin.root}/scripts/baton`, ...words], { env, stdin, timeoutMs: 600_000 });
      if (done.exitCode) throw new Error(done.stderr.trim() || `baton ended with ${done.exitCode}`);
      return done.stdout;
    };

    const tell = text => text.split("\n").forEach(line => line.trim() && $.ui.log(line));

    const isAtWork = async one => starting.has(one.name) || (await $.agent.list()).some(
      agent => agent.taskStatus === "running" && (agent.name === one.name || agent.id === one.seen));

    // Gives the call that goes on without the agent, where it can be started no more.
    const start = async one => {
      if (await isAtWork(one)) return undefined;
      const before = starts.get(one.name) ?? 0;
      if (one.lost.length && (one.seen || before > 1)) return one.lost;
      starting.add(one.name);
      starts.set(one.name, before + 1);
      try {
        const { deny } = await $.agent.spawn({ subagentType: one.type, prompt: one.prompt, description: one.label,
          name: one.name, ...(one.model ? { model: one.model } : {}) });
        if (deny) throw new Error(`${one.type} was not started: ${deny}`);
      } finally {
        starting.delete(one.name);
      }
    };

    // What they say goes to baton as it is. Esc leaves the question open.
    const ask = async ({ about, text, options, token }) => {
      void $.ui.notify(`${about}: a question for you`).catch(() => {});
      const typed = options.length > 4 ? `\nor type: ${options.slice(4).join(", ")}` : "";
      const said = await $.ui.ask(`${text}${typed}\nTo add a note, type an option and then your words. Which?`,
        { header: "baton", options: options.slice(0, 4) }).catch(() => undefined);
      return said && { words: ["answer", about, "--token", token], stdin: said };
    };

    // Under -p: until one of these agents has ended, as the journal or the client's list of agents says.
    const held = async agents => {
      for (;;) {
        const said = await run(["wait", ...agents.map(one => one.name), "--seconds", "60", "--json"]);
        const [name] = JSON.parse(said).ended;
        if (name) return ["ended", name];
        for (const one of agents) if (!(await isAtWork(one))) return ["ended", one.name];
      }
    };

    const pauseThen = async ({ pause, then }) => {
      const mine = {};
      waits.set(then[1], mine);
      await run(["wait", then[1], "--seconds", `${pause}`]);
      if (waits.get(then[1]) === mine) await engine.goOn(then);
    };

    // Follows orders until there is nothing to do for now; gives the last, with what is to be shown of it.
    const follow = async (words, stdin) => {
      for (;;) {
        const order = JSON.parse(await run(["for-module", ...words], stdin ?? ""));
        if (order.skill.length) return order;
        let again = order.then.length ? { words: order.then } : undefined;
        for (const one of order.start) {
          const lost = await start(one);
          if (lost) again = { words: lost };
        }
        if (order.ask) {
          again = await ask(order.ask);
          if (!again) return { ...order, show: `${order.ask.text}\nnot answered: the same command asks again` };
        } else if (order.pause && !alone) {
          void pauseThen(order).catch(error => tell(error.message));
          return order;
        }
        if (!again && !(alone && order.start.length)) return order;
        tell(order.show);
        if (order.pause) await run(["wait", order.then[1], "--seconds", `${order.pause}`]);
        ({ words, stdin } = again ?? { words: await held(order.start) });
      }
    };

    engine = {
      follow,
      // The same where no command waits for what there is to show.
      goOn: async words => {
        const order = await follow(words).catch(error => ({ show: `baton: ${error.message}`, skill: [] }));
        tell(order.show);
        if (!order.skill.length) return;
        handedOver = true;
        await $.command.run({ command: `baton:${order.skill[0]}`, args: order.skill[1] });
      },
      // What the client will ask for, said as the skill says it.
      tellMode: async mode => {
        const event = { prompt: "/implement", permission_mode: mode, cwd: await $.session.cwd() };
        const said = await run(["hook", "user-prompt-submit"], JSON.stringify(event));
        tell(JSON.parse(said).hookSpecificOutput.additionalContext.split("\n").slice(1).join("\n"));
      },
    };
    return started;
  });

  on("command.run", { command: Object.keys(COMMANDS) }, async ($, e, next) => {
    const isOff = (await $.env.get("BATON_MODULE")) === "off";
    const verb = COMMANDS[e.command], args = e.args.trim();
    if (isOff || handedOver || !engine || (verb === "feedback" && !PULL.test(args))) {
      handedOver = false;
      return next(e);
    }
    modeTold = false;
    try {
      const words = verb === "feedback" ? [verb, args.replace("#", "")] : [verb];
      const order = await engine.follow(words, args);
      if (!order.skill.length) return { text: order.show, isTextDisplayOnly: true };
      return next(order.skill[1] ? { ...e, args: order.skill[1] } : e);
    } catch (error) {
      return { text: error.message, isTextDisplayOnly: true };
    }
  });

  on("agent.spawn", async ($, e, next) => {
    if (engine && !modeTold && OURS.test(e.name ?? "")) {
      modeTold = true;
      await engine.tellMode(e.permissionMode);
    }
    return next(e);
  });

  on("turn.complete", async ($, e, next) => {
    const told = await next(e);
    const isHeld = !(await $.session.surfaces()).length;
    const agent = e.agentId && !isHeld && (await $.agent.list()).find(one => one.id === e.agentId);
    // The person who stops an agent means it: the story rests until they say so.
    const how = e.reason === "aborted" ? ["--stopped"] : [];
    if (engine && agent && OURS.test(agent.name ?? "")) void engine.goOn(["ended", agent.name, ...how]);
    return told;
  });
}
