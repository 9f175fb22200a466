"""How an agent ends: by itself, at a limit, by an error, stopped, with its client; and which hooks hear of it."""

import json
import uuid
from collections import Counter
from functools import partial

from baton_lab.probes.life_cycle import REPORT
from baton_lab.probes.probe import (
    BYPASS,
    NOTIFIED,
    TERMINAL,
    WORKER,
    Lab,
    Played,
    once_heard,
    probe,
    start,
    steps,
    until,
    waited,
)
from baton_lab.scripted_client.api import ErrorAnswer
from baton_lab.scripted_client.script import MAIN, Step, call, say

OVERLOADED = ErrorAnswer(529, "overloaded_error", "too much at once")
NO_RETRY = {"CLAUDE_CODE_MAX_RETRIES": "0"}
START = steps(start("worker", name="bob"))
GO_ON = call("SendMessage", to="bob", message="go on")
CTRL_C = "\x03"


@probe(
    question="What does the caller hear of an agent that reached its turn limit?",
    claim="An agent that reaches its `maxTurns` is reported as `completed`: only the summary and a note in the "
    "result say that it was cut off, so read them. A message lets it go on, for as many turns again.",
    expected="completed: stopped at its 2-turn limit; then completed: stopped at its 2-turn limit",
)
def turn_limit(lab: Lab) -> str:
    """Let an agent call tools until it is cut off, send it a message, and let it go on."""
    lab.write_agent("worker", maxTurns=2)
    main = once_heard(NOTIFIED, START, GO_ON)
    agents = {WORKER: steps(*[call("Bash", command=f"echo {turn}") for turn in range(9)])}
    seen = lab.play(main, agents=agents, mode=BYPASS).notifications()
    limit = "stopped at its 2-turn limit"
    return "; then ".join(
        f"{one['status']}: {limit if limit in one['summary'] and limit in one['result'] else one['summary']}"
        for one in seen
    )


@probe(
    question="What does the caller hear of an agent that the service refused?",
    claim="An agent whose requests to the API keep failing ends as `failed`, with the error in the summary, and "
    "a message lets it try again; in the foreground the call fails. `claude -p` ends with exit code 0 all "
    "the same.",
    expected="background: failed, the error told, then completed, exit 0; foreground: the call failed, the error "
    "told, exit 0",
)
def api_error(lab: Lab) -> str:
    """Refuse an agent's second request, in the background and in the foreground."""
    lab.write_agent("worker")
    agents = {WORKER: steps(call("Bash", command="echo"), OVERLOADED, say(REPORT))}
    later = once_heard(NOTIFIED, START, GO_ON)
    at_once = steps(waited("worker"))
    arms = [lab.play(main, agents=agents, mode=BYPASS, **NO_RETRY) for main in (later, at_once)]
    first, second = arms[0].notifications()
    result = arms[1].model.of(MAIN)[1].talk.fresh[0]["content"][0]
    failed = "the call failed" if result.get("is_error") else "the call succeeded"
    told = ["the error told" if "API error" in text else text for text in (first["summary"], arms[1].heard())]
    codes = [arm.done.code for arm in arms]
    return (f"background: {first['status']}, {told[0]}, then {second['status']}, exit {codes[0]}; "
            f"foreground: {failed}, {told[1]}, exit {codes[1]}")  # fmt: skip


@probe(
    question="What becomes of an agent that is stopped with TaskStop?",
    claim="`TaskStop` with an agent's name ends it in the middle of a command. Its notification says `killed`, "
    "and a message starts it again.",
    expected="killed, the command cut off; then completed",
)
def task_stop(lab: Lab) -> str:
    """Stop an agent by name while it runs a command, then send it a message."""
    lab.write_agent("worker")
    stop = steps(start("worker", name="bob"), until("begun"), call("TaskStop", task_id="bob"))
    main = once_heard(NOTIFIED, stop, GO_ON)
    work = steps(until("never", "touch ended", first="touch begun"), say(REPORT))
    played = lab.play(main, agents={WORKER: work}, mode=BYPASS)
    first, second = (notification["status"] for notification in played.notifications())
    cut = "the command went on" if (lab.project / "ended").exists() else "the command cut off"
    return f"{first}, {cut}; then {second}"


def four_ends(lab: Lab) -> Played:
    """Let four agents end: by itself, at its turn limit, by an error, stopped."""
    work = call("Bash", command="echo")
    long = until("never", first="touch begun")
    scripts = {"plain": steps(work, say(REPORT)), "limited": steps(work, work, work),
               "failing": steps(work, OVERLOADED), "stopped": steps(long)}  # fmt: skip
    for name in scripts:
        lab.write_agent(name, maxTurns=2 if name == "limited" else 20)
    all_four: list[Step] = [start(name, name=name) for name in scripts]
    main = steps(all_four, until("begun"), call("TaskStop", task_id="stopped"))
    agents = {f"You are {name}.": script for name, script in scripts.items()}
    return lab.play(main, agents=agents, mode=BYPASS, **NO_RETRY)


@probe(
    question="Which ends does a SubagentStop hook hear of?",
    claim="`SubagentStop` hooks run only for an agent that ends by itself: not at its turn limit, not after "
    "`TaskStop`; after an API error `StopFailure` hooks run instead. Each of these ends is notified.",
    expected="notified: failing, limited, plain, stopped; SubagentStop: plain; StopFailure: failing",
)
def subagent_stop_hears(lab: Lab) -> str:
    """Let four agents end in four ways, and list what each hook was told."""
    lab.log_hooks("SubagentStop", "StopFailure")
    notices = four_ends(lab).notifications()
    seen = {"notified": [notice["summary"].split('"')[1] for notice in notices]}
    for event in ("SubagentStop", "StopFailure"):
        seen[event] = [call["agent_type"].split(":")[-1] for call in lab.hook_calls(event)]
    return "; ".join(f"{what}: {', '.join(sorted(names))}" for what, names in seen.items())


