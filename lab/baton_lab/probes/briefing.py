"""What an agent knows at its start, which model it is, and what hooks make of its start."""

import json
import re
from collections.abc import Iterator

from baton_lab.probes.probe import WORKER, Lab, Played, probe, start, steps, waited
from baton_lab.probes.routing import OTHER
from baton_lab.probes.starting import AT_WORK, REPORT, agent_tool
from baton_lab.scripted_client.script import MAIN, STRANGER, Step, Talk, call, say

FAMILY = re.compile(r"claude-([a-z]+)-")


def whole(played: Played, role: str) -> str:
    """Return all that a role was sent, as JSON."""
    return json.dumps([one.request for one in played.model.of(role)])


def families(played: Played) -> list[str]:
    """Return the model of each agent that has no script, in order: its family, or its whole name."""
    models = [str(one.request["model"]) for one in played.model.of(STRANGER)]
    return [match[1] if (match := FAMILY.match(name)) else name for name in models]


@probe(
    question="What does an agent hear of the conversation that starts it?",
    claim="An agent starts with its own system prompt and the call's `prompt`, and nothing else of the "
    "conversation: not what you said, not what was read, not the call's `description`. So put everything it "
    "needs into the prompt.",
    expected="main: SAID, READ, DESCRIBED, TOLD, its own prompt; agent: TOLD, another prompt",
)
def own_prompt_only(lab: Lab) -> str:
    """Look for words of the conversation in what an agent is sent."""
    lab.write_agent("worker")
    lab.write(lab.project / "notes.txt", "READ")
    read = call("Read", file_path=str(lab.project / "notes.txt"))
    given = waited("worker", description="DESCRIBED", prompt="TOLD")
    played = lab.play([read, given, say("on")], prompt="SAID", agents=AT_WORK)
    clients = played.model.of(MAIN)[0].request["system"][-1]["text"]
    seen = []
    for who, role in (("main", MAIN), ("agent", WORKER)):
        words = [word for word in ("SAID", "READ", "DESCRIBED", "TOLD") if word in whole(played, role)]
        own = "its own" if json.dumps(clients, ensure_ascii=False) in played.system(role) else "another"
        seen.append(f"{who}: {', '.join(words)}, {own} prompt")
    return "; ".join(seen)


@probe(
    question="Which flag adds to the system prompt of agents?",
    claim="`--append-system-prompt` reaches only the main conversation; `--append-subagent-system-prompt` "
    "reaches the agents that it starts, and not the conversation itself.",
    expected="main: the first; agent: the second",
)
def appended_prompts(lab: Lab) -> str:
    """Append one text by each flag."""
    lab.write_agent("worker")
    texts = {"the first": "--append-system-prompt", "the second": "--append-subagent-system-prompt"}
    words = [word for text, flag in texts.items() for word in (flag, f"Mind {text}.")]
    played = lab.start_agent("worker", None, *words)
    seen = [
        " and ".join(text for text in texts if f"Mind {text}." in played.system(role)) for role in (MAIN, WORKER)
    ]
    return "main: {}; agent: {}".format(*seen)


@probe(
    question="Which agents read CLAUDE.md?",
    claim="Agents get the project's and your own CLAUDE.md and the git status, except `Explore` and `Plan`, and "
    "those whose definition says `omitClaudeMd: true` (they still get the git status).",
    expected="probe:worker: project, user, git; general-purpose: project, user, git; probe:omitting: git; "
    "Explore: nothing; Plan: nothing",
)
def claude_md(lab: Lab) -> str:
    """Start agents of five kinds and look what they were sent."""
    lab.write(lab.project / "CLAUDE.md", "Eat pears.")
    lab.write(lab.home / ".claude" / "CLAUDE.md", "Eat plums.")
    lab.write_agent("worker")
    lab.write_agent("omitting", omitClaudeMd=True)
    marks = {"Eat pears.": "project", "Eat plums.": "user", "git status at the start": "git"}
    kinds = ("probe:worker", "general-purpose", "probe:omitting", "Explore", "Plan")
    played = lab.play([*(waited(kind, subagent_type=kind) for kind in kinds), say("on")])
    sent = [json.dumps(one.request) for one in played.model.of(STRANGER)]
    known = [", ".join(what for mark, what in marks.items() if mark in text) or "nothing" for text in sent]
    return "; ".join(f"{kind}: {what}" for kind, what in zip(kinds, known, strict=True))


