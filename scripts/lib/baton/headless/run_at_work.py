"""A run while it is out: its process started, read until it is over, and what came of it noted in the journal."""

import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from baton.headless.client_process import ClientProcess, find_processes, start_process
from baton.headless.crew import SPENT, STOPPED, Crew
from baton.headless.stream import How, Stream
from baton.journal.events import Ended, RunStarted
from baton.journal.run import Run
from baton.journal.transcript import find_transcript
from baton.story.begin_run import begin_run
from baton.story.progress import task_of
from baton.story.session import open_story
from baton.story.spent import note_run_end
from baton.story.step import Step
from baton.usage.prices import cost_of
from baton.usage.refusal import read_refusal
from baton.usage.spending import add_models
from baton.usage.transcript import Usage, read_transcript

LOOK_SECONDS, GRACE_SECONDS = 0.1, 5.0
# How many processes a run gets, where the client or its service failed.
MOST_STARTS = 2
FAILED = ("failed", "unstarted")
MOST_REFUSED = 3


class End(NamedTuple):
    """How a run's last process ended, and why the run is no attempt; nothing where it is one."""

    run: str
    excused: str
    how: How


class RunAtWork:
    """A run that a step sends out, or that is out already."""

    def __init__(self, crew: Crew, story_id: str, step: Step) -> None:
        assert step.run
        self.crew = crew
        self.project = crew.project
        self.story = story_id
        self.step = step
        self.id = step.run
        self._started: ClientProcess | None = None

    def carry_out(self) -> End:
        """Have it carried out by a process, by a second one where the first could not."""
        while True:
            if not (started := self._processes()):
                self._start()
                continue
            process = self._started or started[-1]
            seen = self._watch(process)
            usage = self._usage(process, seen)
            failed = seen.how in FAILED and not (usage and read_refusal(usage.failure, datetime.now(UTC)))
            if not failed or len(started) >= MOST_STARTS or self.crew.closed or self._is_over():
                return self._close(seen, failed)
            self.crew.tell(self.story, f"the client failed, and is started once more: {seen.why}")
            self._start()

    def _processes(self) -> list[ClientProcess]:
        return find_processes(self.project, self.story, self.id)

    def _start(self) -> None:
        crew, options, step = self.crew, self.crew.options, self.step
        begun = begin_run(self.project, self.id, make=True)
        argv = [
            options.client, "-p", str(step.prompt), "--agent", str(step.agent),
            "--plugin-dir", str(options.plugin), "--output-format", "stream-json", "--verbose",
            "--permission-mode", options.mode,
        ]  # fmt: skip
        if model := options.model or step.model:
            argv += ["--model", model]
        if crew.left is not None:
            argv += ["--max-budget-usd", f"{crew.left:.4f}"]
        task = task_of(self._run)
        crew.tell(self.story, f"{task}: begins")
        crew.show(self.story, task=task, since=time.monotonic(), tokens=0)
        place = Path(begun.tree)
        environment = crew.environment(self.story)
        self._started = start_process(self.project, self.story, self.id, argv, place, environment)
        with open_story(self.project, self.story, f"the start of {self.id}") as story:
            story.note(RunStarted(self.id, "", self._started.record.session))

    def _watch(self, process: ClientProcess) -> Stream:
        """Read what a process says until it is over; the user's second stop ends it."""
        seen, asked = Stream(), 0.0
        while True:
            lives = process.lives
            for line in process.lines():
                seen.take(line)
            self.crew.show(self.story, tokens=seen.tokens, **({"line": seen.line} if seen.line else {}))
            if not lives:
                break
            if self.crew.stops > 1:
                late = bool(asked) and time.monotonic() > asked + GRACE_SECONDS
                if late or not asked:
                    process.stop(signal.SIGKILL if late else signal.SIGTERM)
                asked = asked or time.monotonic()
            time.sleep(LOOK_SECONDS)
        process.close()
        seen.noise = seen.noise or process.complaint()
        return seen

    def _usage(self, process: ClientProcess, seen: Stream) -> Usage | None:
        """Return what a process used: exactly, where its last line says so."""
        found = find_transcript(process.record.session, "")
        usage = read_transcript(found) if found else None
        return (usage or Usage({}))._replace(models=seen.models) if seen.models else usage

    def _close(self, last: Stream, failed: bool) -> End:
        """Note that the run has ended and what its processes used; say why it is no attempt, if it is none."""
        is_over, processes, used = self._is_over(), self._processes(), list[Usage]()
        for process in processes:
            seen = Stream()
            for line in process.lines():
                seen.take(line)
            if usage := self._usage(process, seen):
                used.append(usage)
                self.crew.pay(cost_of(usage.models).high if seen.cost is None else seen.cost)
        session = processes[-1].record.session
        note_run_end(self.project, self.story, Ended(self.id, "process"), session, _together(used))
        for call in last.refused[:MOST_REFUSED]:
            self.crew.tell(self.story, f"the client refused this, since nobody could answer: {call}")
        self.crew.show(self.story, task="", since=0.0)
        return End(self.id, "" if is_over else self._excuse(last, failed), last.how)

    def _excuse(self, last: Stream, failed: bool) -> str:
        if self.crew.stops > 1:
            return STOPPED
        if last.how == "budget":
            return SPENT
        return f"the client failed: {last.why}" if failed else ""

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
