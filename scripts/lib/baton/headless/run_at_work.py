"""A run while it is out: a process in its work tree, and what came of it noted in the journal."""

from pathlib import Path

from baton.headless.crew import Crew
from baton.headless.process_at_work import ProcessAtWork
from baton.journal.events import Ended, RunStarted
from baton.journal.run import Run
from baton.story.begin_run import begin_run
from baton.story.progress import task_of
from baton.story.session import open_story
from baton.story.spent import note_run_end
from baton.story.step import Step
from baton.usage.spending import add_models
from baton.usage.transcript import Usage


class RunAtWork(ProcessAtWork):
    """A run that a step sends out, or that is out already."""

    def __init__(self, crew: Crew, story_id: str, step: Step) -> None:
        assert step.run
        super().__init__(crew, story_id, step.run)
        self.step = step

    @property
    def task(self) -> str:
        """What the run is for."""
        return task_of(self._run)

    def _start(self) -> None:
        begun, step = begin_run(self.project, self.id, make=True), self.step
        words = [str(step.prompt), "--agent", str(step.agent)]
        environment = self.crew.environment(self.story, module=False)
        started = self._start_client(words, step.model, Path(begun.tree), environment)
        with open_story(self.project, self.story, f"the start of {self.id}") as story:
            story.note(RunStarted(self.id, "", started.record.session, "baton run"))

    def _note(self, used: list[Usage]) -> None:
        session = self._processes()[-1].record.session
        note_run_end(self.project, self.story, Ended(self.id, "process"), session, _together(used))

    @property
    def _run(self) -> Run:
        run = self.crew.state_of(self.story).find_run(self.id)
        assert run is not None
        return run

    def _is_over(self) -> bool:
        """Whether the run has handed in what ends it, or was judged."""
        run = self._run
        return run.judged is not None or any(one.final for one in run.handed_in.values())


def _together(used: list[Usage]) -> Usage | None:
    """Return what the processes of a run used, one after the other."""
    if not used:
        return None
    first, last = used[0], used[-1]
    damaged = sum(one.damaged for one in used)
    return last._replace(models=add_models(one.models for one in used), first=first.first, damaged=damaged)
