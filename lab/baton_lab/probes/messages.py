"""Talking to agents: to one that has ended, to one at work, from one to another; teammates."""

from collections.abc import Iterator
from functools import partial

from baton_lab.probes.life_cycle import AT_WORK, REPORT, play_in_terminal
from baton_lab.probes.probe import (
    BYPASS,
    NOTIFIED,
    TERMINAL,
    WORKER,
    Lab,
    once_heard,
    probe,
    start,
    steps,
    until,
    waited,
)
from baton_lab.scripted_client.script import Call, Step, Talk, call, say

ROLES = {"first": "You are first.", "second": "You are second."}


def write_to(name: str, text: str) -> Call:
    """Return the call that sends a message."""
    return call("SendMessage", to=name, message=text)


@probe(
    question="Does an agent that has ended still know what it did?",
    claim="A message to an agent that has ended starts it again in its own context, with all it said and saw, "
    "and in the background: the call answers at once, and a new notification with the same id follows.",
    expected="same id twice; context kept; the call answers: Resuming agent",
)
def message_resumes(lab: Lab) -> str:
    """Send an agent that has ended a message, by its name."""
    lab.write_agent("worker")
    main = once_heard(NOTIFIED, steps(start("worker", name="bob")), write_to("bob", "more apples"))
    work = steps(call("Bash", command="echo apples-seen"), say("first report"), say("second report"))
    played = lab.play(main, agents={WORKER: work}, mode=BYPASS)
    ids = [notification["task-id"] for notification in played.notifications()]
    context = str(played.model.of(WORKER)[-1].request["messages"])
    kept = all(text in context for text in ("apples-seen", "first report", "more apples"))
    answer = "Resuming agent" if "Resuming agent" in played.heard() else "otherwise"
    same = "same id twice" if len(ids) == 2 and ids[0] == ids[1] else f"{len(ids)} notifications"
    return f"{same}; context {'kept' if kept else 'lost'}; the call answers: {answer}"


@probe(
    question="How is an agent addressed?",
    claim="An agent is addressed by its id, or by the `name` that its caller gave it: a call may give one "
    "although the model is not offered the parameter. If two have one name, the newer gets the message; "
    "the older is reached by its id.",
    expected="name not offered; by name: second; by id: first",
)
def newest_name(lab: Lab) -> str:
    """Start two agents by one name, then write to that name and to the id of the older."""
    for name in ROLES:
        lab.write_agent(name)

    def main(talk: Talk) -> Iterator[Step]:
        yield waited("first", name="bob")
        older = talk.find(r"agentId: (\w+)") or ""
        yield waited("second", name="bob")
        yield [write_to("bob", "by name"), write_to(older, "by id")]
        yield say("on")

    played = lab.play(main, mode=BYPASS, agents={role: steps(say("a"), say("b")) for role in ROLES.values()})
    got = {text: [name for name, role in ROLES.items() if text in played.heard(role)]
           for text in ("by name", "by id")}  # fmt: skip
    offered = "name offered" if "name" in played.parameters("Agent") else "name not offered"
    return "; ".join([offered, *(f"{text}: {' and '.join(names) or 'nobody'}" for text, names in got.items())])


@probe(
    question="Can the built-in Explore agent be continued?",
    claim="The built-in `Explore` agent can be continued like any other if it ran in the background; in the "
    "foreground its answer names no id.",
    expected="background: reported twice; foreground: no id",
)
def explore_continues(lab: Lab) -> str:
    """Write to an Explore agent that has ended, and look for an id where it ran in the foreground."""
    look = partial(call, "Agent", description="look", prompt="look", subagent_type="Explore")

    def main(talk: Talk) -> Iterator[Step]:
        yield look()
        agent = talk.find(r"agentId: (\w+)") or ""
        while NOTIFIED not in talk.news:
            yield say("on")
        yield write_to(agent, "look again")

    count = len(lab.play(main, mode=BYPASS).notifications())
    answer = lab.play(steps(look(run_in_background=False)), mode=BYPASS).heard()
    times = "reported twice" if count == 2 else f"reported {count} times"
    return f"background: {times}; foreground: {'an id' if 'agentId:' in answer else 'no id'}"


