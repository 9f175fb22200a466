"""How an agent starts, and how the main conversation hears of its end: foreground, background, notifications."""

import json

from baton_lab.probes.probe import BYPASS, TERMINAL, WORKER, Lab, Played, probe, start, steps, until, waited
from baton_lab.scripted_client.desk import Finished
from baton_lab.scripted_client.script import MAIN, Script, Step, call, say

REPORT = "three pears"
AT_WORK = {WORKER: steps(call("Bash", command="sleep 0.3"), say(REPORT))}


def how_told(played: Played, role: str = MAIN) -> str:
    """Say what a caller got when its first call returned, and how often it was notified of the report."""
    got = played.model.of(role)[1].talk.result
    at_once = "the report" if REPORT in got else "an id" if "agentId:" in got else "nothing"
    count = sum(REPORT in notice.get("result", "") for notice in played.notifications(role))
    return f"{at_once} at once, {f'{count} notification' if count else 'no notification'}"


@probe(
    question="Does the caller wait for an agent?",
    claim="Under `-p` an agent runs in the background unless its caller passes `run_in_background: false`: the "
    "call answers at once with the agent's id, and the report comes later, as a notification. With `false` "
    "the call itself answers with the report.",
    expected="default: an id at once, 1 notification; false: the report at once, no notification",
)
def background_by_default(lab: Lab) -> str:
    """Start an agent with and without the parameter."""
    lab.write_agent("worker")
    arms = [lab.play([start("worker", **given), say("on")], agents=AT_WORK, mode=BYPASS)
            for given in ({}, {"run_in_background": False})]  # fmt: skip
    return f"default: {how_told(arms[0])}; false: {how_told(arms[1])}"


@probe(
    question="Can a definition keep its agent in the background?",
    claim="`background: true` in an agent's definition beats `run_in_background: false` of the caller.",
    expected="an id at once, 1 notification",
)
def background_key_wins(lab: Lab) -> str:
    """Ask for the foreground where the definition wants the background."""
    lab.write_agent("worker", background=True)
    return how_told(lab.play([waited("worker"), say("on")], agents=AT_WORK, mode=BYPASS))


@probe(
    question="Does CLAUDE_CODE_DISABLE_BACKGROUND_TASKS make every caller wait?",
    claim="With `CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1` a call waits for the report even if it passes "
    "`run_in_background: true`.",
    expected="the report at once, no notification",
)
def background_turned_off(lab: Lab) -> str:
    """Ask for the background where there is none."""
    lab.write_agent("worker")
    main = steps(start("worker", run_in_background=True))
    return how_told(lab.play(main, agents=AT_WORK, mode=BYPASS, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS="1"))


def play_in_terminal(lab: Lab, main: Script, **variables: str) -> Played:
    """Type a prompt into the interactive client, and wait until the main conversation has heard the report."""
    desk = lab.desk({MAIN: main, **AT_WORK}, **variables)
    played = Played(Finished(0, "", ""), desk.model)
    with desk.terminal(mode=BYPASS) as terminal:
        terminal.type("go")
        terminal.wait_for(lambda: REPORT in played.heard())
    return played


@probe(
    question="Can the caller wait for an agent in the interactive client?",
    claim="In the interactive client the model is not offered `run_in_background`, and `false` is ignored: the "
    "agent runs in the background.",
    expected="not offered; an id at once, 1 notification",
    scope=TERMINAL,
)
def interactive_background(lab: Lab) -> str:
    """Ask for the foreground where it is not offered."""
    lab.write_agent("worker")
    played = play_in_terminal(lab, steps(waited("worker"), say("on")))
    offered = "offered" if "run_in_background" in played.parameters("Agent") else "not offered"
    return f"{offered}; {how_told(played)}"


@probe(
    question="Do agents that are started in one message run side by side?",
    claim="Agents that are started in one message run side by side, even in the foreground; their reports come "
    "together, when the last has ended.",
    expected="each met the other; 2 reports together",
)
def side_by_side(lab: Lab) -> str:
    """Let each of two agents wait for a file that the other makes."""
    other = {"left": "right", "right": "left"}
    for name in other:
        lab.write_agent(name)
    both: list[Step] = [waited(name) for name in other]
    agents = {
        f"You are {name}.": steps(call("Bash", command=f"touch {name}"), until(sign, f"ls {sign}"), say(REPORT))
        for name, sign in other.items()
    }
    played = lab.play(steps(both), agents=agents, mode=BYPASS)
    met = [sign in played.heard(f"You are {name}.").split() for name, sign in other.items()]
    together = played.model.of(MAIN)[1].talk.result.count(REPORT)
    return f"{'each met the other' if all(met) else met}; {together} reports together"


