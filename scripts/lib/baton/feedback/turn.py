"""Land the round in hand: wait for its units and the project's commands, then take it to the pull request."""

import time
from collections.abc import Collection, Sequence
from pathlib import Path

from baton.errors import BatonError
from baton.feedback.landing import Landing, Waiting, land, open_landing, preview
from baton.feedback.questions import Answers, Question
from baton.feedback.round import Round, Unit, load_results, load_round, save_round
from baton.feedback.step import AGENT, Step, asked, send_out, spawn_of
from baton.feedback.summary import NEXT, Landed
from baton.story.lock import held
from baton.story.places import Project

# How long one call waits for the project's commands, in all.
WAIT_SECONDS = 90.0


def land_round(
    project: Project, folder: Path, without: Collection[str], dry_run: bool, seconds: float = WAIT_SECONDS
) -> Step:
    """Land the round in hand as far as it goes; `without` are units that are given up."""
    deadline = time.monotonic() + seconds
    while True:
        with held(project.lock, "baton pr land"):
            told = _land(project, folder, without, dry_run)
        left = deadline - time.monotonic()
        if not isinstance(told, Waiting):
            return told
        if left <= 0 or not told.hold(left):
            return Step("wait", "land/running", told.told, then=f"baton pr land {folder.name}")


def _land(project: Project, folder: Path, without: Collection[str], dry_run: bool) -> Step | Waiting:
    made = load_round(project, folder)
    if made is None or made.landed:
        raise BatonError("no round is in hand", f"pr-{folder.name}", f"plan one: `baton pr plan {folder.name}`")
    given_up = {*made.given_up, *(made.unit(name).id for name in without)}
    if given_up != set(made.given_up):
        made = made._replace(given_up=tuple(sorted(given_up)))
        save_round(project, folder, made)
    results = load_results(project, folder, made)
    due = made.due(results)
    if missing := [one for wave in due[: max(made.sent, 1)] for one in wave]:
        return _waiting(made, missing)
    if any(due):
        return send_out(project, folder, made, "round/next-wave", "those before it are in")
    landing = open_landing(project, folder, made, results)
    if dry_run:
        return _would(landing)
    answers = Answers(project, folder)
    told = land(landing, answers)
    if isinstance(told, Waiting):
        return told
    if isinstance(told, Question):
        answers.ask(told)
        return asked(told, made.number)
    return _landed(project, folder, told)


def _waiting(made: Round, missing: Sequence[Unit]) -> Step:
    names = ", ".join(one.id for one in missing)
    first = missing[0]
    lines = (
        f"IF one was not started, as {first.id}: spawn {AGENT} with `{spawn_of(first).prompt}`",
        "IF one has ended and handed nothing in: start it once more, then give it up: "
        f"baton pr land {made.number} --without {first.id}",
    )
    return Step("wait", "round/out", f"not handed in yet: {names}", lines=lines, then="end your turn")


def _would(landing: Landing) -> Step:
    """Say exactly what would be committed, posted and resolved; nothing is changed."""
    return Step("look", "land/dry-run", "nothing was changed", lines=tuple(preview(landing)), whole=True)


def _landed(project: Project, folder: Path, told: Landed) -> Step:
    assert told.decision is not None
    if how := told.decision.row.stop:
        does = {"continue": "makes another round, with your note in its briefs", "leave": "leaves what is open"}
        about = f"{told.round.id}"
        question = Question(told.decision.rule, about, told.decision.reason, how.question, does)
        Answers(project, folder).ask(question)
    action = NEXT[told.decision.action]
    lines, data = tuple(told.lines()), told.data()
    return Step(action, told.decision.rule, told.decision.reason, lines=lines, data=data, whole=True)
