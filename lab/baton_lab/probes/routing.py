"""Which definition a name leads to, and who may start it: skills, folders, precedence, rules, depth."""

import json
import re

from baton_lab.probes.probe import WORKER, Lab, Played, probe, steps, waited
from baton_lab.probes.starting import AT_WORK, REPORT, answers
from baton_lab.scripted_client.script import MAIN, call, say

OTHER = "You are other."
FIND = "Find $ARGUMENTS pears."
LISTED = re.compile(r"(?m)^- (\S+): (.*) \(Tools: (.*)\)$")


def listed(played: Played, role: str = MAIN) -> dict[str, tuple[str, str]]:
    """Return the description and the tools of each agent that a role was told of, by name."""
    return {name: (about, tools) for name, about, tools in LISTED.findall(played.heard(role))}


@probe(
    question="What does a skill with `context: fork` and `agent:` do?",
    claim="A skill with `context: fork` and `agent: NAME` starts that agent with the skill's text as its task. "
    "Called by the model, the agent's report is the tool's answer; typed by you, the report is printed and the "
    "main model is not asked.",
    expected="called: the task, the report; typed: the task, printed, main asked 0 times",
)
def skill_in_agent(lab: Lab) -> str:
    """Call such a skill, and type it."""
    lab.write_agent("worker")
    lab.write_skill("pears", FIND, {"context": "fork", "agent": "probe:worker"}, plugin=True)
    called = lab.play([call("Skill", skill="probe:pears", args="3"), say("on")], agents=AT_WORK)
    typed = lab.play([say("on")], prompt="/probe:pears 3", agents=AT_WORK)
    task = ["the task" if "Find 3 pears." in one.heard(WORKER) else "no task" for one in (called, typed)]
    report = "the report" if REPORT in called.model.of(MAIN)[-1].talk.result else "no report"
    printed = "printed" if typed.done.out.strip() == REPORT else "not printed"
    count = len(typed.model.of(MAIN))
    return f"called: {task[0]}, {report}; typed: {task[1]}, {printed}, main asked {count} times"


@probe(
    question="What runs a skill whose `agent:` is not found?",
    claim="In a skill, an `agent:` that is not found is not noticed: `general-purpose` runs the skill instead. "
    "A plugin agent needs its full name here too.",
    expected="probe:worker: probe:worker; worker: general-purpose; nobody: general-purpose",
)
def skill_agent_unknown(lab: Lab) -> str:
    """Give skills an agent's full name, its bare name and a wrong one."""
    lab.write_agent("worker")
    lab.log_hooks("SubagentStart")
    names = ("probe:worker", "worker", "nobody")
    for at, agent in enumerate(names):
        lab.write_skill(f"pears-{at}", FIND, {"context": "fork", "agent": agent}, plugin=True)
    lab.play([*(call("Skill", skill=f"probe:pears-{at}") for at in range(len(names))), say("on")], agents=AT_WORK)
    ran = [call["agent_type"] for call in lab.hook_calls("SubagentStart")]
    return "; ".join(f"{agent}: {one}" for agent, one in zip(names, ran, strict=True))


@probe(
    question="Are folders part of an agent's name?",
    claim="In a plugin a subfolder of `agents/` is part of the name, `plugin:folder:name`; under "
    "`.claude/agents` it is not.",
    expected="plugin: probe:team:worker; project: helper",
)
def folder_names(lab: Lab) -> str:
    """Define agents in subfolders and look how they are listed."""
    lab.write_agent("worker", folder=lab.plugin / "agents" / "team")
    lab.write_agent("helper", folder=lab.project_agents / "team")
    names = listed(lab.play([say("on")]))
    plugins, projects = ([name for name in names if part in name] for part in ("worker", "helper"))
    return f"plugin: {', '.join(plugins)}; project: {', '.join(projects)}"


@probe(
    question="Which of several definitions of one name runs?",
    claim="Of definitions with one name the command line's wins over the project's, and the project's over the "
    "user's (`~/.claude/agents`). A plugin's has a name of its own and stays beside them.",
    expected="user; project over user; command line over project; probe:same listed each time",
)
def same_name(lab: Lab) -> str:
    """Add one definition after the other, and start the name each time."""
    places = {"user": lab.home / ".claude" / "agents", "project": lab.project_agents}
    lab.write_agent("same")
    on_line = json.dumps({"same": {"description": "works", "prompt": "You are of the line."}})
    roles = {f"You are of the {place}.": place for place in ("user", "project", "line")}
    seen, beside = [], True
    for place in ("user", "project", "line"):
        if folder := places.get(place):
            lab.write_agent("same", text=f"You are of the {place}.", folder=folder)
        words = () if place in places else ("--agents", on_line)
        played = lab.play(
            [waited("same", subagent_type="same"), say("on")],
            *words,
            agents=dict.fromkeys(roles, steps(say(REPORT))),
        )
        seen += [name for role, name in roles.items() if played.spoke(role)]
        beside &= "probe:same" in listed(played)
    ran = "{}; {} over user; command {} over project".format(*seen)
    return f"{ran}; probe:same {'listed each time' if beside else 'missing'}"


