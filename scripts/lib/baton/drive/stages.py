"""What follows at each stage of a story, until there is a step to tell."""

from collections.abc import Callable

from baton.drive.dispatch import dispatch
from baton.drive.gate import commit_run, conclude
from baton.drive.integrate import integrate
from baton.drive.judge import judge
from baton.drive.opened import OpenStory
from baton.drive.start import check_place, start
from baton.drive.step import Step
from baton.drive.tell import complete_step, question_step


def go_on(story: OpenStory, rested: int) -> Step:
    """Take a story from stage to stage until there is a step to tell.

    `rested` is the length the journal had when the pause ended that a step asked for, 0 when none was made.
    """
    while True:
        run = story.state.run
        if run and not run.filed and (run.judged or story.state.stage == "decided"):  # decided: it was given up
            check_place(story)
            conclude(story, run, commit_run(story, run, None))
        step = STAGES[story.state.stage](story, rested == story.journal.seq)
        if step is not None:
            return step


def _new(story: OpenStory, _: bool) -> Step | None:
    start(story)
    return None


def _out(story: OpenStory, _: bool) -> Step | None:
    run = story.state.run
    assert run is not None
    check_place(story)
    judged = judge(story, run)
    made = commit_run(story, run, judged)
    # What a hook says of the work is judged with it. A commit whose judgement a crash lost is found made.
    story.note(judge(story, run, made.refused) if made.refused else judged)
    conclude(story, run, made)
    return None


def _decided(story: OpenStory, rested: bool) -> Step | None:
    pending = story.state.pending
    assert pending is not None
    if pending.then == "integrate":
        return integrate(story)
    return dispatch(story, pending, rested)


STAGES: dict[str, Callable[[OpenStory, bool], Step | None]] = {
    "new": _new,
    "out": _out,
    "decided": _decided,
    "question": lambda story, _: question_step(story),
    "complete": lambda story, _: complete_step(story),
}
