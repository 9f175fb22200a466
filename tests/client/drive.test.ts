// The client's module by itself, against the client's own engine: `claude plugin test`, run by test_plugin.py.
import { test, expect, describe } from "claude-code/testing";

const RUN = "sess_1771355557_680126_iter2", NAME = "42-iter2";
const ORDER = { show: "", page: "", modes: null, start: [], ask: null, pause: 0, then: [], skill: [] };
const AGENT = { about: "42", run: RUN, name: NAME, type: "baton:implementer", prompt: `Run ${RUN} of story 42`,
  label: "42 dark mode: implement", model: null, seen: "", lost: [] };

type World = { calls: string[][]; stdin: string[]; spawned: object[]; agents: object[]; orders: object[];
  asked: any[]; logged: string[]; answer?: string; env?: string };

// An engine in which baton prints these orders, one call after another.
async function begin($: any, on: any, world: Partial<World>): Promise<World> {
  const it: World = { calls: [], stdin: [], spawned: [], agents: [], orders: [], asked: [], logged: [], ...world };
  const ended = (code: number, stdout: string, stderr = "") =>
    ({ value: { exitCode: code, stdout, stderr, isStdoutTruncated: false, isStderrTruncated: false } });
  on("process.run", async (_: any, e: any) => {
    const [, ...words] = e.argv;
    it.calls.push(words);
    it.stdin.push(e.init?.stdin ?? e.stdin ?? "");
    const order: any = it.orders.shift() ?? ORDER;
    return order.refused ? ended(2, "", order.refused) : ended(0, JSON.stringify({ ...ORDER, ...order }));
  });
  on("process.hookEnv", async () => ({ value: {} }));
  on("env.get", async () => ({ value: it.env }));
  on("session.start", async (_: any, e: any) => ({ cwd: e.cwd }));
  on("session.surfaces", async () => ({ value: ["terminal"] }));
  on("agent.list", async () => ({ value: it.agents }));
  on("agent.spawn", async (_: any, e: any) => {
    it.spawned.push(e);
    return { model: "m", agentId: "a1" };
  });
  on("ui.log", async (_: any, e: any) => {
    it.logged.push(e.text);
    return { value: undefined };
  });
  on("prompt.submit", async (_: any, e: any) => ({ text: e.text }));
  on("turn.complete", async (_: any, e: any) => ({ text: e.answer }));
  on("ui.notify", async () => ({ value: { isSent: false, reason: "disabled" } }));
  on("tool.call", { tool: "AskUserQuestion" }, async (_: any, e: any) => {
    it.asked.push(e);
    return it.answer ? { result: { answers: { [e.questions[0].question]: it.answer } } } : { deny: "dismissed" };
  });
  on("command.run", async (_: any, e: any) => ({ text: `SKILL ${e.args}` }));
  await $.session.start({ cwd: "/tmp", surface: "terminal", isInteractive: true });
  return it;
}

// What follows is not waited for: the engine is asked for something else meanwhile.
const meanwhile = async ($: any) => {
  for (let round = 0; round < 50; round++) await $.command.run({ command: "other", args: "" });
};
const implement = ($: any, args: string) => $.command.run({ command: "baton:implement", args });
const atWork = (more = {}) => ({ id: "a1", name: NAME, taskStatus: "running", ...more });

describe("a command", () => {
  test("goes to baton word for word, and its agent is started", async ($, on) => {
    const it = await begin($, on, { orders: [{ show: "42 dark mode", start: [AGENT] }] });
    const said = await implement($, "  # Tea\n\nwith 'milk' ");
    expect(said.text).toBe("42 dark mode");
    expect(it.calls).toEqual([["for-module", "implement"]]);
    expect(it.spawned.length).toBe(1);
    expect(it.spawned[0]).toEqual(expect.objectContaining({ name: NAME, subagent_type: "baton:implementer" }));
  });

  test("starts no agent that is at work", async ($, on) => {
    const it = await begin($, on, { orders: [{ start: [AGENT] }] });
    it.agents.push(atWork());
    await implement($, "42");
    expect(it.spawned).toEqual([]);
  });

  test("gives up a run whose agent is at work no more, and follows what is said then", async ($, on) => {
    const lost = { ...AGENT, seen: "a1", lost: ["ended", NAME] };
    const it = await begin($, on, { orders: [{ start: [lost] }] });
    it.agents.push(atWork({ taskStatus: "killed" }));
    await implement($, "42");
    expect(it.calls).toEqual([["for-module", "implement"], ["for-module", "ended", NAME]]);
    expect(it.spawned).toEqual([]);
  });

  test("goes to the skill where a model has to judge, is off, or is no pull request's", async ($, on) => {
    const it = await begin($, on, { orders: [{ skill: ["implement", ""] }] });
    expect((await implement($, "make tea")).text).toBe("SKILL make tea");
    expect((await $.command.run({ command: "baton:resolve-pr-feedback", args: "the last one" })).text)
      .toBe("SKILL the last one");
    it.env = "off";
    expect((await implement($, "42")).text).toBe("SKILL 42");
    expect(it.calls.length).toBe(1);
  });

  test("shows what baton refuses, and ends with an error under -p", async ($, on) => {
    await begin($, on, { orders: [{ refused: "baton: no story 43 at x: y" }, { show: "done", page: "# Report" }] });
    expect(await implement($, "43")).toEqual(expect.objectContaining({ text: "no story 43 at x: y", exitCode: 1 }));
    const said = await implement($, "42");
    expect([said.text, said.exitCode]).toEqual(["done\n\n# Report", undefined]);
  });
});

