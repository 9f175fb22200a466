"""Permissions in sub-agents: modes, rules, hooks, grants of skills, and what is refused when nobody can answer."""

import json
from collections.abc import Iterator
from pathlib import Path

from baton_lab.probes.probe import BYPASS, PLUGIN_NAME, TERMINAL, WORKER, Lab, probe, start, steps, waited
from baton_lab.scripted_client.script import MAIN, Step, Talk, call, say

WRITE, RUN, TOUCH = "writes", "runs", "touches"
DOES = {
    WRITE: call("Write", file_path=WRITE, content="x"),
    RUN: call("Bash", command=f'python3 -c \'open("{RUN}", "w")\''),
    TOUCH: call("Bash", command=f"touch {TOUCH}"),
}


def done_by(lab: Lab, mode: str, *tried: str, agent: str = f"{PLUGIN_NAME}:worker") -> str:
    """Have the worker try these; return which of them were done."""
    lab.send("worker", *(DOES[one] for one in tried), mode=mode, subagent_type=agent)
    made = [one for one in tried if (lab.project / one).exists()]
    for one in made:
        (lab.project / one).unlink()
    return " and ".join(made) or "neither"


def write_settings(lab: Lab, **settings: object) -> Path:
    """Write the settings of the project."""
    return lab.write_json(lab.project / ".claude" / "settings.json", settings)


@probe(
    question="Which permission mode does a sub-agent run in?",
    claim="A sub-agent runs in the permission mode of the session: in `default` it may not write unasked, in "
    "`acceptEdits` it may, and in `bypassPermissions` it runs programs unasked too.",
    expected="default: neither; acceptEdits: writes; bypassPermissions: writes and runs",
)
def mode_inherited(lab: Lab) -> str:
    """Let a worker write a file and run a program in each mode."""
    lab.write_agent("worker")
    modes = ("default", "acceptEdits", BYPASS)
    return "; ".join(f"{mode}: {done_by(lab, mode, WRITE, RUN)}" for mode in modes)


@probe(
    question="Does `permissionMode` in an agent's definition count?",
    claim="In a session in `default` mode `permissionMode: acceptEdits` counts in an agent of the project; in "
    "an agent of a plugin it is ignored.",
    expected="project: writes; plugin: neither",
)
def mode_of_agent(lab: Lab) -> str:
    """Let one agent of the project and one of a plugin write, both with the key."""
    lab.write_agent("worker", permissionMode="acceptEdits")
    lab.write_agent("worker", folder=lab.project / ".claude" / "agents", permissionMode="acceptEdits")
    own, of_plugin = done_by(lab, "default", WRITE, RUN, agent="worker"), done_by(lab, "default", WRITE, RUN)
    return f"project: {own}; plugin: {of_plugin}"


@probe(
    question="Can `permissionMode` free or bind an agent against its session?",
    claim="`permissionMode: bypassPermissions` counts for nothing in a session in `default` mode, and `plan` "
    "for nothing in one in `acceptEdits`: to keep an agent from writing, give it a list of `tools`.",
    expected="bypassPermissions in default: neither; plan in acceptEdits: writes",
)
def mode_against_session(lab: Lab) -> str:
    """Let agents of the project write and run, each with a mode that differs from the session's."""
    seen = []
    for own, session in ((BYPASS, "default"), ("plan", "acceptEdits")):
        lab.write_agent("worker", folder=lab.project / ".claude" / "agents", permissionMode=own)
        seen.append(f"{own} in {session}: {done_by(lab, session, WRITE, RUN, agent='worker')}")
    return "; ".join(seen)


@probe(
    question="Do permission rules hold in sub-agents?",
    claim="The session's permission rules hold in sub-agents: what is allowed needs no question, and what is "
    "denied is refused even in `bypassPermissions`.",
    expected="default: runs; bypassPermissions: runs; without rules: runs and touches",
)
def rules_hold(lab: Lab) -> str:
    """Let a worker do what a rule allows and what a rule denies."""
    lab.write_agent("worker")
    settings = write_settings(lab, permissions={"allow": ["Bash(python3 *)"], "deny": ["Bash(touch *)"]})
    seen = [f"{mode}: {done_by(lab, mode, RUN, TOUCH)}" for mode in ("default", BYPASS)]
    settings.unlink()
    return "; ".join([*seen, f"without rules: {done_by(lab, BYPASS, RUN, TOUCH)}"])


