"""Agents that agents start: who waits for whom, and who hears of their ends."""

from baton_lab.probes.life_cycle import AT_WORK, REPORT, how_told
from baton_lab.probes.probe import BYPASS, WORKER, Lab, probe, start, steps, until
from baton_lab.scripted_client.script import call, say

BOSS = "You are boss."


@probe(
    question="Does an agent wait for the agents that it starts?",
    claim="Inside an agent it is the other way round: an agent that it starts runs in the foreground, unless it "
    "passes `run_in_background: true`.",
    expected="default: the report at once, no notification; true: an id at once, 1 notification",
)
def nested_waits(lab: Lab) -> str:
    """Let an agent start another, with and without the parameter."""
    lab.write_agent("boss")
    lab.write_agent("worker")
    lab.log_hooks("SubagentStop")
    ended = until(f"[ -s {lab.folder}/SubagentStop.jsonl ]", "sleep 0.5")
    seen = []
    for waits in ([start("worker")], [start("worker", run_in_background=True), ended]):
        agents = {BOSS: steps(*waits, say("boss done")), **AT_WORK}
        played = lab.play([start("boss"), say("on")], agents=agents, mode=BYPASS)
        seen.append(how_told(played, BOSS))
        (lab.folder / "SubagentStop.jsonl").unlink()
    return f"default: {seen[0]}; true: {seen[1]}"


@probe(
    question="Are the agents that an agent started stopped with it?",
    claim="Stopping an agent also stops the agents that it waits for, but not its background agents: they work "
    "on, and the main conversation gets their reports.",
    expected="in the foreground: stopped; in the background: reported to the main conversation",
)
def task_stop_children(lab: Lab) -> str:
    """Stop an agent that has started another."""
    lab.write_agent("boss")
    lab.write_agent("worker")
    seen = []
    for background in (False, True):
        boss = steps(start("worker", run_in_background=background), until("never"))
        worker = steps(until("stopped", first="touch begun"), say(REPORT))
        main = steps(start("boss", name="boss"), until("begun"), call("TaskStop", task_id="boss"),
                     call("Bash", command="touch stopped; sleep 1.5; rm begun stopped"))  # fmt: skip
        played = lab.play(main, agents={BOSS: boss, WORKER: worker}, mode=BYPASS)
        reported = any(REPORT in notification.get("result", "") for notification in played.notifications())
        lives = "lost" if REPORT in played.model.said(WORKER) else "stopped"
        seen.append("reported to the main conversation" if reported else lives)
    return f"in the foreground: {seen[0]}; in the background: {seen[1]}"


@probe(
    question="What becomes of a background agent whose starter ends first?",
    claim="An agent that ends while an agent of its own is at work is reported at once, as `completed`; the "
    "other's report then goes to the main conversation, not to the one that started it.",
    expected="boss completed, then worker completed; boss heard nothing of it",
)
def starter_ends_first(lab: Lab) -> str:
    """End an agent while the one that it started is at work."""
    lab.write_agent("boss")
    lab.write_agent("worker")
    lab.log_hooks("SubagentStop")
    boss = steps(start("worker", run_in_background=True), until("begun"), say("boss done"))
    past_it = until(f"{lab.folder}/SubagentStop.jsonl", "sleep 0.5", first="touch begun")
    worker = steps(past_it, say(REPORT))
    main = steps(start("boss"), say("on"))
    played = lab.play(main, agents={BOSS: boss, WORKER: worker}, mode=BYPASS)
    told = ", then ".join(
        f"{notification['summary'].split(chr(34))[1]} {notification['status']}"
        for notification in played.notifications()
    )
    heard = REPORT in played.heard(BOSS)
    return f"{told}; boss heard {'the report' if heard else 'nothing of it'}"
