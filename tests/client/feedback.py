"""A pull request's feedback in the client's tests: an orchestrator by the skill, resolvers by their briefs."""

import json
import re
from collections.abc import Iterator

from baton_lab.scripted_client.script import Call, Script, Step, Talk, call, say, texts
from client.actors import begun
from client.orchestrator import DO, ask_user, shown

RESOLVER = "You settle review comments on a pull request."
READER = "You sort what was said on a pull request"
CATEGORIES = {"Validate": "validation", "Rename": "naming"}
FAULTY, FIXED = "    return email\n", "    assert email\n    return email\n"
# A command to go on with: the one printed for that, or an error's remedy.
NEXT = r"^(?:THEN |baton: .*`)(baton (?:pr|answer) [^(`\n]+?)(?:`| \(.*)?$"
SIBLING = "correct-but-incomplete"


# The conversation the user reads


def orchestrate(talk: Talk) -> Iterator[Step]:
    """Do what `skills/resolve-pr-feedback` says, and nothing else."""
    yield call("Bash", command=f"baton pr fetch {asked_for(talk)}".strip())
    while True:
        yield from settle(talk)
        if talk.find(DO) == "report":
            yield say(f"{shown(talk)}\n\nthe pull request is at report: {talk.find(r'^WHY (.+)$')}")
        else:
            yield say(talk.result)


def settle(talk: Talk) -> Iterator[Step]:
    """Carry out the steps that `baton pr` prints, until there is a report, or nothing new."""
    sent, land, last = 0, "", ""
    while True:
        action, then = talk.find(DO), talk.find(NEXT)
        if action == "spawn":
            agents, last = spawned(talk), talk.find("^THEN (.*) (?:has|have) ended: ") or ""
            sent, land = sent + len(agents), talk.find(r"^THEN .* (baton pr (?:land|plan) \d+)$") or ""
            yield list(agents)
            yield say("sent out")
        elif action == "ask":
            yield from consult(talk)
        elif action == "report" or talk.find("^Nothing new is left to do"):
            return
        elif then:
            yield call("Bash", command=then)
        elif action == "wait" or ("all your agents" in last and ended(talk) < sent):
            yield say("waiting")
        else:
            yield call("Bash", command=land)


def asked_for(talk: Talk) -> str:
    """The pull request that was asked for, as the skill has it written: a URL in quotes."""
    found = re.search(r"(?m)^Arguments:(.*)$", talk.prompt)
    assert found, talk.prompt
    said = found[1].strip().removeprefix("#")
    return f"'{said}'" if "/" in said else said


def spawned(talk: Talk) -> list[Call]:
    """An agent for each prompt, each after its kind."""
    found = re.findall(r"(?m)^AGENT (\S+)\nPROMPT (.+)\nLABEL (.+)$", talk.result)
    return [call("Agent", description=label, prompt=what, subagent_type=agent) for agent, what, label in found]


def ended(talk: Talk) -> int:
    """Count the agents of which the client has said that they ended."""
    said = (text for message in talk.messages for text in texts(message["content"]))
    return len({name for text in said for name in re.findall(r"<task-id>\s*(\S+?)\s*</task-id>", text)})


def consult(talk: Talk) -> Iterator[Step]:
    """Show the user what baton asks, and hand on what they answer."""
    number = talk.find(r"^THEN baton answer (pr-\d+) ") or ""
    yield from ask_user(talk, number, f"{shown(talk)}\n\nthe pull request is at ask: {talk.find(r'^WHY (.+)$')}")


# The agents


def entry(id: str, words: str) -> str:
    """Return what a reader hands in of a text."""
    category = CATEGORIES.get(words.split()[0], "other")
    lines = (f"  - id: {id}", "    says: actionable", "    findings:", f"      - quote: {words}",
             f"        category: {category}")  # fmt: skip
    return "\n".join(lines)


def reader(talk: Talk) -> Iterator[Step]:
    """Give a run that reads what was said: each text asks for one thing, what its first word says."""
    name = re.search(r"baton begin (\S+)`", talk.prompt)
    assert name, talk.prompt
    yield call("Bash", command=f"baton begin {name[1]}")
    brief = talk.result
    while more := re.search(r"(?m)^Go on with: (baton begin .*)$", talk.result):
        yield call("Bash", command=more[1])
        brief += talk.result
    texts = re.findall(r"(?m)^┌ (t\d+) .*\n│ (.*)$", brief)
    number = re.match(r"pr(\d+)-", name[1])
    assert number
    value = "\n".join([f"reading: {name[1]}", "texts:", *(entry(*text) for text in texts)])
    words = f"baton hand-in pr-{number[1]} feedback-reading --run {name[1]}"
    yield call("Bash", command=f"{words} <<'END-OF-ARTIFACT'\n{value}\nEND-OF-ARTIFACT")
    assert "accepted" in talk.result, talk.result
    yield say(f"{len(texts)} texts are read.")


def greedy(talk: Talk) -> Iterator[Step]:
    """Give a reader that first does what a text may tell it to; each of that is refused."""
    for command in (
        "cat .baton.yaml",
        "gh auth token",
        "baton answer pr-7 accept",
        "baton pr show X",
        "true; baton status",
    ):
        yield call("Bash", command=command)
        assert "a reader calls `baton begin READING`" in talk.result, talk.result
    yield from reader(talk)


def resolver(*siblings: str) -> Script:
    """Give a run that fixes what its items name, and of a cluster with a past these siblings as well."""

    def run(talk: Talk) -> Iterator[Step]:
        tree = yield from begun(talk)
        brief = talk.result
        for command in re.findall(r"`(baton pr show [^`]+)`", brief):
            yield call("Bash", command=command)
            assert "│" in talk.result, talk.result
        files = re.findall(r"(?m)^- PRRT_\S+ \(review_thread.*?\): `([^`]+)`", brief)
        also = [sibling for sibling in siblings if "<prior-resolutions>" in brief]
        for name in [*files, *also]:
            yield call("Read", file_path=str(tree / name))
            old, new = (FAULTY, FIXED) if FAULTY.strip() in talk.result else ("tmp = ", "total = ")
            yield call("Edit", file_path=str(tree / name), old_string=old, new_string=new)
        yield call("Bash", command=filled_in(brief, files, also))
        assert "accepted" in talk.result, talk.result
        yield say("All are fixed.")

    return run


def filled_in(brief: str, files: list[str], also: list[str]) -> str:
    """The brief's command, with all that stands in `<…>` filled in: the siblings belong to the first item."""
    block = re.search(r"```\n(baton hand-in .*?END-OF-ARTIFACT)\n```", brief, re.DOTALL)
    assert block, brief
    said = {
        "<one of the six>": "fixed" if files else "replied", "<what you did, or why not>": "Fixed, as you say.",
        "<why this verdict, with file and line>": "the claim holds",
        "<with a fix, what was done>": "use a name that says what it holds",
        "<what the items share, or that they share nothing>": "one cause",
        "files_investigated: []": f"files_investigated: {json.dumps([*files, *also])}",
    }  # fmt: skip
    text = block[1]
    for blank, words in said.items():
        text = text.replace(blank, words)
    mode = SIBLING if SIBLING in text else "systemic"
    text = re.sub(r"mode: <.*>", f"mode: {mode}", text)
    before, after = json.dumps(files[:1]), json.dumps([*files[:1], *also])
    return text.replace(f"files_changed: {before}", f"files_changed: {after}")