@probe(
    question="Does a `PreToolUse` hook decide in sub-agents too?",
    claim="A `PreToolUse` hook decides for sub-agents too: what it allows runs unasked, and what it denies is "
    "refused even in `bypassPermissions`; the agent reads its reason.",
    expected="allow in default: runs; deny in bypassPermissions: writes, the agent reads why",
)
def hook_decides(lab: Lab) -> str:
    """Let a hook on Bash allow in one mode, and deny in another."""
    lab.write_agent("worker")
    seen = []
    for decision, mode in (("allow", "default"), ("deny", BYPASS)):
        answer = {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": "ask Ada",
        }
        command = f"echo '{json.dumps({'hookSpecificOutput': answer})}'"
        entry = {"matcher": "^Bash$", "hooks": [{"type": "command", "command": command}]}
        write_settings(lab, hooks={"PreToolUse": [entry]})
        played = lab.send("worker", DOES[WRITE], DOES[RUN], mode=mode)
        made = " and ".join(one for one in (WRITE, RUN) if (lab.project / one).exists())
        (lab.project / RUN).unlink(missing_ok=True)
        why = ", the agent reads why" if any("ask Ada" in result for result in played.results(WORKER)) else ""
        seen.append(f"{decision} in {mode}: {made}{why}")
    return "; ".join(seen)


@probe(
    question="How does a hook know which agent it hears?",
    claim="A hook on tools reads in `agent_id` and `agent_type` which sub-agent makes the call; for a call of "
    "the main conversation neither is there.",
    expected="main conversation: neither; sub-agent: probe:worker with an id, in the same session",
)
def hook_names_agent(lab: Lab) -> str:
    """Note what hooks are told of a call of the main conversation and of one of a sub-agent."""
    lab.write_agent("worker")
    lab.log_hooks("PreToolUse")
    look, scripts = call("Bash", command="pwd"), {WORKER: steps(call("Bash", command="pwd"), say("done"))}
    lab.play([look, waited("worker"), say("all done")], agents=scripts)
    main, sub = (call for call in lab.hook_calls("PreToolUse") if call["tool_name"] == "Bash")
    of_main = [main[key] for key in ("agent_id", "agent_type") if key in main] or "neither"
    ids = "with an id" if sub.get("agent_id") else "without an id"
    session = "the same session" if sub["session_id"] == main["session_id"] else "another session"
    return f"main conversation: {of_main}; sub-agent: {sub.get('agent_type')} {ids}, in {session}"


@probe(
    question="How far does a skill's `allowed-tools` reach?",
    claim="What a skill's `allowed-tools` grants, the agents it starts may do too; but once the main "
    "conversation is woken by a notification, the grant is gone, for itself and for the agents it starts "
    "then.",
    expected="allowed: foreground, background; refused: later, itself",
)
def skill_grant(lab: Lab) -> str:
    """Let a skill start agents that need what it grants, the last one after a notification."""
    lab.write_agent("worker")
    lab.write_skill("go", "Go.", {"allowed-tools": "Bash(python3 *)"}, plugin=True)
    names = ("foreground", "background", "later", "itself")

    def make(name: str) -> Step:
        return call("Bash", command=f'python3 -c \'open("{name}", "w")\'')

    def work(talk: Talk) -> Iterator[Step]:
        yield make(talk.prompt)
        yield say("done")

    sent = [start("worker", prompt=name, run_in_background=name == "background") for name in names[:3]]
    main: list[Step] = [*sent[:2], say("waiting"), sent[2], make("itself"), say("all done")]
    lab.play(main, prompt=f"/{PLUGIN_NAME}:go", agents={WORKER: work}, mode="default")
    made = [name for name in names if (lab.project / name).exists()]
    return f"allowed: {', '.join(made)}; refused: {', '.join(name for name in names if name not in made)}"


@probe(
    question="What happens under `-p` where an agent would have to ask?",
    claim="Nobody answers under `-p`: what an agent would have to ask for is refused at once, the run still "
    "ends with exit code 0, and `permission_denials` of its JSON result lists the call.",
    expected="exit code 0, success, denied: Write",
)
def refused_in_print(lab: Lab) -> str:
    """Let a worker write in default mode, and read the result line."""
    lab.write_agent("worker")
    played = lab.send("worker", DOES[WRITE], mode="default", words=("--output-format", "json"))
    result = json.loads(played.done.out)
    denied = ", ".join(one["tool_name"] for one in result["permission_denials"])
    return f"exit code {played.done.code}, {'error' if result['is_error'] else 'success'}, denied: {denied}"


@probe(
    question="Whom does a sub-agent ask at the terminal?",
    claim="At the terminal a background agent's question comes up in your session and names the agent; your "
    "answer lets that agent go on.",
    expected="asked: from the probe:worker agent; written",
    scope=TERMINAL,
)
def question_names_agent(lab: Lab) -> str:
    """Let a worker write in default mode, and say yes."""
    lab.write_agent("worker")
    scripts = {MAIN: steps(start("worker"), say("all done")), WORKER: steps(DOES[WRITE], say("done"))}
    with lab.desk(scripts).terminal() as terminal:
        terminal.answer = "1"
        terminal.type("go")
        head = terminal.wait_for_prompt("agent").splitlines()[0]
        terminal.wait_for(lambda: (lab.project / WRITE).exists())
    return f"asked: {head.partition(' · ')[2]}; written"