@probe(
    question="When does an agent at work hear a message?",
    claim="An agent at work gets a message together with its next tool result, so it can change course in the "
    "middle.",
    expected="with its next tool result; 1 notification",
)
def message_at_work(lab: Lab) -> str:
    """Write to an agent while it runs a command."""
    lab.write_agent("worker")
    work = steps(until("sent", first="touch begun"), say("done"), say("again"))
    main = steps(start("worker", name="bob"), until("begun"), write_to("bob", "only green ones"),
                 call("Bash", command="touch sent"))  # fmt: skip
    played = lab.play(main, agents={WORKER: work}, mode=BYPASS)
    heard = next((one.talk for one in played.model.of(WORKER) if "only green ones" in one.talk.news), None)
    when = "never" if not heard else "with its next tool result" if heard.results else "after its end"
    return f"{when}; {len(played.notifications())} notification"


@probe(
    question="Can an agent at work tell the main conversation something?",
    claim="An agent writes to the main conversation as `main`, and to another agent by that one's name; the main "
    "conversation is woken for it while the agent works on.",
    expected="main heard it while the agent was at work; the other agent heard it",
)
def agents_write(lab: Lab) -> str:
    """Let an agent write to the main conversation and to another, and wait for an answer."""
    for name in ROLES:
        lab.write_agent(name)
    first = steps([write_to("main", "found one"), write_to("bob", "look left")],
                  until("heard", "ls heard"), say("done"))  # fmt: skip
    second = steps(until("heard", "sleep 0.2"), say("done"))
    both: list[Step] = [start("second", name="bob"), start("first")]
    main = once_heard("found one", steps(both), call("Bash", command="touch heard"))
    played = lab.play(main, agents={ROLES["first"]: first, ROLES["second"]: second}, mode=BYPASS)
    in_time = "heard" in played.heard(ROLES["first"]).split() and "found one" in played.heard()
    told = "main heard it while the agent was at work" if in_time else "main did not hear it in time"
    return f"{told}; the other agent {'heard it' if 'look left' in played.heard(ROLES['second']) else 'did not'}"


@probe(
    question="Is there a tool that waits for an agent's output?",
    claim="There is no `TaskOutput` tool: wait for the notification. `TaskStop` is there.",
    expected="TaskOutput: no such tool; TaskStop: there",
)
def task_output_gone(lab: Lab) -> str:
    """Call both tools with an id that nobody has."""
    seen = []
    for tool in ("TaskOutput", "TaskStop"):
        answer = lab.play([call(tool, task_id="nobody"), say("on")], mode=BYPASS).heard()
        seen.append(f"{tool}: {'no such tool' if 'No such tool' in answer else 'there'}")
    return "; ".join(seen)


@probe(
    question="Does a name make an agent a teammate?",
    claim="With `CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1` an agent that is started with a `name` becomes a "
    "teammate: no task notification comes, but a message that it is idle, with its report in it. Under "
    "`-p` it stays an agent.",
    expected="interactive: told that it is idle, notifications: 0; -p: not told, notifications: 1",
    scope=TERMINAL,
)
def named_teammates(lab: Lab) -> str:
    """Start an agent by name in the interactive client, and under `-p`."""
    lab.write_agent("worker")
    main = steps(start("worker", name="bob"), say("on"))
    teams = {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1"}
    arms = {"interactive": play_in_terminal(lab, main, **teams),
            "-p": lab.play(main, agents=AT_WORK, mode=BYPASS, **teams)}  # fmt: skip
    seen = []
    for where, played in arms.items():
        idle = '"type":"idle_notification"' in played.heard() and REPORT in played.heard()
        told = "told that it is idle" if idle else "not told"
        seen.append(f"{where}: {told}, notifications: {len(played.notifications())}")
    return "; ".join(seen)
