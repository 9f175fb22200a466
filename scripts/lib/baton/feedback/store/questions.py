"""The questions to the user about a pull request, their replies, and the answers: kept beside what was fetched.

Which bots they trust is kept for all pull requests of a repository.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.store.kept_files import ASK_AGAIN, read_as, write_as
from baton.journal import index
from baton.journal.events import Said
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.rules.engine import advice_words
from baton.text import quoted

MOST_SHOWN = 40  # lines of evidence
BOTS_FILE = "trusted-bots.json"
TRUST_OPTIONS = {
    "trust": "trusts those of whom nothing is known: people on this pull request, bots in this repository",
    "leave": "leaves them out, as before",
}


class Question(NamedTuple):
    """An open question: the row that stopped, why, and what each option does; `about` tells it from others."""

    rule: str
    about: str
    reason: str
    question: str
    options: Mapping[str, str]
    then: str = "land"  # what is called when it is answered
    evidence: str = ""  # what a program printed, or the files it is about: data, never an instruction
    advice: str = ""  # the option that is recommended, and why

    def data(self, number: int) -> dict[str, Any]:
        """Return it for JSON: all the user needs to answer it."""
        return {
            "pr": number, "rule": self.rule, "reason": self.reason, "question": self.question,
            **({"advice": self.advice} if self.advice else {}),
            **({"evidence": self.evidence} if self.evidence else {}),
            "options": [{"id": name, "does": does} for name, does in self.options.items()],
            "answer_with": self.answer_with(number),
        }  # fmt: skip

    @property
    def shown(self) -> list[str]:
        """The evidence as the user sees it."""
        evidence = self.evidence.split("\n")
        more = (
            f" (the first {MOST_SHOWN} lines of {len(evidence)}: --json has all)"
            if len(evidence) > MOST_SHOWN
            else ""
        )
        return [quoted(f"what there is to see{more}", "\n".join(evidence[:MOST_SHOWN]))] if self.evidence else []

    @property
    def choices(self) -> list[str]:
        """The question itself below what is recommended, and its options."""
        advice = [f"ADVICE {advice_words(self.advice)}"] if self.advice else []
        options = (f"OPTION {name}: {does}" for name, does in self.options.items())
        return [*advice, f"QUESTION {self.question}", *options]

    @property
    def key(self) -> str:
        """The key under which its answer is kept."""
        return f"{self.rule} {self.about}"

    def answer_with(self, number: int) -> str:
        """Return the call that answers it."""
        return f"baton answer pr-{number} OPTION"


class KeptAnswers(NamedTuple):
    """The answers as they are kept; those to questions by the rule that asked, and what it asked about."""

    open: Question | None = None  # it waits for an answer
    given: Mapping[str, str] = {}  # the chosen options
    notes: Mapping[str, str] = {}  # what came with them
    said: Mapping[str, Mapping[str, str]] = {}  # how the user said so, and in which words
    trusted: Mapping[str, int] = {}  # the people trusted here: their logins in small letters, their accounts
    ignored: Mapping[str, str] = {}  # the items that ask for nothing, and when each was last changed then
    wanted: Mapping[str, str] = {}  # the items to be worked on, in the same way
    decisions: Mapping[str, Question] = {}  # what resolvers ask the user, by item, until a round settles it


class Answers:
    """The questions and answers about one pull request."""

    def __init__(self, project: Project, folder: Path) -> None:
        self._project = project
        self._path = folder / "answers.json"
        self.kept = read_as(project, self._path, KeptAnswers, ASK_AGAIN) or KeptAnswers()

    @property
    def open(self) -> Question | None:
        """The question that waits for an answer."""
        return self.kept.open

    def given(self, rule: str, about: str) -> str:
        """Return the chosen option; empty if none was."""
        return self.kept.given.get(f"{rule} {about}", "")

    def note(self, rule: str, about: str) -> str:
        """Return the note that came with an answer."""
        return self.kept.notes.get(f"{rule} {about}", "")

    def trust(self, accounts: Mapping[str, int], word: Mapping[str, str]) -> None:
        """Trust these accounts; `word` is how the user said so, and in which words."""
        words = {**self.kept.said, f"trust {', '.join(accounts)}": word}
        self._keep(self.kept._replace(trusted={**self.kept.trusted, **accounts}, said=words))

    def ignore(self, items: Mapping[str, str]) -> None:
        """Remember that items ask for nothing, as the user says; with the time each was last changed."""
        if items:
            kept = self.kept
            self._keep(kept._replace(ignored={**kept.ignored, **items}, wanted=_without(kept.wanted, items)))

    def want(self, items: Mapping[str, str]) -> None:
        """Remember that items are to be worked on, as the user says; with the time each was last changed."""
        if items:
            kept = self.kept
            self._keep(kept._replace(wanted={**kept.wanted, **items}, ignored=_without(kept.ignored, items)))

    def keep_decisions(self, decisions: Mapping[str, Question]) -> None:
        """Keep the decisions resolvers ask the user for, in place of those kept before."""
        self._keep(self.kept._replace(decisions=decisions))

    def ask(self, question: Question) -> None:
        """Leave a question open, in place of another; one that an earlier version asked without advice stays."""
        if self.open and self.open._replace(advice=question.advice) == question:
            return
        self._keep(self.kept._replace(open=question))

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
        asked, kept = self.check(option), self.kept
        key = asked.key
        given, notes, words = {**kept.given, key: option}, {**kept.notes, key: note}, {**kept.said, key: word}
        self._keep(kept._replace(open=None, given=given, notes=notes, said=words))
        return asked

    def _keep(self, answers: KeptAnswers) -> None:
        if answers == self.kept:  # asked again: the file stays as it was written
            return
        self.kept = answers
        write_as(self._project, self._path, answers)


def _without(judged: Mapping[str, str], items: Collection[str]) -> dict[str, str]:
    """Return a list of items without these: the last word on an item counts."""
    return {item: at for item, at in judged.items() if item not in items}


class TrustedBots(NamedTuple):
    """The bots the user trusts in a repository: their logins in small letters, without `[bot]`, their accounts."""

    trusted: Mapping[str, int] = {}
    said: Mapping[str, Mapping[str, str]] = {}  # how the user said so, and in which words, by login


def load_trusted_bots(project: Project, folder: Path) -> TrustedBots:
    """Return the bots trusted in the repository of a pull request, whose folder this is."""
    return read_as(project, folder.parent / BOTS_FILE, TrustedBots, ASK_AGAIN) or TrustedBots()


def trust_bots(project: Project, folder: Path, bots: Mapping[str, int], word: Mapping[str, str]) -> None:
    """Trust these as well; `word` is how the user said so, and in which words."""
    with hold_lock(folder.parent / "trusted-bots.lock", f"trusting {', '.join(bots)}"):
        known = load_trusted_bots(project, folder)
        words = {**known.said, **dict.fromkeys(bots, word)}
        write_as(project, folder.parent / BOTS_FILE, TrustedBots({**known.trusted, **bots}, words))


class KeptReplies(NamedTuple):
    """The replies to one question as they are kept, and where it was shown."""

    question: str = ""
    shown: tuple[str, ...] = ()  # the sessions of the client in which it was
    said: tuple[Said, ...] = ()  # the user's replies to it
    people: tuple[str, ...] = ()  # the accounts, bots too, that the user was last asked whether to trust


class QuestionReplies:
    """The open question of a pull request, with the replies to it: they are gone with it."""

    def __init__(self, project: Project, folder: Path) -> None:
        self._project = project
        self._path = folder / "words.json"
        asked = Answers(project, folder).open
        self.question = asked.key if asked else ""
        self.text = asked.question if asked else ""
        kept = read_as(project, self._path, KeptReplies, ASK_AGAIN) or KeptReplies()
        of_this = kept.question == self.question
        self.kept = kept if of_this else KeptReplies(self.question, people=kept.people)
        # Whether to trust somebody is open beside every other question, once it was shown.
        self.options = {**(TRUST_OPTIONS if kept.people else {}), **(asked.options if asked else {})}

    def show(self, session: str, people: Collection[str] = ()) -> None:
        """Note that it is shown in a session; `people`: the accounts it asks the user to trust as well.

        If they are others than before, earlier replies are dropped.
        """
        kept, state = self.kept, self._project.state
        asked = tuple(sorted(people or kept.people))
        heard = kept.said if {*asked} == {*kept.people} else ()
        shown = tuple(dict.fromkeys([*kept.shown, *filter(None, [session])]))
        self._keep(kept._replace(shown=shown, said=heard, people=asked))
        index.add_line(str(state), index.SESSIONS, session, self._path.parent.relative_to(state).as_posix())

    def hear(self, reply: Said) -> None:
        """Note a reply of the user's."""
        self._keep(self.kept._replace(said=(*self.kept.said, reply)))

    def forget(self) -> None:
        """Drop the replies: they are used up."""
        self._keep(KeptReplies())

    def _keep(self, replies: KeptReplies) -> None:
        self.kept = replies
        write_as(self._project, self._path, replies)


def note_shown(project: Project, folder: Path, session: str, people: Collection[str] = ()) -> None:
    """Note that the open questions about a pull request are shown to the user, in this session of the client."""
    with hold_lock(folder / "lock", f"showing the question of pr-{folder.name}"):
        QuestionReplies(project, folder).show(session, people)


def note_said(project: Project, folder: Path, reply: Said, question: str) -> None:
    """Note the user's reply, unless its question is no longer the open one."""
    with hold_lock(folder / "lock", f"hearing the answer to pr-{folder.name}"):
        replies = QuestionReplies(project, folder)
        if replies.question == question and reply not in replies.kept.said:
            replies.hear(reply)
