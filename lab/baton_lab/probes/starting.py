"""The ways an agent starts, and what each makes of a name."""

import json
from typing import Any

from baton_lab.probes.probe import WORKER, Lab, Played, probe, steps, waited
from baton_lab.scripted_client.script import MAIN, call, say

REPORT = "three pears"
AT_WORK = {WORKER: steps(say(REPORT))}
SESSION = "11111111-2222-4333-8444-555555555555"


def answers(played: Played, role: str = MAIN) -> list[str]:
    """Say what each call of a role came to: a report, or nothing that is called so."""
    return [
        "runs" if REPORT in asked.talk.result else "not found" if "not found" in asked.talk.result else "?"
        for asked in played.model.of(role)[1:]
    ]


def agent_tool(played: Played) -> dict[str, Any]:
    """Return the schema of the Agent tool that the main conversation was offered."""
    offered = played.model.of(MAIN)[0].request["tools"]
    return next(dict(tool["input_schema"]) for tool in offered if tool["name"] == "Agent")


@probe(
    question="By which name is a plugin's agent started?",
    claim="A plugin's agent is started by its full name, `plugin:name`, in upper or lower case; its bare name "
    "is unknown. An unknown name starts nothing: the call fails, and its answer lists the agents there are.",
    expected="worker: not found, probe:worker: runs, Probe:Worker: runs; started 2 times; the answer lists "
    "probe:worker",
)
def plugin_agent_name(lab: Lab) -> str:
    """Try the names an agent might have."""
    lab.write_agent("worker")
    names = ("worker", "probe:worker", "Probe:Worker")
    played = lab.play([*(waited("worker", subagent_type=name) for name in names), say("on")], agents=AT_WORK)
    got = ", ".join(f"{name}: {one}" for name, one in zip(names, answers(played), strict=True))
    listed = "probe:worker" in played.model.of(MAIN)[1].talk.result
    times = len(played.model.of(WORKER))
    return f"{got}; started {times} times; the answer lists {'probe:worker' if listed else 'none'}"


@probe(
    question="Which agent runs when a call names no type?",
    claim="A call without `subagent_type` starts `general-purpose`; an agent of yours with that name takes its "
    "place.",
    expected="general-purpose, by the client; general-purpose, mine",
)
def no_type(lab: Lab) -> str:
    """Start an agent without a type, before and after one is defined by the name of the client's own."""
    lab.log_hooks("SubagentStart")
    untyped = call("Agent", description="d", prompt="p", run_in_background=False)
    played = [lab.play([untyped, say("on")])]
    lab.write_agent("general-purpose", text=WORKER, folder=lab.project_agents)
    played.append(lab.play([untyped, say("on")], agents=AT_WORK))
    types = [call["agent_type"] for call in lab.hook_calls("SubagentStart")]
    whose = ["mine" if one.spoke(WORKER) else "by the client" for one in played]
    return "; ".join(f"{kind}, {owner}" for kind, owner in zip(types, whose, strict=True))


@probe(
    question="Which parameters has the Agent tool?",
    claim="A call needs only `description` and `prompt`; it may also give `subagent_type`, `model`, `effort`, "
    "`isolation` and, under `-p`, `run_in_background`.",
    expected="needs description, prompt; takes effort, isolation, model, run_in_background, subagent_type",
)
def agent_parameters(lab: Lab) -> str:
    """Read the schema that the model is offered."""
    schema = agent_tool(lab.play([say("on")]))
    needed = schema["required"]
    return f"needs {', '.join(needed)}; takes {', '.join(sorted(set(schema['properties']) - set(needed)))}"


@probe(
    question="Can a call set an agent's folder or tools?",
    claim="A call cannot set the agent's folder or tools: `cwd` and `tools` in it are ignored without a word.",
    expected="in the project, with Bash",
)
def unknown_parameters(lab: Lab) -> str:
    """Give an agent a folder and a list of tools in the call."""
    lab.write_agent("worker")
    script = steps(call("Bash", command="pwd"), say(REPORT))
    played = lab.start_agent("worker", script, cwd=str(lab.folder), tools=["Read"])
    at = "in the project" if str(lab.project) in played.heard(WORKER).splitlines() else "elsewhere"
    return f"{at}, {'with' if 'Bash' in played.tools(WORKER) else 'without'} Bash"