@probe(
    question="What does `skills:` in a definition do?",
    claim="The skills that a definition names under `skills` are in the agent's context from the start, with "
    "their whole text; a plugin's by full or bare name. A name that is not found is passed over in silence.",
    expected="unnamed: not there, by full name: there, by bare name: there, by a wrong name: not there",
)
def preloaded_skills(lab: Lab) -> str:
    """Name a skill in several ways."""
    lab.write_skill("pears", "Peel the pears.", plugin=True)
    named = {"unnamed": "", "by full name": "probe:pears", "by bare name": "pears", "by a wrong name": "nobody"}
    for at, skills in enumerate(named.values()):
        lab.write_agent(f"eater{at}", skills=skills)
    played = lab.play([*(waited(f"eater{at}") for at in range(len(named))), say("on")])
    sent = [json.dumps(one.request) for one in played.model.of(STRANGER)]
    there = ["there" if "Peel the pears." in text else "not there" for text in sent]
    return ", ".join(f"{how}: {what}" for how, what in zip(named, there, strict=True))


@probe(
    question="Which model and effort does an agent get?",
    claim="An agent's model is the call's `model`, else its definition's, else `CLAUDE_CODE_SUBAGENT_MODEL`, "
    "else that of the conversation that starts it. Its `effort` goes the same way, with "
    "`CLAUDE_CODE_SUBAGENT_EFFORT`.",
    expected="call: fable high, definition: haiku low, variable: opus max, conversation: sonnet xhigh",
)
def model_order(lab: Lab) -> str:
    """Take away one after the other."""
    lab.write_agent("worker", model="haiku", effort="low")
    lab.write_agent("plain")
    calls = [waited("worker", model="fable", effort="high"), waited("worker"), waited("plain")]
    parent = ("--model", "sonnet", "--effort", "xhigh")
    played = [
        lab.play(
            [*calls, say("on")], *parent, CLAUDE_CODE_SUBAGENT_MODEL="opus", CLAUDE_CODE_SUBAGENT_EFFORT="max"
        ),
        lab.play([waited("plain"), say("on")], *parent),
    ]
    models = [model for one in played for model in families(one)]
    efforts = [asked.request["output_config"]["effort"] for one in played for asked in one.model.of(STRANGER)]
    seen = zip(("call", "definition", "variable", "conversation"), models, efforts, strict=True)
    return ", ".join(f"{what}: {model} {effort}" for what, model, effort in seen)


@probe(
    question="Can one model be set for all agents?",
    claim="With `CLAUDE_CODE_SUBAGENT_MODEL_FORCE=1` the model of `CLAUDE_CODE_SUBAGENT_MODEL` goes before the "
    "call's and the definition's, and the `Agent` tool no longer has a `model`.",
    expected="opus; not offered",
)
def model_forced(lab: Lab) -> str:
    """Ask for another model in the call and in the definition."""
    lab.write_agent("worker", model="haiku")
    played = lab.play([waited("worker", model="haiku"), say("on")], "--model", "sonnet",
                      CLAUDE_CODE_SUBAGENT_MODEL="opus", CLAUDE_CODE_SUBAGENT_MODEL_FORCE="1")  # fmt: skip
    has = "offered" if "model" in played.parameters("Agent") else "not offered"
    return f"{', '.join(families(played))}; {has}"


@probe(
    question="Is a wrong model name noticed?",
    claim="A wrong `model` in a definition is not noticed at the start: the agent is started, and the service "
    "is asked for that model. A call takes only sonnet, opus, haiku and fable, and starts nothing for another.",
    expected="definition: asked for nosuch; call: sonnet, opus, haiku, fable, not nosuch",
)
def model_unchecked(lab: Lab) -> str:
    """Misspell the model in a definition and in a call."""
    lab.write_agent("worker", model="nosuch")
    defined, called = (lab.play([waited("worker", **given), say("on")]) for given in ({}, {"model": "nosuch"}))
    taken = ", ".join(agent_tool(called)["properties"]["model"]["enum"])
    wrong = "even" if families(called) else "not"
    return f"definition: asked for {', '.join(families(defined))}; call: {taken}, {wrong} nosuch"


