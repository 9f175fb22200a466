"""Word the commits of a story: a subject by the project's pattern, made of what a run says it did."""

import re
import textwrap
from collections.abc import Callable
from typing import NamedTuple

from baton.artifacts.plan import read_plan
from baton.artifacts.report import QA
from baton.journal.run import Run
from baton.rules.budgets import FIX_RUNS
from baton.sanitize import SWITCHES, broken, sanitized
from baton.story.ask.question import was_accepted
from baton.story.session.session import StorySession, base_commit_of
from baton.story.session.story_files import report_of, text_of, words_of
from baton.text import one_line

# As long as `git log --oneline` shows well; a body's line is at most as long as commitlint allows, with room for
# what breaks a word that would act where a line begins.
SUBJECT_LENGTH, BODY_LENGTH = 72, 96
# The form of conventional commits, tried where a hook refuses the project's own.
CONVENTIONAL = "feat: {summary}"
TYPED = re.compile(r"[a-z]+(?:\([^()]*\))?!?: \S")


class Message(NamedTuple):
    """A commit's message, and another to try where a hook refuses it."""

    text: str
    fallback: str = ""


def story_message(story: StorySession, summary: str, body: str = "") -> Message:
    """Return the message of a commit that does what `summary` says, below it the story's title or `body`."""
    title, summary = story.state.created.title, sanitized(one_line(summary))
    rest = sanitized(body or f"Story {story.id}: {title}")
    words = {"id": sanitized(story.id), "title": sanitized(one_line(title))}
    subject = _subject(story.settings().config.subject, summary, words)
    other = ("{summary}", summary) if TYPED.match(summary) else (CONVENTIONAL, _lower(summary))
    return Message(f"{subject}\n\n{rest}", f"{_subject(*other, words)}\n\n{_wrapped(rest)}")


def _subject(pattern: str, summary: str, words: dict[str, str]) -> str:
    """Fill a pattern; what it makes too long is cut from the summary, at a word, and what both spell is broken."""
    room = SUBJECT_LENGTH - len(pattern.format(summary="", **words))
    text = one_line(summary).rstrip(".")
    short = text if len(text) <= room else textwrap.shorten(text, max(room, 20), placeholder=" …")
    return broken(one_line(pattern.format(summary=sanitized(short), **words)), SWITCHES)


def _lower(summary: str) -> str:
    """Begin a summary with a small letter, but for a name in capitals."""
    return summary if summary[1:2].isupper() else summary[:1].lower() + summary[1:]


def _wrapped(text: str) -> str:
    return sanitized("\n".join(textwrap.fill(line, BODY_LENGTH) for line in text.splitlines()))


def run_message(story: StorySession, run: Run, summary: str = "") -> Message:
    """Return the message of a run's commit: its own `summary`, else what its role and the plan tell."""
    merging, base = run.dispatched.merging, base_commit_of(story)
    if merging and story.git.contains(merging, base):
        return story_message(story, f"merge {story.settings().base}")
    return story_message(story, summary or SUMMARIES.get(run.role, _phases_closed)(story, run))


def summary_of(story: StorySession, run: Run) -> str:
    """Return what a run says it did, in the report or the metadata that ended it; nothing when it does not say."""
    return next((word.summary for word in words_of(story, run) if word.summary), "")


def message_question(run: Run) -> str:
    """Name what the user is asked where a hook refuses the message of a run's commit."""
    return f"the commit message of {run.id}"


def is_message_allowed(story: StorySession, run: Run) -> bool:
    """Whether the user has allowed a commit of this run's work whose message a hook refuses."""
    return was_accepted(story, message_question(run))


def _phases_closed(story: StorySession, run: Run) -> str:
    """Name the phases a run closed, else the one it worked on; the story's title where there is no plan."""
    phases = read_plan(text_of(story, "plan")).phases
    earlier = [other.judged.closed for other in story.state.runs if other.judged and other.id != run.id]
    closed = [phase.name for phase in phases if phase.closed][earlier[-1] if earlier else 0 :]
    open_now = [f"part of {phase.name}" for phase in phases if not phase.closed][:1]
    worked_on = ", ".join(filter(None, closed)) or "".join(open_now)
    return worked_on or FIXES.get(run.dispatched.rule, story.state.created.title)


def _verdict(story: StorySession, _: Run) -> str:
    verdict = report_of(story, QA).verdict
    return f"QA says {verdict}" if verdict else "QA"


# What a run without a phase of its own was started for.
FIXES = {"qa/fail": "fix what QA found", **dict.fromkeys(FIX_RUNS, "fix what the commands found")}
SUMMARIES: dict[str, Callable[[StorySession, Run], str]] = {"planner": lambda story, run: "plan", "qa": _verdict}
