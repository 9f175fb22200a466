"""The conversation the user reads: an orchestrator that knows nothing but the skill."""

import re
from collections.abc import Iterator

from baton_lab.scripted_client.script import Call, Say, Step, Talk, call, say, texts

LATER = {"label": "later", "description": "leaves it open"}
DO = r"^DO (\w+)"


def orchestrate(talk: Talk) -> Iterator[Step]:
    """Do what `skills/implement` says, and nothing else."""
    given = arguments(talk)
    yield call("Bash", command=f"baton start - <<'END-OF-ARGUMENTS'\n{given}\nEND-OF-ARGUMENTS")
    story, sent = talk.find(r"^THEN baton (?:next|answer) (\S+)") or given.split()[0], ""
    while True:
        action = talk.find(DO)
        if action == "spawn":
            sent = talk.find(r"^PROMPT (.+)$") or ""
            agent = talk.find(r"^DO spawn (\S+)$")
            label = talk.find(r"^LABEL (.+)$")
            yield call("Agent", description=label, prompt=sent, subagent_type=agent)
            yield say("sent out")
        elif action == "feedback":
            from client.feedback import settle  # which knows this module

            yield call("Bash", command=f"baton pr fetch {talk.find(r'^DO feedback ([0-9]+)$')}")
            yield from settle(talk)
            yield call("Bash", command=f"baton next {story}")
        elif talk.find(r"^THEN end your turn: baton wakes you"):
            yield say(f"{shown(talk)}\n\nthe story is at wait")
        elif action == "wait" and (command := talk.find(r"^THEN (baton next .+)$")):
            yield call("Bash", command=command)
        elif action == "wait":
            yield from wait_out(talk)
        elif action in ("ask", "escalate"):
            yield from consult(talk, story)
        elif action is None:
            ended = f" --ended {run_of(sent)}" if sent and talk.find("<task-notification>") else ""
            yield call("Bash", command=f"baton next {story}{ended}")
        else:
            yield say(f"{shown(talk)}\n\nthe story is at {action}: {talk.find(r'^WHY (.+)$')}")


def consult(talk: Talk, story: str) -> Iterator[Step]:
    """Show the user what baton asks, and hand on what they answer."""
    told = f"{shown(talk)}\n\nthe story is at {talk.find(DO)}: {talk.find(r'^WHY (.+)$')}"
    yield from ask_user(talk, story, told)
    yield call("Bash", command=f"baton next {story}")


def ask_user(talk: Talk, about: str, told: str) -> Iterator[Step]:
    """Ask in the client's dialog, and hand on what was chosen: an option, and all they typed after it."""
    found = re.findall(r"(?m)^OPTION ([\w-]+): (.+)$", shown(talk))
    options = [{"label": name, "description": does} for name, does in found]
    question, alone = f"{about}: {talk.find(r'^QUESTION (.+)$')}", talk.find(r"^OR (.+)$")
    asked = {
        "question": question,
        "header": "baton",
        "options": (options[1:] and options[:4]) or [*options, LATER],
        "multiSelect": False,
    }
    step: list[Call | Say] = [say(told), call("AskUserQuestion", questions=[asked])]
    yield step
    answer = re.search(r'"="([\w-]+)[\s:,]*(.*)"', talk.result)
    if not answer:
        yield say(f"{told}\n{alone}")
        return
    option, note = answer.groups()
    document = f" --note - <<'END-OF-NOTE'\n{note}\nEND-OF-NOTE" if note else ""
    yield call("Bash", command=f"baton answer {about} {option}{document}")


def wait_out(talk: Talk) -> Iterator[Step]:
    """Show the user what a run waits for; when they say that one of its `IF`s holds, do what that says."""
    ways = dict(re.findall(r"^IF (.+): (baton .+)$", shown(talk), re.MULTILINE))
    yield say(f"{shown(talk)}\n\nthe story is at wait")
    if talk.find(DO):  # woken by baton, not by the user
        return
    if command := ways.get(heard(talk)):
        yield call("Bash", command=command)


def arguments(talk: Talk) -> str:
    """What was typed after the skill's name, as the skill's text gives it."""
    found = re.search(r"<<'END-OF-ARGUMENTS'\n(.*?)\nEND-OF-ARGUMENTS\n", talk.prompt, re.DOTALL)
    assert found, talk.prompt
    return found[1]


def shown(talk: Talk) -> str:
    """The step baton printed, or a hook gave, whole."""
    return talk.find(r"(?s)^DO .*?(?=\n<|\Z)") or ""


def heard(talk: Talk) -> str:
    """What the user typed last."""
    said = [text for one in talk.fresh if one["role"] == "user" for text in texts(one["content"])]
    return next(text.strip() for text in reversed(said) if not text.lstrip().startswith("<"))


def run_of(prompt: str) -> str:
    """The run a prompt names."""
    return prompt.split()[1].rstrip(":") if prompt else ""