@probe(
    question="When are definitions read?",
    claim="Under `-p` definitions are read once, at the start: one that is added or changed during the run "
    "counts from the next.",
    expected="same run: added: not found, changed: as before; next run: added: found, changed: as now",
)
def definitions_read_once(lab: Lab) -> str:
    """Change and add definitions during a run, give the client five seconds to notice, and start them."""
    folder = lab.project_agents
    changed = lab.write_agent("worker", folder=folder)
    added = lab.write(lab.folder / "late.md", changed.read_text(encoding="utf-8").replace("worker", "late"))
    change = f"sed -i 's/are worker/are changed/' {changed}; cp {added} {folder}; sleep 5"
    both = [waited(name, subagent_type=name) for name in ("late", "worker")]
    roles = {role: steps(say(REPORT)) for role in (WORKER, "You are changed.", "You are late.")}
    seen = []
    for first in ([call("Bash", command=change)], []):
        played = lab.play([*first, *both, say("on")], agents=roles, mode="bypassPermissions")
        late, old, new = (played.spoke(role) for role in ("You are late.", WORKER, "You are changed."))
        how = "as now" if new and not old else "as before" if old and not new else "neither"
        seen.append(f"added: {'found' if late else 'not found'}, changed: {how}")
    return "same run: {}; next run: {}".format(*seen)


@probe(
    question="What does the model know of an agent before it starts it?",
    claim="The model chooses from a list with each agent's name, whole description and tools, which is part of "
    "every conversation; the system prompt is not in it. So say in the description when to use the agent, and "
    "keep it short.",
    expected="8000 of 8000 characters, Read, no system prompt",
)
def description_listed(lab: Lab) -> str:
    """Look a long description up in the list."""
    lab.write_agent("worker", description="w" * 8000, tools="Read")
    played = lab.play([say("on")])
    about, tools = listed(played)["probe:worker"]
    told = "its" if WORKER in json.dumps(played.model.of(MAIN)[0].request) else "no"
    return f"{len(about)} of 8000 characters, {tools}, {told} system prompt"


@probe(
    question="Can a rule forbid an agent?",
    claim="A deny rule `Agent(NAME)` takes the agent off the list and refuses its start. It must hold the full "
    "name: `Agent(plugin:*)` forbids nothing.",
    expected="by full name: not listed, refused; by bare name: listed, runs; by pattern: listed, runs",
)
def deny_agent(lab: Lab) -> str:
    """Forbid agents by full name, by bare name and by a pattern, and start each."""
    names = {"full name": "worker", "bare name": "bare", "pattern": "other"}
    for name in names.values():
        lab.write_agent(name)
    rules = {"permissions": {"deny": ["Agent(probe:worker)", "Agent(bare)", "Agent(probe:*)"]}}
    roles = {f"You are {name}.": steps(say(REPORT)) for name in names.values()}
    calls = [waited(name) for name in names.values()]
    played = lab.play([*calls, say("on")], "--settings", json.dumps(rules), agents=roles)
    seen = []
    for how, name in names.items():
        there = "listed" if f"probe:{name}" in listed(played) else "not listed"
        seen.append(f"by {how}: {there}, {'runs' if played.spoke(f'You are {name}.') else 'refused'}")
    return "; ".join(seen)


@probe(
    question="Does `tools: Agent(TYPE)` limit which agents may be started?",
    claim="`Agent(TYPE)` in an agent's `tools` limits what it may start only where the agent is the session "
    "(`--agent`); in a sub-agent it allows every type.",
    expected="session: other runs, worker not found; sub-agent: both run",
)
def allowed_types(lab: Lab) -> str:
    """Let an agent that may start one type start two, as the session and as a sub-agent."""
    for name in ("worker", "other"):
        lab.write_agent(name)
    lab.write_agent("boss", tools="Agent(probe:other)")
    boss = steps(waited("other"), waited("worker"), say("on"))
    roles = {"You are boss.": boss, OTHER: steps(say(REPORT)), **AT_WORK}
    seen = []
    for played in (lab.play([say("on")], "--agent", "boss", agents=roles),
                   lab.play([waited("boss"), say("on")], agents=roles)):  # fmt: skip
        got = answers(played, "You are boss.")
        seen.append("both run" if got == ["runs"] * 2 else f"other {got[0]}, worker {got[1]}")
    return "session: {}; sub-agent: {}".format(*seen)


@probe(
    question="How deep may agents start agents?",
    claim="Agents may start agents, three deep: an agent at the third level has no `Agent` tool. "
    "`CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH` sets another depth.",
    expected="3 deep, the last without Agent; set to 1: 1 deep, the last without Agent",
)
def nesting_depth(lab: Lab) -> str:
    """Let each agent start the next."""
    lab.write_agent("worker")
    deeper = steps(waited("worker"), say(REPORT))
    seen = []
    for variables in ({}, {"CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH": "1"}):
        played = lab.play(deeper, agents={WORKER: deeper}, **variables)
        has = {
            one.agent: any(tool["name"] == "Agent" for tool in one.request["tools"])
            for one in played.model.of(WORKER)
        }
        seen.append(f"{len(has)} deep, the last {'with' if [*has.values()][-1] else 'without'} Agent")
    return "{}; set to 1: {}".format(*seen)


@probe(
    question="Does a sub-agent know which agents it may start?",
    claim="A sub-agent that may start agents is shown their list only after its first tool call: name the agent "
    "it should start in its prompt, or in its definition.",
    expected="main: at once; sub-agent: after its first call",
)
def nested_list(lab: Lab) -> str:
    """Look when a sub-agent is told of the agents there are."""
    lab.write_agent("worker")
    lab.write(lab.project / "notes.txt", "pears")
    read = call("Read", file_path=str(lab.project / "notes.txt"))
    played = lab.start_agent("worker", steps(read, say(REPORT)))
    when = []
    for role in (MAIN, WORKER):
        told = ["- probe:worker: " in json.dumps(one.request["messages"]) for one in played.model.of(role)]
        when.append("at once" if told[0] else "after its first call" if told[1] else "never")
    return "main: {}; sub-agent: {}".format(*when)
