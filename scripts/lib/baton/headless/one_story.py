"""Take stories on side by side: step by step, a process for each run, until each is over or waits for you."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.plan.round_step import step_to_ask
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.questions import Answers
from baton.headless.at_work import FAILURES, AtWork, End
from baton.headless.chosen import is_ours
from baton.headless.client_process import ROUND, Waiting, call_baton, find_processes, forget_processes
from baton.headless.crew import LATE, SHORT, SPENT, STOPPED, Crew
from baton.headless.event import Event
from baton.headless.stream import How
from baton.journal.lock import hold_lock
from baton.story.ask.step import Step
from baton.story.run.end_line import run_end_line
from baton.story.run.progress import run_label, task_of
from baton.story.run.story_steps import spawn_step
from baton.story.session.open_story import look_at
from baton.text import seconds_between

WAIT_SECONDS = 60
# What has stopped a run that counts for nothing, where that is not what excuses it: nothing where the user did.
BECAUSE = {STOPPED: "", SHORT: "its share of the budget is spent"}
# How a turn ends for what this call was given or told.
RESTS = {STOPPED: "stopped", SPENT: "stopped", SHORT: "stopped", LATE: "unfinished"}


class TurnEnd(NamedTuple):
    """The end of a story's turn, in words, and the question it asks; `asked` shows one on a pull request.

    `how` is `complete`, `asks`, `waits`, `stopped` (or the budget is spent), `unfinished` in time, or `error`.
    """

    story: str
    how: str
    says: str
    question: dict[str, Any] | None = None
    asked: Sequence[str] = ()

    @property
    def event(self) -> Event:
        """Its event, for programs."""
        return Event("turn", self.says, self.story, {"how": self.how, "question": self.question})


def take_stories_on(crew: Crew, pause: Callable[[], object]) -> tuple[list[TurnEnd], list[Exception]]:
    """Take all stories as far as they go without the user; call `pause` whenever each had its turn.

    Returns the end of each, and the bugs of the program: a bug ends the turn of one story alone.
    """
    turns = {story: take_story_on(crew, story) for story in crew.rows}
    ended, bugs = dict[str, TurnEnd](), list[Exception]()
    while turns:
        crew.let_go()
        for story, turn in [*turns.items()]:
            try:
                next(turn)
                continue
            except StopIteration as end:
                ended[story] = end.value
                crew.emit(end.value.event)
            except Exception as error:  # noqa: BLE001 - the others go on
                bugs.append(error)
                ended[story] = TurnEnd(story, "error", f"a bug of baton's: {error!r}")
                crew.emit(ended[story].event)
            del turns[story]
        pause()
    return [ended[story] for story in crew.rows], bugs


def take_story_on(crew: Crew, story_id: str) -> Waiting[TurnEnd]:
    """Take a story as far as it goes without the user; ends in an error where another call does so."""
    try:
        with hold_lock(crew.project.state / story_id / "supervisor.lock", "baton run", 0):
            return (yield from OneStory(crew, story_id).go_on())
    except BatonError as error:
        return TurnEnd(story_id, "error", str(error))
    finally:
        crew.leave(story_id, over=True)


class OneStory:
    """A story that this call takes on."""

    def __init__(self, crew: Crew, story_id: str) -> None:
        self.crew = crew
        self.project = crew.project
        self.id = story_id
        # The last round: how it ended, and what it was for, its head and the round before.
        self._round: tuple[object, End] | None = None

    def go_on(self) -> Waiting[TurnEnd]:
        """Go from step to step; a run is sent out only once the story may go on, to work on base as it is then."""
        ended, begins = (yield from self._adopt()), False
        while True:
            if not ended and (why := (yield from self.crew.enter(self.id))):
                return self._rests(why)
            step = yield from self._advance(ended, begins)
            if ended and ended.excused and ended.excused != SHORT:
                return self._rests(ended.excused, ended.how)
            ended = None  # one that was short of its share goes on where others leave a larger one
            if step.action in ("spawn", "wait") and step.run:
                if step.action == "wait" and not is_ours(self.crew.state_of(self.id)):
                    then = f"if nobody works on it: `baton next {self.id} --ended {step.run}`"
                    return TurnEnd(self.id, "waits", f"its run was started in a client; {then}")
                if why := self.crew.closed:
                    return self._rests(why)
                ended, begins = (yield from AtWork(self.crew, self.id, step).carry_out()), False
                if not ended.begun:
                    return self._rests(ended.excused)
            elif step.action == "wait" and (step.until or step.seconds):
                yield from self._wait(step.reason, step.seconds or WAIT_SECONDS)
            elif step.action == "feedback":
                if turn := (yield from self._settle(step)):
                    return turn
            elif step.action == "wait" and not begins:
                begins = True
            else:
                return self._outcome(step)

    def _adopt(self) -> Waiting[End | None]:
        """Go on with a process that an earlier call started for a run or a round, alive or over."""
        run = self.crew.state_of(self.id).run
        out = run if run and run.judged is None else None
        wanted = out.id if out else ROUND
        forget_processes(self.project, self.id, wanted)
        processes = find_processes(self.project, self.id, wanted)
        if not processes:
            return None
        step = spawn_step(look_at(self.project, self.id), out, None) if out else None
        work = AtWork(self.crew, self.id, step)
        if processes[-1].lives:
            self.crew.stay(self.id)
            self.crew.tell(self.id, f"{work.task}: goes on, started by an earlier call")
        ended = yield from work.carry_out()
        if step:
            return ended
        forget_processes(self.project, self.id)
        return None

    def _advance(self, ended: End | None, begins: bool) -> Waiting[Step]:
        """Have the run that ended judged, and return the next step; waits for commands that run."""
        step = yield from self._next(ended, begins)
        while step.action == "wait" and step.seconds and not step.until and not self.crew.halted:
            step = yield from self._next(None, begins)
        if ended:
            forget_processes(self.project, self.id)
            state = self.crew.state_of(self.id)
            run = state.find_run(ended.run)
            assert run is not None
            came = run_end_line(state, run, step).removeprefix(run_label(state, run))
            self.crew.tell(self.id, f"{task_of(run)}{came}", "ended", run=run.id)
        return step

    def _next(self, ended: End | None, begins: bool) -> Waiting[Step]:
        """Call `next`, which begins another run only with `begins` and while the crew is not closed."""
        words = ["next", self.id, "--json", *([] if begins and not self.crew.closed else ["--rest"])]
        if ended:
            because = BECAUSE.get(ended.excused, ended.excused)
            words += ["--ended", ended.run, *(["--stopped"] if ended.excused else [])]
            words += ["--because", because] if because else []
        answer = yield from call_baton(self.project, self.id, self.crew.options.program, words)
        return Step(**{name: value for name, value in answer.items() if name in Step._fields})

    def _wait(self, why: str, seconds: float) -> Waiting[None]:
        self.crew.leave(self.id)
        self.crew.tell(self.id, f"waits: {why}", "waits")
        yield from self.crew.pause(seconds)

    def _settle(self, step: Step) -> Waiting[TurnEnd | None]:
        """Play a round for the feedback on the pull request; returns the turn's end where none can settle it."""
        number, again = int(str(step.pull).rpartition("/")[2]), f"then `baton run {self.id}`"
        if asked := Answers(self.project, find_folder(self.project, number)).open:
            says = f"{asked.question} `baton answer pr-{number} OPTION`, {again}"
            return TurnEnd(self.id, "asks", says, asked.data(number), step_to_ask(asked, number).after_action())
        about = self.crew.state_of(self.id).events[-1]
        before, ended = self._round or (None, None)
        if ended and ended.until:
            self._round = None
            seconds = seconds_between(datetime.now(UTC).isoformat(), ended.until)
            yield from self._wait(f"until {ended.until} for the service to take requests", seconds)
            return None
        if ended and before == about:
            says = f"a round of feedback on its pull request has settled nothing: {ended.says}"
            return TurnEnd(self.id, "waits", f"{says}; `/resolve-pr-feedback {number}`, {again}")
        if why := (yield from self.crew.enter(self.id)):
            return self._rests(why)
        ended = yield from AtWork(self.crew, self.id, url=str(step.pull)).carry_out()
        forget_processes(self.project, self.id)
        is_short = ended.excused == SHORT  # others may leave it a larger share
        self._round = None if is_short else (about, ended)
        return self._rests(ended.excused, ended.how) if ended.excused and not is_short else None

    def _outcome(self, step: Step) -> TurnEnd:
        if step.action == "complete":
            memory = [warning for warning in step.warnings if warning.startswith("memory: ")]
            return TurnEnd(self.id, "complete", "; ".join([step.reason, *memory]))
        if step.question:
            return TurnEnd(self.id, "asks", str(step.question.get("question", "")), step.question)
        if self.crew.closed:
            return self._rests(self.crew.closed)
        return TurnEnd(self.id, "waits", step.reason)

    def _rests(self, why: str, how: How = "ended") -> TurnEnd:
        kind = RESTS.get(why, "error" if how in FAILURES else "waits")
        return TurnEnd(self.id, kind, f"{why}; `baton run {self.id}` goes on")