describe("a question", () => {
  const ask = { about: "42", text: "Which way?", token: "T",
    options: ["retry", "abandon"].map(name => [name, `${name}: does it`]), left: "Not answered" };

  test("is asked in the client's dialog, and what is said goes to baton unread", async ($, on) => {
    const it = await begin($, on, { orders: [{ ask }], answer: "retry: be quick" });
    await implement($, "42");
    const [{ options, question }] = it.asked[0].questions;
    expect(options.map((one: any) => one.label)).toEqual(["retry: does it", "abandon: does it"]);
    expect(question).toBe("Which way?");
    expect(it.calls[1]).toEqual(["for-module", "answer", "42", "--token", "T"]);
    expect(it.stdin[1]).toBe("retry: be quick");
  });

  test("is answered by an option's name where one was chosen", async ($, on) => {
    const it = await begin($, on, { orders: [{ ask }], answer: "retry: does it" });
    await implement($, "42");
    expect(it.stdin[1]).toBe("retry");
  });

  test("is asked after what came of the run that it follows", async ($, on) => {
    const it = await begin($, on, { orders: [{ show: "42 x: plan ended in 8 s", ask }, {}], answer: "retry: now" });
    await implement($, "42");
    expect(it.logged).toEqual(["42 x: plan ended in 8 s"]);
    expect(it.asked.length).toBe(1);
  });

  test("that is dismissed stays open", async ($, on) => {
    const it = await begin($, on, { orders: [{ ask }] });
    expect((await implement($, "42")).text).toBe("Not answered");
    expect(it.calls.length).toBe(1);
  });
});

describe("what comes from the background", () => {
  const last = { show: "42 dark mode: QA ended\nMind: x\n", page: "# Story 42" };
  const shown = async ($: any, id: string) => (await $.ui.mount({ plugin: "baton", surface: "terminal",
    component: "AbovePrompt", requestId: id, props: { hasSurvey: false, isCollapsed: false, isWorking: false, maxRows: 20, bodyColumns: 80,
      scroll: { offset: 0, bodyRows: 20 }, view: {} } })).find({ type: "Markdown" });

  const end = async ($: any, it: World) => {
    it.agents.push(atWork({ taskStatus: "completed" }));
    await $.turn.complete({ answer: "", durationMs: 1, isAborted: false, turnId: "t", agentId: "a1", reason: "answer" });
    await meanwhile($);
  };

  test("is one message, and a report that stands above the prompt until the next", async ($, on) => {
    const it = await begin($, on, { orders: [last] });
    await end($, it);
    expect(it.logged).toEqual(["42 dark mode: QA ended · Mind: x"]);
    expect((await shown($, "a"))?.text).toBe("# Story 42");
    await $.prompt.submit({ text: "thanks", wait: false, origin: { kind: "composer" } });
    expect(await shown($, "b")).toBe(undefined);
  });

  test("is a report until the next command of ours", async ($, on) => {
    const it = await begin($, on, { orders: [last] });
    await end($, it);
    expect((await shown($, "a"))?.text).toBe("# Story 42");
    await implement($, "43");
    expect(await shown($, "b")).toBe(undefined);
  });

  test("is a report in which nothing of a plain text acts as Markdown", async ($, on) => {
    const page = "FIXED 1\n  @mira a/__main__.py:2 \"`x` < <b>2</b> & [y](z) *x*\" https://github.com/a_b/c#r_1\n"
      + "    - ~~1~~\n+ x\n1. # | \\_ ![x](https://x.org/y)";
    const it = await begin($, on, { orders: [{ page, plain: true }] });
    await end($, it);
    const text = (await shown($, "a"))!.text;
    expect(text.replace(/\\(?=[\x21-\x7e])(.)/g, "$1")).toBe(page); // as a parser of Markdown reads it
    const acts = text.replace(/\\.|https:\S+?(?=[\n)\\])/g, "").match(/[`*_[\]<>|~&#]|^\s*(?:[-+]|\d+\.)/gm);
    expect([acts, text.includes(" https://github.com/a_b/c#r_1\n")]).toEqual([null, true]);
  });
});

test("a module that is loaded anew takes up what each story was at last", async ($, on) => {
  const older = atWork({ name: NAME.replace("iter2", "iter1"), taskStatus: "completed" });
  const it = await begin($, on, { agents: [older, atWork(), atWork({ name: "general" })] });
  await meanwhile($);
  expect(it.calls).toEqual([["for-module", "reloaded", NAME]]);
});

describe("the end of an agent", () => {
  const end = async ($: any, reason: string) => {
    const isAborted = reason === "aborted";
    await $.turn.complete({ answer: "", durationMs: 1, isAborted, turnId: "t", agentId: "a1", reason });
    await meanwhile($);
  };

  test("leads to the next order", async ($, on) => {
    const it = await begin($, on, {});
    it.agents.push(atWork({ taskStatus: "completed" }));
    await end($, "answer");
    expect(it.calls).toEqual([["for-module", "ended", NAME]]);
  });

  test("by the person's stop is told as such", async ($, on) => {
    const it = await begin($, on, {});
    it.agents.push(atWork({ taskStatus: "killed" }));
    await end($, "aborted");
    expect(it.calls).toEqual([["for-module", "ended", NAME, "--stopped"]]);
  });

  test("of an agent that is not ours is nothing to us", async ($, on) => {
    const it = await begin($, on, { agents: [atWork({ name: "general" })] });
    await end($, "answer");
    expect(it.calls).toEqual([]);
  });
});