@probe(
    question="How often can a SubagentStop hook send an agent back to work?",
    claim="A `SubagentStop` hook that answers `decision: block` sends its `reason` to the agent, which goes on "
    "in its context; after 8 blocks in a row the client lets it end. `stop_hook_active` is true from the "
    "second time on.",
    expected="9 ends, 8 times sent back with the reason; active: false, then true",
)
def subagent_stop_block(lab: Lab) -> str:
    """Block every end of an agent."""
    lab.write_agent("worker")
    lab.log_hooks("SubagentStop", answer={"decision": "block", "reason": "count the apples"})
    ends = [say(f"end {number}") for number in range(20)]
    played = lab.play([start("worker"), say("on")], agents={WORKER: steps(*ends)})
    asked = played.model.of(WORKER)
    back = sum("count the apples" in one.talk.news for one in asked)
    active = [str(call["stop_hook_active"]).lower() for call in lab.hook_calls("SubagentStop")]
    return f"{len(asked)} ends, {back} times sent back with the reason; active: {', then '.join(Counter(active))}"


@probe(
    question="Does a Stop hook know which agents are at work?",
    claim="`background_tasks` of a `Stop` hook lists the agents that are still at work, with their status, type "
    "and description: while one is listed, the conversation stops only to wait.",
    expected="first stop: worker, probe:worker, running; second stop: none",
)
def stop_lists_agents(lab: Lab) -> str:
    """End a turn with an agent at work, and the next with none."""
    lab.write_agent("worker")
    lab.log_hooks("Stop")
    agents = {WORKER: steps(until(f"{lab.folder}/Stop.jsonl"), say(REPORT))}
    lab.play([start("worker"), say("on")], agents=agents, mode=BYPASS)
    first, second = (
        [f"{one['description']}, {one['agent_type']}, {one['status']}" for one in told["background_tasks"]]
        for told in lab.hook_calls("Stop")
    )
    return f"first stop: {' '.join(first) or 'none'}; second stop: {' '.join(second) or 'none'}"


@probe(
    question="What becomes of an agent whose client was killed?",
    claim="After the client was killed, `--resume` tells the main conversation of each background agent that had "
    "not ended, as `stopped`. A message lets the agent go on from its last finished step; the unfinished "
    "one is gone.",
    expected="stopped, then completed; finished step kept, unfinished step gone",
)
def killed_client(lab: Lab) -> str:
    """Kill the client while an agent is in its second step, resume the session, send the agent a message."""
    lab.write_agent("worker")
    main = once_heard(NOTIFIED, START, GO_ON)
    worker = steps(call("Bash", command="echo apples"), until("plums", first="touch begun"), say(REPORT))
    desk = lab.desk({MAIN: main, WORKER: worker})
    session = str(uuid.uuid4())
    mode = ("--permission-mode", BYPASS)

    def is_written() -> bool:
        """Whether the second step has begun, and the first is in the transcript, which is written a bit later."""
        logs = lab.home.glob(f".claude/projects/*/{session}/subagents/*.jsonl")
        kept = any('"tool_result"' in log.read_text() for log in logs)
        return kept and (lab.project / "begun").exists() and len(desk.model.of(MAIN)) > 1

    desk.run_and_kill(is_written, "go", *mode, "--session-id", session)
    done = desk.headless("go on", *mode, "--resume", session)
    played = Played(done, desk.model)
    context = json.dumps(desk.model.of(WORKER)[-1].request["messages"])
    kept = ["kept" if word in context else "gone" for word in ("apples", "plums")]
    states = ", then ".join(notification["status"] for notification in played.notifications())
    return f"{states}; finished step {kept[0]}, unfinished step {kept[1]}"


@probe(
    question="What does Ctrl-C do to background agents?",
    claim="Ctrl-C while the main conversation rests stops the agent at work. The conversation is not woken: it "
    "is told with the next prompt, and a message to the agent is refused.",
    expected="not woken; told with the next prompt; the message refused",
    scope=TERMINAL,
)
def user_stops(lab: Lab) -> str:
    """Press Ctrl-C while an agent is at work, then ask the main conversation to send it a message."""
    lab.write_agent("worker")
    main = steps(start("worker", name="bob"), say("on"), GO_ON)
    desk = lab.desk({MAIN: main, WORKER: steps(until("never"), say(REPORT))})
    asked = partial(desk.model.of, MAIN)
    with desk.terminal(mode=BYPASS) as terminal:
        terminal.type("go")
        terminal.wait_for(lambda: desk.model.of(WORKER) and terminal.shows("Waiting for 1 background agent"))
        terminal.press(CTRL_C)
        terminal.wait_for(lambda: terminal.shows("Background agents stopped"))
        terminal.type("what now")
        terminal.wait_for(lambda: len(asked()) >= 4)
    news = asked()[2].talk.news
    woken = "not woken" if "what now" in news else "woken"
    plainly = "stopped by the user" in news and NOTIFIED not in news
    told = "told with the next prompt" if plainly else "notified"
    refused = "refused" if '"success":false' in asked()[3].talk.result else "delivered"
    return f"{woken}; {told}; the message {refused}"
