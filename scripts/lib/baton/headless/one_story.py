"""One story taken on without a person: step by step, a process for each run, until it is over or waits for you."""

import json
from typing import NamedTuple

from baton.errors import BatonError
from baton.headless.chosen import is_ours
from baton.headless.client_process import find_processes, forget_processes, interruptible
from baton.headless.crew import Crew
from baton.headless.run_at_work import End, RunAtWork
from baton.headless.stream import How
from baton.journal.lock import hold_lock
from baton.journal.run import Run
from baton.journal.state import State
from baton.process import run as run_program
from baton.story.progress import run_end_line, run_label, task_of
from baton.story.session import look_at
from baton.story.step import Step, spawn_step

# One call may wait for commands, and more than once for git.
NEXT_SECONDS = 4 * 3600.0
WAIT_SECONDS = 60


class TurnEnd(NamedTuple):
    """How a story's turn ended: `complete`, `asks`, `waits` or `error`, in words, and its last step."""

    story: str
    how: str
    says: str
    step: Step | None = None


def take_story_on(crew: Crew, story_id: str) -> TurnEnd:
    """Take a story as far as it goes without the user; where another call does, that is an error."""
    try:
        with hold_lock(crew.project.state / story_id / "supervisor.lock", "baton run", 0):
            return OneStory(crew, story_id).go_on()
    except BatonError as error:
        return TurnEnd(story_id, "error", str(error))
    finally:
        crew.leave(story_id, over=True)


class OneStory:
    """A story while this call takes it on."""

    def __init__(self, crew: Crew, story_id: str) -> None:
        self.crew = crew
        self.project = crew.project
        self.id = story_id

    def go_on(self) -> TurnEnd:
        """Go from step to step."""
        ended = self._adopt()
        while True:
            if not ended and (why := self.crew.enter(self.id)):
                return self._rests(why)
            step = self._advance(ended)
            if ended and ended.excused:
                return self._rests(ended.excused, ended.how)
            ended = None
            if step.action in ("spawn", "wait") and step.run:
                if step.action == "wait" and not is_ours(self.crew.state_of(self.id)):
                    then = f"if nobody works on it: `baton next {self.id} --ended {step.run}`"
                    return TurnEnd(self.id, "waits", f"its run was started in a client; {then}")
                if why := self.crew.enter(self.id):
                    return self._rests(why)
                ended = RunAtWork(self.crew, self.id, step).carry_out()
            elif step.action == "wait" and (step.until or step.seconds):
                self._wait(step)
            else:
                return self._outcome(step)

    def _adopt(self) -> End | None:
        """Go on with the process an earlier call started for a run that is not judged, alive or over."""
        run = self.crew.state_of(self.id).run
        out = run if run and run.judged is None else None
        forget_processes(self.project, self.id, out.id if out else "")
        found = find_processes(self.project, self.id, out.id) if out else []
        if out is None or not found:
            return None
        if found[-1].lives:
            self.crew.stay(self.id)
            self.crew.tell(self.id, f"{task_of(out)}: goes on, started by an earlier call")
        return RunAtWork(self.crew, self.id, spawn_step(look_at(self.project, self.id), out, None)).carry_out()

    def _advance(self, ended: End | None) -> Step:
        """Have the run that ended judged, and take the next step; commands that run are waited for."""
        step = self._next(ended)
        while step.action == "wait" and step.seconds and not step.until and not self.crew.stops:
            step = self._next(None)
        if ended:
            forget_processes(self.project, self.id)
            state = self.crew.state_of(self.id)
            run = _run_of(state, ended.run)
            came = run_end_line(state, run, step).removeprefix(run_label(state, run))
            self.crew.tell(self.id, f"{task_of(run)}{came}")
        return step

    def _next(self, ended: End | None) -> Step:
        """Call `next` as a process of its own: with the slot in its environment, and out of Ctrl-C's reach."""
        words = ["next", self.id, "--json", *(["--rest"] if self.crew.closed else [])]
        if ended:
            words += ["--ended", ended.run, *(["--stopped"] if ended.excused else [])]
        program = [str(self.crew.options.plugin / "scripts" / "baton"), *words]
        environment = self.crew.environment(self.id)
        with interruptible():
            done = run_program(program, self.project.root, environment, NEXT_SECONDS, apart=True)
        if done.code:
            raise BatonError(done.said.removeprefix("baton: "), f"story {self.id}", f"`baton next {self.id}`")
        return Step(**{name: value for name, value in json.loads(done.out).items() if name in Step._fields})

    def _wait(self, step: Step) -> None:
        self.crew.leave(self.id)
        self.crew.tell(self.id, f"waits: {step.reason}")
        self.crew.pause(step.seconds or WAIT_SECONDS)

    def _outcome(self, step: Step) -> TurnEnd:
        if step.action == "complete":
            return TurnEnd(self.id, "complete", step.reason, step)
        if step.question:
            return TurnEnd(self.id, "asks", str(step.question.get("question", "")), step)
        if self.crew.closed:
            return self._rests(self.crew.closed)
        if step.action == "feedback":
            number = str(step.pull).rpartition("/")[2]
            then = f"`/resolve-pr-feedback {number}`, then `baton run {self.id}`"
            return TurnEnd(self.id, "waits", f"its pull request was commented on: {then}", step)
        return TurnEnd(self.id, "waits", step.reason, step)

    def _rests(self, why: str, how: How = "ended") -> TurnEnd:
        kind = "error" if how in ("failed", "unstarted") else "waits"
        return TurnEnd(self.id, kind, f"{why}; `baton run {self.id}` goes on")


def _run_of(state: State, run_id: str) -> Run:
    run = state.find_run(run_id)
    assert run is not None
    return run
