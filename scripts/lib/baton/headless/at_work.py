"""A run or a round that a process of the client works on: started, read until it is over, paid for, noted."""

import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from baton.headless.client_process import (
    ROUND,
    ClientProcess,
    Waiting,
    call_baton,
    environment_of,
    find_processes,
    start_process,
)
from baton.headless.crew import SHORT, STOPPED, Crew
from baton.headless.stream import How, Stream
from baton.journal.events import Ended, RunStarted
from baton.journal.run import Run
from baton.story.ask.step import Step
from baton.story.run.progress import task_of
from baton.story.run.spent import note_run_end
from baton.story.session.open_story import open_story
from baton.usage.prices import cost_of
from baton.usage.service_refusal import Refusal, read_refusal
from baton.usage.spending import add_models
from baton.usage.transcript import Usage, find_agents, find_transcript, read_transcript

GRACE_SECONDS = 5.0
# How a process ends that is started once more, and how many there are for one thing at most.
FAILURES: tuple[How, ...] = ("failed", "unstarted", "killed")
MOST_STARTS = 2
MOST_REFUSED = 3
SETTLE = "settle what was said on its pull request"


class End(NamedTuple):
    """The end of the last process, and its last words.

    `excused` is why it does not count, `until` the time before which the service takes no requests; else empty.
    """

    run: str
    excused: str
    how: How
    says: str
    until: str = ""
    begun: bool = True  # else nothing may be started any more, and the next call begins it


