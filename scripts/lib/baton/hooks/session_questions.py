"""The questions a session has for the user, and their answers: of stories and of pull requests alike.

Before a tool's call it is only read, and that needs the standard library alone.
"""

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from baton.bootstrap import HOOKS
from baton.errors import BatonError
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.questions import TRUST_OPTIONS, QuestionReplies
from baton.feedback.store.questions import note_said as note_said_of_pull
from baton.git.command import find_project
from baton.hooks.calls import ALLOW, Event, ask, ask_with, deny, is_option, option_values
from baton.journal import index
from baton.journal.events import Said
from baton.journal.journal import Journal
from baton.journal.paths import PULL_REQUEST, PULLS_FOLDER, Project
from baton.journal.permit import STAYS_OPEN, Permit, leave_permit
from baton.journal.state import fold
from baton.text import one_line

PULL_FOLDER = re.compile(rf"{re.escape(PULLS_FOLDER)}(?:/(?!\.\.?(?:/|\Z))[^/]+){{4}}\Z")
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
TAKES_A_VALUE = "--note"
# What may follow an option that the user typed in place of choosing it: what is kept as their words.
AFTER_OPTION = r"(?:[,:]\s|[.!]?\Z)"
# How many options the client's dialog has at most, and how much longer than it is a question may be written.
MOST_OPTIONS, SPACES = 4, 8
DIALOG_KEYS, OPTION_KEYS = {"question", "header", "options", "multiSelect"}, {"label", "description"}


class PendingQuestion(NamedTuple):
    """A question that waits for an answer: whose, which of its questions, its text, what each option does."""

    story: str  # as `baton answer` takes it
    question: str
    text: str
    options: Mapping[str, str]
    shown: Collection[str]
    said: Collection[Said]
    folder: Path  # of the story, or of the pull request
    is_story: bool


def decide_answer(event: Event, arguments: list[str]) -> str:
    """Allow an answer that is on record as the user's word; else have the client ask them for it."""
    named = _positional(arguments)
    if "--help" in arguments:
        return ALLOW
    if named is None:
        return ask("an answer is yours to allow")
    story, option = named
    try:
        project = find_project(Path(str(event.get("cwd") or ".")))
        question = _find_question(project, story)
    except (BatonError, OSError) as error:
        return ask(f"answer story {ascii(story)[1:-1]} with `{ascii(option)[1:-1]}`? ({error})")
    # What cannot be taken is refused by the program, which says why.
    if question is None or option not in question.options or any(word.option == option for word in question.said):
        return ALLOW
    does = ascii(question.options[option])[1:-1]
    reason = f"answer {story} with `{option}`, which {does}? You have not said so in this session"
    return ask_for_call(event, f"answer {story} {option}", reason, question.question)


def ask_for_call(event: Event, call: str, reason: str, question: str = "") -> str:
    """Have the client ask the user about a call, and leave a permit that holds for it alone.

    A shell of the client's gets none: it would be the model that asks, and answers.
    """
    if HOOKS in os.environ:
        return ask(reason)
    token = os.urandom(16).hex()
    try:
        project = find_project(Path(str(event.get("cwd") or ".")))
        leave_permit(project, Permit(str(event.get("session_id") or ""), call, question), token)
    except (BatonError, OSError):
        return ask(reason)
    return ask_with(event, token, reason)


def ask_for_triage(event: Event, arguments: list[str]) -> str:
    """Have the client ask the user whether the commit they were shown goes into memory, or is rejected."""
    seen = [*option_values(arguments, "--seen")]
    if any(is_option(argument, "--accept") for argument in arguments):
        if len(seen) != 1 or not COMMIT.fullmatch(seen[0]):
            return deny(
                "name the commit whose diff was shown: `--seen COMMIT`, as `baton memory triage ID` prints it"
            )
        reason = f"lands commit {seen[0]} in what every session reads; its diff was shown to you: yours to accept"
        return ask_for_call(event, f"memory triage --accept {seen[0]}", reason)
    if any(is_option(argument, "--reject") for argument in arguments):
        reason = (
            "rejects what a story taught; its draft, and what you edited in its tree, are removed: yours to reject"
        )
        return ask_for_call(event, "memory triage --reject", reason)
    return ask("this has one run of Claude Code draft what goes into memory, for a dollar at most: yours to allow")


def _positional(arguments: list[str]) -> tuple[str, str] | None:
    """Return story and option of an answer's arguments; None where they cannot be told for certain."""
    left, words = list(arguments), []
    while left:
        word = left.pop(0)
        if word == TAKES_A_VALUE and left:
            left.pop(0)
        elif not word.startswith("-"):
            words.append(word)
        elif word != "--json" and not word.startswith(f"{TAKES_A_VALUE}="):
            return None
    return (words[0], words[1]) if len(words) == 2 else None


