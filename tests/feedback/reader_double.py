"""A stand-in for the agent that reads what was said: it hands in what a test wrote down, by the real verbs."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bench import Bench, CallResult, call

HEADING = re.compile(r"┌ (t\d+) (inline|review|comment)")
READER = re.compile(r"^PROMPT Reading (\S+):", re.M)
# What a text says, by words that stand in it.
Script = Mapping[str, dict[str, Any]]


def finding(quote: str, category: str = "correctness", **more: Any) -> dict[str, Any]:
    """Return a finding as a reader hands it in."""
    return {"quote": quote, "category": category, **more}


def actionable(*findings: dict[str, Any]) -> dict[str, Any]:
    """Return what is handed in of a text that asks for something."""
    return {"says": "actionable", "findings": list(findings)}


IGNORE = {"says": "ignore"}


def not_reviewed(quote: str) -> dict[str, Any]:
    """Return what is handed in of a bot's text that says that it did not review."""
    return {"says": "not-reviewed", "quote": quote}


def texts_in(brief: str) -> Iterator[tuple[str, str]]:
    """Return the texts of a brief, each by its id, as they were written."""
    for block in re.split(r"^└$", brief, flags=re.M):
        if found := HEADING.search(block):
            lines = block[found.end() :].split("\n")[1:]
            words = "\n".join(line.removeprefix("│").removeprefix(" ") for line in lines)
            yield found[1], words.strip("\n")


def read_of(text: str, script: Script) -> dict[str, Any]:
    """Return what a script says of a text; else that its first words ask for something."""
    known = next((entry for words, entry in script.items() if words in text), None)
    first = next((line.strip()[:200] for line in text.split("\n") if re.search(r"\w", line)), text.strip())
    return known or actionable(finding(first))


def brief_of(bench: Bench, name: str) -> str:
    """Return the brief of a reader, all parts of it."""
    brief = bench.baton("begin", name).out
    while more := re.search(rf"baton begin {name} --part (\d+)\n\Z", brief):
        brief += bench.baton("begin", name, "--part", more[1]).out
    return brief


def hand_in(
    bench: Bench, name: str, *entries: dict[str, Any], known: Mapping[str, str] | None = None
) -> CallResult:
    """Hand a reading in: an entry for each text, in their order."""
    texts = [{"id": f"t{number}", **entry} for number, entry in enumerate(entries, 1)]
    value = {"reading": name, "texts": texts, **({"known": known} if known else {})}
    words = ("hand-in", name.partition("-")[0].replace("pr", "pr-"), "feedback-reading", "--run", name)
    return call("--project", str(bench.root), *words, stdin=json.dumps(value))


def read_by_script(bench: Bench, name: str, script: Script) -> None:
    """Be a reader: begin, and hand in what a script says, a second time where it is doubted."""
    entries = [read_of(text, script) for _, text in texts_in(brief_of(bench, name))]
    said = hand_in(bench, name, *entries)
    if said.code == 1:
        said = hand_in(bench, name, *entries)
    assert said.code == 0, said.out + said.err
