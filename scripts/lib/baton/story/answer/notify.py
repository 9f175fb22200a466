"""The user's own command, called when a story asks something or has ended: at most once for each."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.config import CONFIG_FILE
from baton.checks.child_environment import command_environment, without_trees
from baton.checks.logged_process import run_logged
from baton.errors import BatonError
from baton.git.worktrees import other_trees
from baton.github.address import ISSUE
from baton.journal.events import EffectIntended
from baton.story.ask.question import posted_as, posted_url
from baton.story.ask.step import question_facts
from baton.story.begin.start import commands_confirmed
from baton.story.session.session import StorySession, pull_url_of
from baton.story.session.story_files import read_spec
from baton.text import clip, visible

EFFECT = "notify"
SECONDS = 30.0
# Bytes of its text, which a pipe takes before anybody reads, and characters of the reason in it.
LONGEST, REASON = 4_000, 600


class Notice(NamedTuple):
    """A call that is due: the command's line, the folder it runs in, its environment, and what it reads."""

    line: str
    folder: Path
    environment: dict[str, str]
    text: str

    def call(self) -> None:
        """Call the command, for so long and no longer; what it prints is dropped, one line says that it failed."""
        read, write = os.pipe()
        try:
            os.write(write, self.text.encode()[:LONGEST])
            os.close(write)
            words = ["sh", "-c", self.line]
            code, ended = run_logged(os.devnull, words, str(self.folder), self.environment, SECONDS, read)
        finally:
            os.close(read)
        if code:
            failed = f"did not end in {SECONDS:.0f} s" if ended == "time-out" else f"failed (exit {code})"
            print(f"baton: {BatonError(f'`notify` {failed}', CONFIG_FILE, 'call it by hand')}", file=sys.stderr)


def journal_notice(story: StorySession, ended_by: str = "") -> Notice | None:
    """Journal that the user is told of the open question, or the end, and return how; None where they were.

    Nothing is called that the user has not confirmed. `ended_by` says how a story ended.
    """
    state, question = story.state, story.state.question
    about = posted_as(state) if question else "end"
    over = state.completed or state.stage == "abandoned"
    if not (question or over) or (EFFECT, about) in state.outbox or not story.settings().config.notify:
        return None
    if not commands_confirmed(story):
        return None
    rule = question or state.completed or state.answered
    named = {
        "BATON_STORY": story.id,
        "BATON_EVENT": "question" if question else "end",
        "BATON_RULE": rule.rule if rule else "",
        "BATON_URL": posted_url(state) or pull_url_of(story) or _issue_url(story),
    }
    folder = story.project.state / story.id
    environment = command_environment(os.environ)
    kept = without_trees(environment, str(folder), other_trees(story.project.common, folder))
    notice = Notice(story.settings().config.notify, folder, {**kept, **named}, _text(story, ended_by))
    # What is killed from here on is not called again: silence is better than twice the same.
    story.note(EffectIntended(EFFECT, about, ""))
    return notice


def _issue_url(story: StorySession) -> str:
    with suppress(BatonError):  # its file is gone
        source = read_spec(story).source
        return source if ISSUE.match(source) else ""
    return ""


def _text(story: StorySession, ended_by: str) -> str:
    """Return what the command reads: the story, why, and what can be answered."""
    lines = [f"Story {story.id}: {story.state.created.title}"]
    if question := story.state.question:
        lines += [clip(question.reason, REASON), question_facts(question.text), str(question.text["question"])]
        lines += [f"{option['id']}: {option['does']}" for option in question.text["options"]]
    else:
        lines.append(clip(ended_by, REASON))
    return visible("\n".join(lines)) + "\n"
