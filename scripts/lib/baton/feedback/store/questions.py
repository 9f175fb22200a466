"""The questions to the user about a pull request, and the answers: kept beside what was fetched.

Which bots they trust is kept for all pull requests of a repository.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.store.kept_files import ASK_AGAIN, read_kept, write_answers
from baton.feedback.text.quote import quoted
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.story.ask.answer_source import answer_lines

MOST_SHOWN = 40  # lines of evidence
# What an answer is added to.
OBJECTS = ("given", "notes", "said", "trusted", "ignored", "wanted", "decisions")


class Question(NamedTuple):
    """An open question: the row that stopped, why, and what each option does; `about` tells it from others."""

    rule: str
    about: str
    reason: str
    question: str
    options: Mapping[str, str]
    then: str = "land"  # what is called when it is answered
    evidence: str = ""  # what a program printed, or the files it is about: data, never an instruction

    def data(self, number: int) -> dict[str, Any]:
        """Return it for JSON: all the user needs to answer it."""
        return {
            "pr": number, "rule": self.rule, "reason": self.reason, "question": self.question,
            **({"evidence": self.evidence} if self.evidence else {}),
            "options": [{"id": name, "does": does} for name, does in self.options.items()],
            "answer_with": f"baton answer pr-{number} OPTION",
        }  # fmt: skip

    def lines(self, number: int) -> list[str]:
        """Return it as text for the user."""
        evidence = self.evidence.split("\n")
        more = (
            f" (the first {MOST_SHOWN} lines of {len(evidence)}: --json has all)"
            if len(evidence) > MOST_SHOWN
            else ""
        )
        shown = [quoted(f"what there is to see{more}", "\n".join(evidence[:MOST_SHOWN]))] if self.evidence else []
        return ["DO ask", f"WHY {self.rule}: {self.reason}", *shown, *self.choices, *self.answered_by(number)]

    @property
    def choices(self) -> list[str]:
        """The question itself with its options."""
        return [f"QUESTION {self.question}", *(f"OPTION {name}: {does}" for name, does in self.options.items())]

    def answered_by(self, number: int) -> list[str]:
        """Say how it is answered."""
        return answer_lines(f"baton answer pr-{number} OPTION")

    def to_data(self) -> dict[str, Any]:
        """Return it as it is kept."""
        return {**self._asdict(), "options": dict(self.options)}


class Answers:
    """The questions and answers about one pull request."""

    def __init__(self, project: Project, folder: Path) -> None:
        self._project = project
        self._path = folder / "answers.json"
        self._known = read_kept(project, self._path, _known, ASK_AGAIN) or {}

    @property
    def open(self) -> Question | None:
        """The question that waits for an answer."""
        asked = self._known.get("open")
        return Question(**asked) if asked else None

    def given(self, rule: str, about: str) -> str:
        """Return the chosen option; empty if none was."""
        return str(self._known.get("given", {}).get(f"{rule} {about}", ""))

    def note(self, rule: str, about: str) -> str:
        """Return the note that came with an answer."""
        return str(self._known.get("notes", {}).get(f"{rule} {about}", ""))

    @property
    def trusted(self) -> Mapping[str, int]:
        """The people the user trusts here, by login in small letters, with the numbers of their accounts."""
        known: dict[str, int] = self._known.get("trusted", {})
        return known

    def trust(self, accounts: Mapping[str, int], word: Mapping[str, str]) -> None:
        """Trust these accounts; `word` is how the user said so, and in which words."""
        words = {**self._known.get("said", {}), f"trust {', '.join(accounts)}": dict(word)}
        self._write({**self._known, "trusted": {**self.trusted, **accounts}, "said": words})

    @property
    def ignored(self) -> Mapping[str, str]:
        """The items that the user says ask for nothing, each with the time it was last changed then."""
        known: dict[str, str] = self._known.get("ignored", {})
        return known

    def ignore(self, items: Mapping[str, str]) -> None:
        """Remember that items ask for nothing, as the user says; with the time each was last changed."""
        self._judge("ignored", "wanted", items)

    @property
    def wanted(self) -> Mapping[str, str]:
        """The items that the user wants worked on, each with the time it was last changed then."""
        known: dict[str, str] = self._known.get("wanted", {})
        return known

    def want(self, items: Mapping[str, str]) -> None:
        """Remember that items are to be worked on, as the user says; with the time each was last changed."""
        self._judge("wanted", "ignored", items)

    def _judge(self, name: str, other: str, items: Mapping[str, str]) -> None:
        """Put items on one of two lists, and take them off the other: the last word on an item counts."""
        if items:
            rest = {item: at for item, at in self._known.get(other, {}).items() if item not in items}
            self._write({**self._known, name: {**self._known.get(name, {}), **items}, other: rest})

    @property
    def decisions(self) -> Mapping[str, Question]:
        """The decisions resolvers asked the user for, by item, that no round has settled since."""
        return {item: Question(**decision) for item, decision in self._known.get("decisions", {}).items()}

    def keep_decisions(self, decisions: Mapping[str, Question]) -> None:
        """Keep the decisions resolvers ask the user for, in place of those kept before."""
        self._write(
            {**self._known, "decisions": {item: question.to_data() for item, question in decisions.items()}}
        )

    def ask(self, question: Question) -> None:
        """Leave a question open, in place of another."""
        self._write({**self._known, "open": question.to_data()})

    def check(self, option: str) -> Question:
        """Return the open question; a BatonError when there is none, or this is none of its options."""
        asked = self.open
        if asked is None or option not in asked.options:
            options = ", ".join(asked.options) if asked else ""
            remedy = f"one of: {options}" if asked else "`baton pr fetch` says where it stands"
            what = f"{option[:80]!r} is none of the options" if asked else "no question is open"
            raise BatonError(what, str(self._path.parent), remedy)
        return asked

    def answer(self, option: str, note: str, word: Mapping[str, str]) -> Question:
        """Answer the open question, and return it; `word` is how the user said so, and in which words."""
        asked = self.check(option)
        key = f"{asked.rule} {asked.about}"
        given = {**self._known.get("given", {}), key: option}
        kept = {name: value for name, value in self._known.items() if name != "open"}
        notes = {**self._known.get("notes", {}), key: note}
        self._write(
            {**kept, "given": given, "notes": notes, "said": {**self._known.get("said", {}), key: dict(word)}}
        )
        return asked

    def _write(self, known: dict[str, Any]) -> None:
        self._known = known
        write_answers(self._project, self._path, known)


def _known(value: dict[str, Any]) -> dict[str, Any]:
    for decision in filter(None, [value.get("open"), *value.get("decisions", {}).values()]):
        dict(Question(**decision).options)
    return {**value, **{name: dict(value[name]) for name in OBJECTS if name in value}}


class TrustedBots(NamedTuple):
    """The bots that are trusted in one repository; `folder` holds its pull requests."""

    project: Project
    folder: Path

    @property
    def numbers(self) -> Mapping[str, int]:
        """Their accounts: the login in small letters, without `[bot]`, and its number."""
        return dict(self._known()["trusted"])

    def trust(self, bots: Mapping[str, int], word: Mapping[str, str]) -> None:
        """Trust these as well; `word` is how the user said so, and in which words."""
        with hold_lock(self.folder / "trusted-bots.lock", f"trusting {', '.join(bots)}"):
            known = self._known()
            words = {**known["said"], **{name: dict(word) for name in bots}}
            write_answers(self.project, self._path, {"trusted": {**known["trusted"], **bots}, "said": words})

    @property
    def _path(self) -> Path:
        return self.folder / "trusted-bots.json"

    def _known(self) -> dict[str, Any]:
        return read_kept(self.project, self._path, _checked, ASK_AGAIN) or {"trusted": {}, "said": {}}


def _checked(value: Any) -> dict[str, Any]:
    trusted = {str(name): int(number) for name, number in value["trusted"].items()}
    return {"trusted": trusted, "said": dict(value["said"])}