class AtWork:
    """The work of one process at a time: the run that a step sends out, or is out already, in its work tree.

    Without a step it is a round for the feedback on a pull request, in the project's folder; without its URL, the
    round that an earlier call started.
    """

    def __init__(self, crew: Crew, story_id: str, step: Step | None = None, url: str = "") -> None:
        self.crew = crew
        self.project = crew.project
        self.row = crew.rows[story_id]
        self.step = step
        self.url = url
        self.id = str(step.run) if step else ROUND  # what its processes are recorded by
        self._started: ClientProcess | None = None

    def carry_out(self) -> Waiting[End]:
        """Have a process carry it out, a second one where the first failed."""
        while True:
            if not (started := self._processes()):
                if why := (yield from self._start()):
                    return End(self.id, why, "unstarted", why, begun=False)
                continue
            process = self._started or started[-1]
            seen = yield from self._watch(process)
            refusal = self._refusal(process)
            failed = seen.how in FAILURES and not refusal
            again = failed and len(started) < MOST_STARTS and not self._is_over() and not self.crew.closed
            if again and not (yield from self._wait_for_place()):
                self.crew.tell(self.row.id, f"the client failed, and is started once more: {seen.why}")
                if not (yield from self._start()):
                    continue
            ended = self._close(seen, failed)
            return ended._replace(until=refusal.until) if refusal else ended

    @property
    def task(self) -> str:
        """Its task, in words for the user."""
        return task_of(self._run()) if self.step else SETTLE

    def _run(self) -> Run:
        run = self.crew.state_of(self.row.id).find_run(self.id)
        assert run is not None
        return run

    def _processes(self) -> list[ClientProcess]:
        return find_processes(self.project, self.row.id, self.id)

    def _wait_for_place(self) -> Waiting[str]:
        """Wait until one more process may be started beside others; returns why none may any more, or ""."""
        return "" if self.row.stands == "works" else (yield from self.crew.enter(self.row.id))

    def _start(self) -> Waiting[str]:
        """Start a process for it, of a run in its work tree and noted in the journal; returns why not, or ""."""
        if not self.step:
            self._start_client([f"/baton:resolve-pr-feedback {self.url}"], "", self.project.root)
            return ""
        words = ["begin", self.id, "--make", "--json"]
        begun = yield from call_baton(self.project, self.row.id, self.crew.options.program, words)
        if why := self.crew.closed:  # while its tree was made: the next call sends it
            return why
        words = [str(self.step.prompt), "--agent", str(self.step.agent)]
        process = self._start_client(words, self.step.model or "", Path(begun["tree"]))
        with open_story(self.project, self.row.id, f"the start of {self.id}") as story:
            story.note(RunStarted(self.id, "", process.record.session, "baton run"))
        return ""

    def _start_client(self, words: list[str], model: str, place: Path) -> ClientProcess:
        """Start the client with a prompt and its options, within the mode and the budget of the call."""
        crew, row, options = self.crew, self.row, self.crew.options
        argv = [
            options.client, "-p", *words, "--plugin-dir", str(options.plugin), "--output-format", "stream-json",
            "--verbose", "--permission-mode", options.mode,
        ]  # fmt: skip
        if model := options.model or model:
            argv += ["--model", model]
        if options.budget is not None:
            argv += ["--max-budget-usd", f"{crew.take_share(row.id, self._used()[1]):.4f}"]
        crew.tell(row.id, f"{self.task}: begins", "begins", run=self.id)
        row.task, row.since, row.tokens = self.task, time.monotonic(), 0
        environment = environment_of(self.project, row.id, module=not self.step)
        self._started = start_process(self.project, row.id, self.id, argv, place, environment)
        return self._started

    def _watch(self, process: ClientProcess) -> Waiting[Stream]:
        """Read the output of a process until it is over; the user's second stop ends it."""
        seen, asked = Stream(), 0.0
        while True:
            lives = process.lives
            for line in process.lines():
                seen.take(line)
            self.row.tokens, self.row.line = seen.tokens, seen.line or self.row.line
            if not lives:
                break
            if self.crew.stops > 1:
                late = bool(asked) and time.monotonic() > asked + GRACE_SECONDS
                if late or not asked:
                    process.stop(signal.SIGKILL if late else signal.SIGTERM)
                asked = asked or time.monotonic()
            yield
        process.close()
        seen.noise = seen.noise or process.complaint()
        seen.signal = process.signal
        return seen

    def _refusal(self, process: ClientProcess) -> Refusal | None:
        """Return the service's refusal of the last request of a process or its agents, or None."""
        session = process.record.session
        for agent in ("", *find_agents(session)):
            usage = read_transcript(find_transcript(session, agent), agent)
            if usage and (refusal := read_refusal(usage.failure, datetime.now(UTC))):
                return refusal
        return None

    def _is_over(self) -> bool:
        """Whether no more process is to be started for it: a run has made its final hand-in, or was judged."""
        if not self.step:  # whether an earlier call's round has left something to settle, the next step says
            return not self.url
        run = self._run()
        return run.judged is not None or run.has_reported

    def _close(self, last: Stream, failed: bool) -> End:
        """Pay for its processes, and note that it is over; the end says why it does not count, if so."""
        is_over, (used, cost) = self._is_over(), self._used()
        self.crew.pay(self.row.id, cost, short=last.how == "budget")
        if self.step:
            session = self._processes()[-1].record.session
            note_run_end(self.project, self.row.id, Ended(self.id, "process"), session, _together(used))
        else:  # what it did is known to its pull request
            self.crew.tell(self.row.id, f"{self.task}: ended", "ended", run=self.id)
        for call in last.refused[:MOST_REFUSED]:
            self.crew.tell(self.row.id, f"the client refused this, since nobody could answer: {call}")
        self.row.task, self.row.since = "", 0.0
        excused = (
            "" if is_over
            else STOPPED if self.crew.stops > 1
            else SHORT if last.how == "budget" and self.crew.options.budget is not None
            # Somebody else's budget, of which no larger share is to be had.
            else f"the client failed: {last.why}" if failed or last.how == "budget"
            else ""
        )  # fmt: skip
        return End(self.id, excused, last.how, last.why)

    def _used(self) -> tuple[list[Usage], float]:
        """Return the usage of each of its processes, exact where its last line has it, and the cost in dollars."""
        used, cost = list[Usage](), 0.0
        for process in self._processes():
            seen = Stream(process.lines())
            usage = read_transcript(find_transcript(process.record.session, ""))
            if seen.models:
                usage = (usage or Usage({}))._replace(models=seen.models)
            if usage:
                used.append(usage)
                cost += cost_of(usage.models).high if seen.cost is None else seen.cost
        return used, cost


def _together(used: list[Usage]) -> Usage | None:
    """Return the usage of a run's successive processes as one."""
    if not used:
        return None
    first, last = used[0], used[-1]
    damaged = sum(usage.damaged for usage in used)
    return last._replace(models=add_models(usage.models for usage in used), first=first.first, damaged=damaged)