@probe(
    question="What does a task notification say?",
    claim="A notification names the agent's id (`task-id`), the call that started it, a file with its "
    "transcript, its `status`, one line about its end, its last message (`result`) and what it used.",
    expected="task-id, tool-use-id, output-file, status, summary, note, result, usage; completed; its id",
)
def notification_fields(lab: Lab) -> str:
    """Read the notification of an agent that ended well."""
    lab.write_agent("worker")
    played = lab.play([start("worker"), say("on")], agents=AT_WORK, mode=BYPASS)
    (notice,) = played.notifications()
    known = notice["task-id"] == played.model.of(WORKER)[0].agent
    return f"{', '.join(notice)}; {notice['status']}; {'its id' if known else 'another id'}"


@probe(
    question="When does the main conversation hear of agents that have ended?",
    claim="A conversation at work gets the notifications of all agents that ended meanwhile together, with its "
    "next tool result; one that has ended its turn is woken for them.",
    expected="at work: 2 beside a tool result; idle: 1 in a turn of its own",
)
def notifications_together(lab: Lab) -> str:
    """Let two agents end while the main conversation runs a command, and one after its turn has ended."""
    lab.write_agent("worker")
    lab.log_hooks("SubagentStop", "Stop")
    both = until(f"[ $(grep -c . {lab.folder}/SubagentStop.jsonl) -ge 2 ]", "sleep 1")
    busy = steps([start("worker"), start("worker")], both, say("on"))
    idle = {WORKER: steps(until(f"[ $(grep -c . {lab.folder}/Stop.jsonl) -ge 2 ]"), say(REPORT))}
    seen = []
    for main, agents in ((busy, AT_WORK), (steps(start("worker"), say("on")), idle)):
        played = lab.play(main, agents=agents, mode=BYPASS)
        last = next(one.talk for one in played.model.of(MAIN) if "<task-notification>" in one.talk.news)
        where = "beside a tool result" if last.results else "in a turn of its own"
        seen.append(f"{last.news.count('<task-notification>')} {where}")
    return f"at work: {seen[0]}; idle: {seen[1]}"


@probe(
    question="Does a hook see a notification come in?",
    claim="A `UserPromptSubmit` hook runs for each notification too, with its text as `prompt`: that is where a "
    "program hears that an agent has ended.",
    expected="go, <task-notification>",
)
def notification_is_a_prompt(lab: Lab) -> str:
    """Note what the hook is told."""
    lab.write_agent("worker")
    lab.log_hooks("UserPromptSubmit")
    lab.play([start("worker"), say("on")], agents=AT_WORK, mode=BYPASS)
    return ", ".join(call["prompt"].split()[0] for call in lab.hook_calls("UserPromptSubmit"))


@probe(
    question="Does `claude -p` wait for its background agents?",
    claim="`claude -p` ends when its background agents have ended and were reported. As text it prints what each "
    "turn ended with; as JSON only the last.",
    expected="text: turn 1, turn 2; JSON: turn 2",
)
def print_waits(lab: Lab) -> str:
    """Compare both outputs of a run whose agent outlasts the first turn."""
    lab.write_agent("worker")
    lab.log_hooks("Stop")
    main = steps(start("worker"), say("turn 1"), say("turn 2"))
    agents = {WORKER: steps(until(f"{lab.folder}/Stop.jsonl"), say(REPORT))}
    text = lab.play(main, agents=agents, mode=BYPASS).done.out
    (lab.folder / "Stop.jsonl").unlink()
    data = lab.play(main, "--output-format", "json", agents=agents, mode=BYPASS).done.out
    return f"text: {', '.join(filter(None, text.splitlines()))}; JSON: {json.loads(data)['result']}"


@probe(
    question="How long does `claude -p` wait for a background agent?",
    claim="`claude -p` waits `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` after its last turn, then stops the agents "
    "that are still at work, says so on stderr and ends with exit code 0.",
    expected="exit 0; told on stderr; no report",
)
def print_wait_ceiling(lab: Lab) -> str:
    """Let an agent work for longer than the client waits."""
    lab.write_agent("worker")
    agents = {WORKER: steps(until("never"), say(REPORT))}
    main = steps(start("worker"))
    played = lab.play(main, agents=agents, mode=BYPASS, CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS="1000")
    told = "told on stderr" if "still running" in played.done.err else "nothing on stderr"
    return f"exit {played.done.code}; {told}; {'a report' if played.notifications() else 'no report'}"
