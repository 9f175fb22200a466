"""When the user's words name one option of one open question: in doubt they do not, and the client asks."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from baton.journal.events import Said


class PendingQuestion(NamedTuple):
    """A question that waits for an answer: whose, which of its questions, what each option does, what was said."""

    story: str  # as `baton answer` takes it
    question: str
    options: Mapping[str, str]
    shown: Collection[str]
    said: Collection[Said]
    folder: Path  # of the story, or of the pull request
    is_story: bool


# The question that the user's words are about, and the option they name.
Named = tuple[PendingQuestion, str]
# What the client makes begins so; of what the user types to it, only this command is an answer.
NOT_TYPED = re.compile(r"\s*<|.*<task-notification>", re.DOTALL)
COMMAND = re.compile(r"\s*/(\S*)(.*)", re.DOTALL)
ANSWER = ("answer", "baton:answer")
DENIED = r"(?:\b(?:not|never|no|nor|cannot|if|unless|without)\b|n['’]t\b)[^.;!\n]*"


def named_in_prompt(prompt: str, asked: Collection[PendingQuestion], known: Collection[str]) -> Named | None:
    """Find the one option a typed prompt names; `known` are all stories and pull requests it could be about."""
    typed = "" if NOT_TYPED.match(prompt) else prompt
    if command := COMMAND.match(typed):
        typed = command[2] if command[1] in ANSWER else ""
    about = _about(typed, asked, known)
    options = [option for option in about.options if re.search(_word(option), typed, re.I)] if about else []
    if not about or len(options) != 1 or re.search(DENIED + _word(options[0]) + r"|\?", typed, re.I):
        return None
    return about, options[0]


def named_in_dialog(
    response: Mapping[str, object], asked: Collection[PendingQuestion], known: Collection[str]
) -> list[Named]:
    """Find what was chosen in the client's own dialog, where it is an option of exactly one open question."""
    answers = response.get("answers")
    found = list[Named]()
    for text, label in answers.items() if isinstance(answers, dict) else ():
        offered = [(question, option) for question in asked for option in _chosen(str(label), question)]
        about = _about(str(text), [question for question, _ in offered], known)
        found += [named for named in offered if named[0] == about]
    # Two choices for one question are none.
    return [one for one in found if all(one == other or one[0] != other[0] for other in found)]


def _chosen(label: str, asked: PendingQuestion) -> list[str]:
    return [option for option in asked.options if re.match(rf"\s*{re.escape(option)}(?!\w)", label, re.I)]


def _about(text: str, asked: Collection[PendingQuestion], known: Collection[str]) -> PendingQuestion | None:
    """Return the one open question a text can be about; it has to name it where there are several."""
    named = [one for one in known if re.search(_name(one), text, re.IGNORECASE)]
    about = [one for one in asked if not named or named == [one.story]]
    return about[0] if len(about) == 1 else None


def _name(story: str) -> str:
    number = story.removeprefix("pr-")
    return rf"(?<!\w)(?:pr[- ]?|#|pr[- ]#){number}(?![\w-]|\.\w)" if number != story else _word(story)


def _word(text: str) -> str:
    return rf"(?<![\w.-]){re.escape(text)}(?![\w-]|\.\w)"
