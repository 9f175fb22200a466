"""Forks: sub-agents that go on from the conversation they are started in."""

import json
from collections.abc import Iterator

from baton_lab.probes.probe import Lab, Played, probe, start, waited
from baton_lab.scripted_client.model import Asked
from baton_lab.scripted_client.script import Step, Talk, call, say

# It is in the system prompt of the main conversation and of what has the same one: both play the role.
SHARED = "You share this."
SAID, SEEN = "remember the plum", "pear"


def fork(**given: object) -> Step:
    """Return the call that starts a fork."""
    return start("fork", subagent_type="fork", run_in_background=False, **given)


def play_fork(
    lab: Lab, *tried: Step, words: tuple[str, ...] = (), **given: object
) -> tuple[Played, list[Asked], list[Asked]]:
    """Have the main conversation see something and fork; returns the requests of both, too."""

    def both(talk: Talk) -> Iterator[Step]:
        if talk.agent:
            yield from tried
            yield say("the fork is done")
        else:
            yield call("Bash", command=f"echo {SEEN}")
            yield fork(**given)
            yield say("all done")

    played = lab.play([], "--append-system-prompt", SHARED, *words, prompt=SAID, agents={SHARED: both})
    asked = played.model.of(SHARED)
    return played, [one for one in asked if not one.agent], [one for one in asked if one.agent]


def knows(asked: Asked) -> str:
    """Say what a request holds of what was said and seen before."""
    heard = json.dumps(asked.request["messages"])
    return " and ".join(name for name, text in (("said", SAID), ("seen", SEEN)) if text in heard) or "nothing"


@probe(
    question="What does a fork know?",
    claim='A fork (`subagent_type: "fork"`) has the whole conversation so far, its system prompt and its tools; '
    "another agent knows nothing of the conversation but its own prompt.",
    expected="fork: knows what was said and seen, the same system prompt, the same tools; other agent: knows "
    "nothing",
)
def fork_knows(lab: Lab) -> str:
    """Compare a fork's first request with the main conversation's, and with another agent's."""
    other = waited("other", subagent_type="general-purpose")
    played, mains, forks = play_fork(lab, other)
    first, forked = mains[0].request, forks[0].request
    # The first block is a header for accounts, which says whether a sub-agent asks.
    prompt = "the same" if forked["system"][1:] == first["system"][1:] else "another"
    tools = "the same" if forked["tools"] == first["tools"] else "other"
    stranger = next(one for one in played.model.asked if one.agent and one.role != SHARED)
    return (f"fork: knows what was {knows(forks[0])}, {prompt} system prompt, {tools} tools; "
            f"other agent: knows {knows(stranger)}")  # fmt: skip


@probe(
    question="Can a fork start agents?",
    claim="A fork cannot fork again, though it is offered the tool; it can start agents of other types.",
    expected="fork: refused; general-purpose: started",
)
def fork_of_fork(lab: Lab) -> str:
    """Let a fork start a fork, then another agent."""
    other = waited("other", subagent_type="general-purpose")
    _, _, forks = play_fork(lab, fork(prompt="again"), other)
    again, plain, *_ = (fork.talk.result for fork in forks[1:])
    refused = "refused" if "not available inside a forked worker" in again else "started"
    return f"fork: {refused}; general-purpose: {'started' if 'hand-back' in plain else 'refused'}"


@probe(
    question="Which model and effort has a fork?",
    claim="A fork has the model and the effort of the conversation it goes on from, also where its call asks for "
    "others.",
    expected="sonnet xhigh, asked for haiku low: sonnet xhigh",
)
def fork_model(lab: Lab) -> str:
    """Fork with another model and effort in the call, and without."""
    seen = []
    for given in ({}, {"model": "haiku", "effort": "low"}):
        _, _, forks = play_fork(lab, words=("--model", "sonnet", "--effort", "xhigh"), **given)
        request = forks[0].request
        family = next(name for name in ("haiku", "sonnet", "opus") if name in request["model"])
        seen.append(f"{family} {request['output_config']['effort']}")
    return f"{seen[0]}, asked for haiku low: {seen[1]}"


@probe(
    question="Is a skill with `context: fork` a fork?",
    claim="A skill with `context: fork` is no fork in this sense: its agent gets the skill's text, and "
    "nothing of the conversation.",
    expected="knows nothing, has the skill's text",
)
def fork_skill(lab: Lab) -> str:
    """Let the main conversation use a skill that is to run apart."""
    text = "Look for quinces."
    lab.write_skill("go", text, {"context": "fork"}, plugin=True)
    played = lab.play(
        [call("Bash", command=f"echo {SEEN}"), call("Skill", skill="probe:go"), say("done")], prompt=SAID
    )
    asked = next(one for one in played.model.asked if one.agent)
    has = "has" if text in json.dumps(asked.request["messages"]) else "lacks"
    return f"knows {knows(asked)}, {has} the skill's text"