@probe(
    question="What can a SubagentStart hook add?",
    claim="A `SubagentStart` hook's `additionalContext` reaches the agent, and not the conversation that starts "
    "it. The agent waits for the hook; its matcher is held against the full name.",
    expected="probe:worker: agent told, main not told, after the hook; worker: agent not told, main not told, "
    "before the hook",
)
def start_hook_adds(lab: Lab) -> str:
    """Have a slow hook add a line, under two matchers."""
    lab.write_agent("worker")
    done, hint = lab.folder / "done", "Mind the pears."
    told = {"hookSpecificOutput": {"hookEventName": "SubagentStart", "additionalContext": hint}}
    command = {"type": "command", "command": f"sleep 0.5; touch {done}; echo '{json.dumps(told)}'"}

    def look(_: Talk) -> Iterator[Step]:
        yield say("after the hook" if done.exists() else "before the hook")

    seen = []
    for matcher in ("probe:worker", "worker"):
        hooks = {"SubagentStart": [{"matcher": matcher, "hooks": [command]}]}
        lab.write_json(lab.plugin / "hooks" / "hooks.json", {"hooks": hooks})
        played = lab.start_agent("worker", look)
        agent, main = ("told" if hint in whole(played, role) else "not told" for role in (WORKER, MAIN))
        seen.append(f"{matcher}: agent {agent}, main {main}, {played.model.said(WORKER)[0]}")
        done.unlink(missing_ok=True)
    return "; ".join(seen)


@probe(
    question="Which hook can refuse the start of an agent?",
    claim="A `PreToolUse` hook on `Agent` can refuse a start: nothing runs, and its reason is the answer to the "
    "call. A `SubagentStart` hook cannot: its `decision: block` and `continue: false` are ignored.",
    expected="SubagentStart: starts; PreToolUse: refused, with the reason",
)
def hooks_refuse(lab: Lab) -> str:
    """Refuse a start by one hook and by the other."""
    lab.write_agent("worker")
    why = "No pears today."
    deny = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": why}
    refusals = {"SubagentStart": {"decision": "block", "reason": why, "continue": False},
                "PreToolUse": {"hookSpecificOutput": deny}}  # fmt: skip
    seen = []
    for event, answer in refusals.items():
        lab.log_hooks(event, answer=answer)
        played = lab.start_agent("worker")
        assert lab.hook_calls(event), f"the {event} hook did not run"
        reason = "with" if why in played.heard() else "without"
        seen.append(f"{event}: {'starts' if played.spoke(WORKER) else f'refused, {reason} the reason'}")
    return "; ".join(seen)


@probe(
    question="Can a hook change what is started?",
    claim="A `PreToolUse` hook's `updatedInput` takes the place of the whole call: another type and prompt run, "
    "and the caller is not told. It must be a whole call: without a `description` the start fails.",
    expected="whole: other runs with the new prompt, main is not told; only a prompt: nothing runs",
)
def hook_changes_start(lab: Lab) -> str:
    """Change a call by a hook, wholly and in part."""
    lab.write_agent("worker")
    lab.write_agent("other")
    part = {"prompt": "Peel the pears."}
    seen = []
    for given in ({**start("other").given, **part}, part):
        lab.log_hooks(
            "PreToolUse", answer={"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": given}}
        )
        played = lab.play([waited("worker"), say("on")], agents={**AT_WORK, OTHER: steps(say(REPORT))})
        ran = next((role for role in (WORKER, OTHER) if played.spoke(role)), "")
        new = "the new" if ran and part["prompt"] in whole(played, ran) else "another"
        told = "told" if part["prompt"] in whole(played, MAIN) else "not told"
        name = ran.removeprefix("You are ").removesuffix(".")
        seen.append(f"{name} runs with {new} prompt, main is {told}" if ran else "nothing runs")
    return "whole: {}; only a prompt: {}".format(*seen)
