// Drives /implement and /resolve-pr-feedback without a model between the steps. `baton for-module` (Python) decides
// and prints orders; this carries them out: starts agents, shows, asks in the client's own dialog, waits. What matters
// is in the journal. Where modules do not run, or with BATON_MODULE=off, the skills' text does the same with a model.
import { afterError, dropReport, oneLine, setReport, showReport, wholeText } from "./show.js";
const VERBS = { "baton:implement": "implement", "baton:resolve-pr-feedback": "feedback" };
// An agent of ours is named after its story's run, its unit or its reading: so it is known again, after a reload of this file too.
const OURS = /^([\w.-]+-(plan|iter|qa|micro)\d+|pr\d+-r[0-9a-f]+-[tu]\d+)$/;
const PULL = /^(#?\d+|https?:\S+)?$/;
// How often each run was started; the agents about to be in the client's list; each story's newest wait for GitHub.
const starts = new Map(), starting = new Set(), waits = new Map();
let modes = {}; // what is told of the permission mode, once, with the first agent
let engine; // what needs the `$` of a hook that outlives it; a `$` itself cannot be kept

export function register(on) {
  showReport(on);
  on("session.start", async ($, e, next) => {
    const started = await next(e);
    const alone = !e.isInteractive; // -p ends with its command, which is held until there is nothing left to do
    const run = async (words, stdin = "") => {
      const env = { ...(await $.process.hookEnv()), BATON_DRIVEN: "1" }; // so that no conversation is woken for GitHub
      const done = await $.process.run([`${$.plugin.root}/scripts/baton`, ...words], { env, stdin, timeoutMs: 600_000 });
      const fault = done.stderr.trim().replace(/^baton: /gm, ""); // the client puts it before every text of ours
      if (done.exitCode) throw new Error(fault || `the program ended with ${done.exitCode}`);
      return done.stdout;
    };
    const tell = ({ show, page, plain }) => {
      if (show) $.ui.log(oneLine(show));
      if (setReport(page, plain)) $.ui.invalidate("ui.render");
    };
    const isAtWork = async one => starting.has(one.name) || (await $.agent.list()).some(
      agent => agent.taskStatus === "running" && (agent.name === one.name || agent.id === one.seen));
    // Gives the call to go on with where the agent ended unheard, and is not to be started again.
    const start = async one => {
      const before = starts.get(one.run) ?? 0;
      if (await isAtWork(one)) return undefined;
      if (one.lost.length && (one.seen || before > 1)) return { words: one.lost };
      starting.add(one.name);
      starts.set(one.run, before + 1);
      const { type: subagentType, label: description, prompt, name, model } = one;
      try {
        const said = await $.agent.spawn({ subagentType, prompt, description, name, ...(model ? { model } : {}) });
        const why = said.deny?.replace(/^(?!baton: )/, `${one.type} was not started: `).replace(/^baton: /, "");
        if (why) throw new Error(why);
      } finally {
        starting.delete(one.name);
      }
    };

    // What the person says goes to baton as it is; Esc leaves the question open.
    const ask = async ({ about, text, options, token }) => {
      void $.ui.notify(`${about}: a question for you`).catch(() => {});
      const dialog = { header: "baton", options: options.map(([, label]) => label) };
      const said = await $.ui.ask(text, dialog).catch(() => undefined);
      const name = options.find(([, label]) => label === said)?.[0] ?? said;
      return said && { words: ["answer", about, "--token", token], stdin: name };
    };
    // Under -p: until one of these agents has ended, by the journal or by the client's list.
    const held = async agents => {
      for (;;) {
        const runs = agents.map(one => one.run);
        const [ended] = JSON.parse(await run(["wait", ...runs, "--seconds", "60", "--json"])).ended;
        if (ended) return ["ended", agents[runs.indexOf(ended)].name];
        for (const one of agents) if (!(await isAtWork(one))) return ["ended", one.name];
      }
    };
    const pause = async order => {
      waits.set(order.then[1], order);
      await run(["wait", order.then[1], "--seconds", `${order.pause}`]);
      return waits.get(order.then[1]) === order;
    };
    // Carries an order out; gives the call that follows now, if one does.
    const carryOut = async order => {
      let again = order.then.length && { words: order.then };
      for (const one of order.start) again = (await start(one)) ?? again;
      if (order.ask) {
        tell(order);
        again = await ask(order.ask);
        order.show = again ? "" : order.ask.left;
        order.exit = again || !alone ? undefined : { exitCode: 1 };
      } else if (order.pause && !alone) {
        void pause(order).then(isNewest => isNewest && engine.goOn(order.then), error => tell(afterError(error)));
        return undefined;
      }
      if (!again && !(alone && order.start.length)) return undefined;
      tell(order);
      if (order.pause) await pause(order);
      return again || { words: await held(order.start) };
    };
    // Follows orders until there is nothing to do for now; gives the last of them.
    const follow = async (words, stdin, fallback) => {
      let order, call = { words, stdin };
      try {
        while (call) {
          order = JSON.parse(await run(["for-module", ...call.words], call.stdin));
          modes = order.modes ?? modes;
          call = !order.skill.length && (await carryOut(order));
        }
        return order;
      } catch (error) {
        return alone ? afterError(error) : afterError(error, order, fallback);
      }
    };
    engine = {
      follow,
      // The same where no command waits for what there is to show.
      goOn: async words => {
        const order = await follow(words);
        tell(order.ask ? { show: order.show.split("\n\n").pop() } : order); // of a question the way to answer it
        const [skill, args] = order.skill; // a command that we call goes past our hook, to the skill's text
        if (skill) await $.command.run({ command: `baton:${skill}`, args });
      },
    };
    // This file was loaded anew: what was under way is taken up, and what nobody heard meanwhile.
    const known = (await $.agent.list()).filter(one => OURS.test(one.name) && !alone);
    const newest = new Map(known.map(one => [one.name.replace(/-[a-z]+\d+$/, ""), one.name]));
    for (const name of newest.values()) void engine.goOn(["reloaded", name]);
    return started;
  });

  on("command.run", { command: Object.keys(VERBS) }, async ($, e, next) => {
    const verb = VERBS[e.command], args = e.args.trim();
    const isOff = !engine || (await $.env.get("BATON_MODULE")) === "off";
    if (dropReport()) $.ui.invalidate("ui.render");
    if (isOff || (verb === "feedback" && !PULL.test(args))) return next(e);
    const pull = verb === "feedback" && args ? [args.replace(/^#/, "")] : [];
    const order = await engine.follow([verb, ...pull], args, [e.command.slice(6), args]);
    const [skill, given] = order.skill;
    if (order.exit && skill) $.ui.log(order.show);
    if (e.command === `baton:${skill}`) return next(given ? { ...e, args: given } : e);
    const text = skill ? `/${skill} ${given} goes on` : wholeText(order);
    return { text, isTextDisplayOnly: true, ...order.exit };
  });

  on("agent.spawn", async ($, e, next) => {
    const mode = OURS.test(e.name) && modes[e.permissionMode];
    if (mode) $.ui.log(mode);
    modes = mode ? {} : modes;
    return next(e);
  });

  on("turn.complete", async ($, e, next) => {
    const told = await next(e);
    const isShown = (await $.session.surfaces()).length; // else the command holds, and goes on by itself
    const agent = e.agentId && isShown && (await $.agent.list()).find(one => one.id === e.agentId);
    // Who stops an agent means it: the story rests until they say so.
    const how = e.reason === "aborted" ? ["--stopped"] : [];
    if (engine && OURS.test(agent?.name)) void engine.goOn(["ended", agent.name, ...how]);
    return told;
  });
}
