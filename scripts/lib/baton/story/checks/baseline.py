"""Run the commands on base by itself before the first agent is started, to say early what is wrong."""

import posixpath
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from baton.artifacts.config import CONFIG_FILE
from baton.checks.failures import first_error
from baton.checks.job import Checks
from baton.checks.result import Outcome
from baton.errors import BatonError
from baton.rules.failure_origin import Ran
from baton.story.checks.check_results import read_ran
from baton.story.checks.compare_checks import SHOWN, baseline_of, first_run, runs_something, subject_of
from baton.story.session.session import StorySession, base_commit_of
from baton.text import join_words

FEW = 3  # in a warning
# How long the commands are waited for before any agent is started: what cannot work here says so soon.
PATIENCE_S = 300
UNCHECKED = "nothing will be run on what is merged, as no build, test or prepush command is configured"
NOT_COMMITTED = (
    f"no build, test or prepush command is known, since `{CONFIG_FILE}` is not committed on {{}}: commit it, or"
    " nothing will be run on what is merged"
)


class BaseTry(NamedTuple):
    """How base's commands go on this machine; what is told of it, and who waits for them or what they wrote."""

    state: Literal["running", "mute", "works"]
    told: str = ""
    running: Checks | None = None
    outcome: Outcome | None = None


def try_on_base(story: StorySession) -> BaseTry:
    """Run base's commands before any agent is started: it is the baseline, and shows what cannot work here."""
    subject = subject_of(story)
    if not runs_something(subject.general):
        return BaseTry("works")
    try:
        checks = baseline_of(subject, base_commit_of(story), subject.general)
        outcomes = checks.begin()
    except BatonError:  # it is said when they are begun for the first run
        return BaseTry("works")
    if outcomes is None:
        waited = time.time() - (checks.folder / "job.json").stat().st_mtime
        return BaseTry("running" if waited < PATIENCE_S else "works", checks.progress(time.time()), checks)
    for name, ran in read_ran(checks, outcomes).items():
        if ran.mute:
            outcome = next((outcome for outcome in outcomes if outcome.name == name), outcomes[-1])
            return BaseTry("mute", ran.mute, checks, outcome)
    return BaseTry("works")


def begin_baseline(story: StorySession) -> str:
    """Begin the baseline of the commit the story branch was made from; returns what the user should know of it."""
    started, subject = story.state.started, subject_of(story)
    assert started is not None
    if not runs_something(subject.commands):
        if story.git.has(CONFIG_FILE, started.base_commit):
            return f"{UNCHECKED}: name them in `{CONFIG_FILE}`"
        is_here = (story.project.root / CONFIG_FILE).exists()
        return NOT_COMMITTED.format(started.base) if is_here else f"{UNCHECKED}: `baton init` finds some"
    if not runs_something(subject.general):
        return ""
    try:
        baseline_of(subject, started.base_commit, subject.general).begin()
    except BatonError as error:
        return f"build and test were not begun on {started.base}, and will be when they are needed: {error}"
    return ""


def baseline_trouble(story: StorySession, since: float = 0) -> str:
    """Say why base's commands tell nothing, or that they fail; nothing when that was known at the time `since`."""
    (outcomes, known), base = _known_baseline(story), story.settings().base
    if all(outcome.log.stat().st_mtime < since for outcome in outcomes if outcome.log.exists()):
        return ""
    if mute := next((ran.mute for ran in known if ran.mute), ""):
        return f"nothing can be compared with {base}: {mute}"
    if all(ran.passed for ran in known):
        return ""
    if named := fails_on_base(story):
        documents = f"{posixpath.dirname(story.folder.relative)}/"
        remedy = f"; leave {documents} out of that command, as by an ignore file"
        ours = any(documents in name for name in named)
        return f"{base} fails already, which stops nothing: {join_words(named, FEW)}{remedy if ours else ''}"
    shown = next((first_error(outcome.shown) for outcome in outcomes if outcome.code), "")
    return f"{base} fails already, and names no test: you will be asked whether a failure is new: {shown}"


def repeat_red_baseline(story: StorySession) -> None:
    """Begin the commands that fail on base there once more: what fails only at times excuses nothing."""
    started, subject = story.state.started, subject_of(story)
    _, known = _known_baseline(story)
    if started is not None and not all(ran.passed or ran.mute for ran in known):
        with suppress(BatonError):  # it is said when they are needed
            baseline_of(subject, started.base_commit, subject.general, " again").begin()


def fails_on_base(story: StorySession) -> list[str]:
    """Return the names of what fails on the commit the story began from, as far as its commands were run there."""
    return sorted({name for ran in _known_baseline(story)[1] for name in ran.failed})[:SHOWN]


def passes_on_base(story: StorySession) -> bool:
    """Whether all commands are known to pass on the commit the story began from."""
    _, known = _known_baseline(story)
    return bool(known) and all(ran.passed for ran in known)


def _known_baseline(story: StorySession) -> tuple[Sequence[Outcome], Sequence[Ran]]:
    started, subject = story.state.started, subject_of(story)
    if started is None or not runs_something(subject.general):
        return [], []
    first = first_run(subject, started.base_commit, subject.general)
    newest = baseline_of(subject, started.base_commit, subject.general)
    for checks in (newest, first):
        if outcomes := checks.outcomes():
            return outcomes, list(read_ran(checks, outcomes).values())
    return [], []
