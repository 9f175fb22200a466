"""One story taken on without a person: step by step, a process for each run, until it is over or waits for you."""

import json
from datetime import UTC, datetime
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.questions import Answers, Question
from baton.feedback.store import find_folder
from baton.headless.chosen import is_ours
from baton.headless.client_process import ROUND, find_processes, forget_processes, interruptible
from baton.headless.crew import LATE, SHORT, SPENT, STOPPED, Crew
from baton.headless.event import Event
from baton.headless.process_at_work import End
from baton.headless.round_at_work import RoundAtWork
from baton.headless.run_at_work import RunAtWork
from baton.headless.stream import How
from baton.journal.lock import hold_lock
from baton.journal.run import Run
from baton.journal.state import State
from baton.process import run as run_program
from baton.story.progress import run_end_line, run_label, task_of
from baton.story.session import look_at
from baton.story.step import Step, spawn_step
from baton.text import seconds_between

# One call may wait for commands, and more than once for git.
NEXT_SECONDS = 4 * 3600.0
WAIT_SECONDS = 60
# How a turn ends for what this call was given or told.
RESTS = {STOPPED: "stopped", SPENT: "stopped", SHORT: "stopped", LATE: "unfinished"}


class TurnEnd(NamedTuple):
    """How a story's turn ended, in words, and its last step; `asked` is what is asked about its pull request.

    `how` is `complete`, `asks`, `waits`, `stopped` (or the budget is spent), `unfinished` in time, or `error`.
    """

    story: str
    how: str
    says: str
    step: Step | None = None
    asked: Question | None = None

    @property
    def event(self) -> Event:
        """What a program is told of it, with the question it waits for."""
        asked = self.asked.data(number_of(self.step)) if self.asked and self.step else None
        question = asked or (self.step.question if self.step else None)
        return Event("turn", self.says, self.story, {"how": self.how, "question": question})


def take_story_on(crew: Crew, story_id: str) -> TurnEnd:
    """Take a story as far as it goes without the user; where another call does, that is an error."""
    try:
        with hold_lock(crew.project.state / story_id / "supervisor.lock", "baton run", 0):
            ended = OneStory(crew, story_id).go_on()
    except BatonError as error:
        ended = TurnEnd(story_id, "error", str(error))
    finally:
        crew.leave(story_id, over=True)
    crew.emit(ended.event)
    return ended


def number_of(step: Step) -> int:
    """Return the number of the pull request that a step is about."""
    return int(str(step.pull).rpartition("/")[2])