@probe(
    question="What is `claude -p --agent NAME`?",
    claim="With `claude -p --agent NAME` the session itself is the agent: it has the agent's system prompt, "
    "tools and model. Here a plugin agent's bare name is enough; an unknown name ends the client with exit code "
    "1.",
    expected="bare name: the agent, haiku, Read, no Bash; unknown: exit code 1, nothing asked",
)
def session_as_agent(lab: Lab) -> str:
    """Be an agent, and be one that is not there."""
    lab.write_agent("worker", tools="Read", model="haiku")
    played = lab.play([say("on")], "--agent", "worker", agents=AT_WORK)
    role = WORKER if played.spoke(WORKER) else MAIN
    model = "haiku" if "haiku" in played.model.of(role)[0].request["model"] else "another model"
    tools = ", ".join(f"{'' if one in played.tools(role) else 'no '}{one}" for one in ("Read", "Bash"))
    lost = lab.play([say("on")], "--agent", "nobody")
    asked = "asked" if lost.model.asked else "nothing asked"
    who = "the agent" if role == WORKER else "no agent"
    return f"bare name: {who}, {model}, {tools}; unknown: exit code {lost.done.code}, {asked}"


@probe(
    question="Can settings make every session an agent?",
    claim="The setting `agent` makes each session that agent, as `--agent` does; it may stand in the project's "
    "`.claude/settings.json`, or in a plugin's `settings.json`.",
    expected="without: main; the plugin's: agent; the project's: agent",
)
def agent_setting(lab: Lab) -> str:
    """Start sessions with and without the setting."""
    lab.write_agent("worker")
    lab.write_agent("worker", folder=lab.project_agents)
    seen = []
    for where in (None, lab.plugin / "settings.json", lab.project / ".claude" / "settings.json"):
        if where:
            lab.write_json(where, {"agent": "worker"})
        seen.append("agent" if lab.play([say("on")], agents=AT_WORK).spoke(WORKER) else "main")
        if where:
            where.unlink()
    return "without: {}; the plugin's: {}; the project's: {}".format(*seen)


@probe(
    question="Does a resumed session stay the agent it was?",
    claim="A session stays what it began as: resumed without `--agent` it is still the agent, and a plain "
    "session that is resumed with `--agent` stays plain.",
    expected="begun as agent: agent; begun plain: main",
)
def resumed_session(lab: Lab) -> str:
    """Resume an agent's session without naming it, and a plain one naming an agent."""
    lab.write_agent("worker")
    named = ("--agent", "worker")
    seen = []
    for begun, resumed, session in ((named, (), SESSION), ((), named, SESSION.replace("1", "2"))):
        lab.play([say("on")], "--session-id", session, *begun, agents=AT_WORK)
        again = lab.play([say("on")], "--resume", session, *resumed, agents=AT_WORK)
        seen.append("agent" if again.spoke(WORKER) else "main" if again.spoke(MAIN) else "nobody")
    return "begun as agent: {}; begun plain: {}".format(*seen)


@probe(
    question="Can an agent be defined on the command line?",
    claim="`--agents` takes definitions for one run as JSON, keyed by name, with the system prompt as `prompt` "
    "and `tools` as a list. `tools` as a text, as in a file, ends the client with exit code 1.",
    expected="a list: runs with Read, not Bash; a text: exit code 1, nothing asked",
)
def agents_on_command_line(lab: Lab) -> str:
    """Define an agent in JSON, with tools as a list and as a definition file would have them."""
    seen = []
    for tools in (["Read"], "Read"):
        given = json.dumps({"worker": {"description": "works", "prompt": WORKER, "tools": tools}})
        seen.append(
            lab.play([waited("worker", subagent_type="worker"), say("on")], "--agents", given, agents=AT_WORK)
        )
    good, bad = seen
    has = ", ".join(f"{'' if one in good.tools(WORKER) else 'not '}{one}" for one in ("Read", "Bash"))
    asked = "asked" if bad.model.asked else "nothing asked"
    return f"a list: {' '.join(answers(good))} with {has}; a text: exit code {bad.done.code}, {asked}"


@probe(
    question="What does `@agent-NAME` in a prompt do?",
    claim="`@agent-NAME` in a prompt starts nothing by itself: the client tells the model that you want this "
    "agent, and the model makes the call. `@NAME` tells it nothing.",
    expected="@agent-worker: the model is told; @worker: it is not; started: none",
)
def mention(lab: Lab) -> str:
    """Mention an agent in two ways, with a model that does not follow."""
    lab.write_agent("worker", folder=lab.project_agents)
    seen = [lab.play([say("on")], prompt=f"{one} do it", agents=AT_WORK) for one in ("@agent-worker", "@worker")]
    told = ["the model is told" if 'invoke the agent "worker"' in one.heard() else "it is not" for one in seen]
    started = "none" if not any(one.spoke(WORKER) for one in seen) else "some"
    return "@agent-worker: {}; @worker: {}; started: {}".format(*told, started)