def _find_question(project: Project, name: str) -> PendingQuestion | None:
    """Find the open question of a story or a pull request."""
    if name in project.story_ids():
        return _story_question(project, name)
    pull = PULL_REQUEST.match(name)
    return _pull_question(project, find_folder(project, int(pull[1]))) if pull else None


def _story_question(project: Project, name: str) -> PendingQuestion | None:
    path = project.journal(name)
    state = fold(Journal(path).records)
    if state.question is None:
        return None
    text = state.question.text
    does = {option["id"]: option["does"] for option in text.get("options", ())}
    options = {option: str(does.get(option, "")) for option in state.question.answers}
    about = (name, str(state.asked_seq), str(text.get("question", "")), options)
    return PendingQuestion(*about, state.shown, state.said, path.parent, True)


def _pull_question(project: Project, folder: Path) -> PendingQuestion | None:
    replies = QuestionReplies(project, folder)
    question, heard = (replies.question, replies.text, replies.options), (replies.kept.shown, replies.kept.said)
    return PendingQuestion(f"pr-{folder.name}", *question, *heard, folder, False) if replies.options else None


def hear_dialog(project: Project, payload: Mapping[str, Any]) -> None:
    """Note what the user chose where the client's own dialog put a question to them as it is."""
    for question in _shown_to(project, payload):
        if choice := chosen_in_dialog(payload, question):
            _note_answer(project, payload, question, *choice)


def chosen_in_dialog(payload: Mapping[str, Any], asked: PendingQuestion) -> tuple[str, str] | None:
    """Return the option a dialog's answer names, and the answer; None where the dialog asked anything else."""
    try:
        [dialog] = payload["tool_input"]["questions"]
        answer = str(payload["tool_response"]["answers"][dialog["question"]]).strip()
        if not _is_as_asked(dialog, asked):
            return None
    except (KeyError, TypeError, AttributeError, ValueError):
        return None
    # Who types another option's name too may have meant that one.
    named = [option for option in asked.options if _is_named(option, answer)]
    return (named[0], answer) if len(named) == 1 and re.match(re.escape(named[0]) + AFTER_OPTION, answer) else None


def _is_named(option: str, answer: str) -> bool:
    """Whether an answer names an option; one of a single letter before another word is an article."""
    article = r"|\s+\w" if len(option) == 1 else ""
    return bool(re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-]{article})", answer))


def _is_as_asked(dialog: Mapping[str, Any], asked: PendingQuestion) -> bool:
    """Whether a dialog shows the question, its options, and nothing beside them."""
    offered = [(entry["label"], one_line(entry["description"])) for entry in dialog["options"]]
    options = [(option, one_line(does)) for option, does in asked.options.items()]
    more = [
        *dialog.keys() - DIALOG_KEYS,
        *(key for entry in dialog["options"] for key in entry.keys() - OPTION_KEYS),
    ]
    wanted = one_line(f"{asked.story}: {asked.text}")
    as_asked = one_line(dialog["question"]) == wanted and len(dialog["question"]) < len(wanted) + SPACES
    # Whom to trust is open beside each question of a pull request, and asked by itself.
    whole = len({*offered} & {*options}) >= min(MOST_OPTIONS, len({*options} - {*TRUST_OPTIONS.items()}))
    known = all(option in [STAYS_OPEN, *options] for option in offered)
    alone = not more and dialog.get("header") == "baton" and not dialog.get("multiSelect")
    return as_asked and whole and known and alone


def _shown_to(project: Project, payload: Mapping[str, Any]) -> list[PendingQuestion]:
    """Return the open questions that the user of this session was shown; none in a session of an agent's."""
    if payload.get("agent_id") or payload.get("agent_type"):
        return []
    session = str(payload.get("session_id") or "")
    names = index.find_words(str(project.state), index.SESSIONS, session)
    questions = [_story_question(project, name) for name in names if project.is_story(name)]
    questions += [_pull_question(project, project.state / name) for name in names if PULL_FOLDER.match(name)]
    return [question for question in questions if question and session in question.shown]


def _note_answer(
    project: Project, payload: Mapping[str, Any], question: PendingQuestion, option: str, words: str
) -> None:
    from baton.story.ask.answer_source import LENGTH, note_said  # before a tool's call nothing is noted

    answer = Said(str(payload["session_id"]), "dialog", option, words[:LENGTH])
    if question.is_story:
        note_said(project, question.story, answer, int(question.question))
    else:
        note_said_of_pull(project, question.folder, answer, question.question)