class OneStory:
    """A story while this call takes it on."""

    def __init__(self, crew: Crew, story_id: str) -> None:
        self.crew = crew
        self.project = crew.project
        self.id = story_id
        # The last round: how it ended, and what it was for, its head and the round before.
        self._round: tuple[object, End] | None = None

    def go_on(self) -> TurnEnd:
        """Go from step to step; a run is sent out once the story may go on, for it works on base as it is then."""
        ended, begins = self._adopt(), False
        while True:
            if not ended and (why := self.crew.enter(self.id)):
                return self._rests(why)
            step = self._advance(ended, begins)
            if ended and ended.excused and ended.excused != SHORT:
                return self._rests(ended.excused, ended.how)
            ended = None  # one that was short of its share goes on where others leave a larger one
            if step.action in ("spawn", "wait") and step.run:
                if step.action == "wait" and not is_ours(self.crew.state_of(self.id)):
                    then = f"if nobody works on it: `baton next {self.id} --ended {step.run}`"
                    return TurnEnd(self.id, "waits", f"its run was started in a client; {then}")
                if why := self.crew.closed:
                    return self._rests(why)
                ended, begins = RunAtWork(self.crew, self.id, step).carry_out(), False
            elif step.action == "wait" and (step.until or step.seconds):
                self._wait(step.reason, step.seconds or WAIT_SECONDS)
            elif step.action == "feedback":
                if turn := self._settle(step):
                    return turn
            elif step.action == "wait" and not begins:
                begins = True
            else:
                return self._outcome(step)

    def _adopt(self) -> End | None:
        """Go on with the process that an earlier call started for a run or a round, alive or over."""
        run = self.crew.state_of(self.id).run
        out = run if run and run.judged is None else None
        wanted = out.id if out else ROUND
        forget_processes(self.project, self.id, wanted)
        found = find_processes(self.project, self.id, wanted)
        if not found:
            return None
        step = spawn_step(look_at(self.project, self.id), out, None) if out else None
        work = RunAtWork(self.crew, self.id, step) if step else RoundAtWork(self.crew, self.id)
        if found[-1].lives:
            self.crew.stay(self.id)
            self.crew.tell(self.id, f"{work.task}: goes on, started by an earlier call")
        ended = work.carry_out()
        if step:
            return ended
        forget_processes(self.project, self.id)
        return None

    def _advance(self, ended: End | None, begins: bool) -> Step:
        """Have the run that ended judged, and take the next step; commands that run are waited for."""
        step = self._next(ended, begins)
        while step.action == "wait" and step.seconds and not step.until and not self.crew.halted:
            step = self._next(None, begins)
        if ended:
            forget_processes(self.project, self.id)
            state = self.crew.state_of(self.id)
            run = _run_of(state, ended.run)
            came = run_end_line(state, run, step).removeprefix(run_label(state, run))
            self.crew.tell(self.id, f"{task_of(run)}{came}", "ended", run=run.id)
        return step

    def _next(self, ended: End | None, begins: bool) -> Step:
        """Call `next` as a process of its own: with the slot in its environment, and out of Ctrl-C's reach."""
        words = ["next", self.id, "--json", *([] if begins and not self.crew.closed else ["--rest"])]
        if ended:
            words += ["--ended", ended.run, *(["--stopped"] if ended.excused else [])]
            words += ["--because", ended.stopped_by] if ended.stopped_by else []
        program = [str(self.crew.options.plugin / "scripts" / "baton"), *words]
        environment = self.crew.environment(self.id, module=False)
        with interruptible():
            done = run_program(program, self.project.root, environment, NEXT_SECONDS, apart=True)
        if done.code:
            raise BatonError(done.said.removeprefix("baton: "), f"story {self.id}", f"`baton next {self.id}`")
        return Step(**{name: value for name, value in json.loads(done.out).items() if name in Step._fields})

    def _wait(self, why: str, seconds: float) -> None:
        self.crew.leave(self.id)
        self.crew.tell(self.id, f"waits: {why}", "waits")
        self.crew.pause(seconds)

    def _settle(self, step: Step) -> TurnEnd | None:
        """Play a round for what was said on the pull request; says how the turn ends where none can settle it."""
        number = number_of(step)
        again = f"then `baton run {self.id}`"
        if asked := Answers(self.project, find_folder(self.project, number)).open:
            says = f"{asked.question} `baton answer pr-{number} OPTION`, {again}"
            return TurnEnd(self.id, "asks", says, step, asked)
        about = self.crew.state_of(self.id).events[-1]
        before, ended = self._round or (None, None)
        if ended and ended.until:
            self._round = None
            now = datetime.now(UTC).isoformat()
            words = f"until {ended.until} for the service to take requests"
            self._wait(words, seconds_between(now, ended.until))
            return None
        if ended and before == about:
            says = f"a round of feedback on its pull request has settled nothing: {ended.says}"
            return TurnEnd(self.id, "waits", f"{says}; `/resolve-pr-feedback {number}`, {again}", step)
        if why := self.crew.enter(self.id):
            return self._rests(why)
        ended = RoundAtWork(self.crew, self.id, str(step.pull)).carry_out()
        forget_processes(self.project, self.id)
        is_short = ended.excused == SHORT  # others may leave it a larger share
        self._round = None if is_short else (about, ended)
        return self._rests(ended.excused, ended.how) if ended.excused and not is_short else None

    def _outcome(self, step: Step) -> TurnEnd:
        if step.action == "complete":
            memory = [one for one in step.warnings if one.startswith("memory: ")]
            return TurnEnd(self.id, "complete", "; ".join([step.reason, *memory]), step)
        if step.question:
            return TurnEnd(self.id, "asks", str(step.question.get("question", "")), step)
        if self.crew.closed:
            return self._rests(self.crew.closed)
        return TurnEnd(self.id, "waits", step.reason, step)

    def _rests(self, why: str, how: How = "ended") -> TurnEnd:
        failed = how in ("failed", "unstarted", "killed")
        kind = RESTS.get(why, "error" if failed else "waits")
        return TurnEnd(self.id, kind, f"{why}; `baton run {self.id}` goes on")


def _run_of(state: State, run_id: str) -> Run:
    run = state.find_run(run_id)
    assert run is not None
    return run
