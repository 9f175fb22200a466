"""What a process of the client works on: started, read until it is over, paid for, and started once more."""

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from baton.headless.client_process import ClientProcess, find_processes, start_process
from baton.headless.crew import SHORT, STOPPED, Crew
from baton.headless.stream import How, Stream
from baton.usage.prices import cost_of
from baton.usage.refusal import Refusal, read_refusal
from baton.usage.transcript import Usage, find_agents, find_transcript, read_transcript

LOOK_SECONDS, GRACE_SECONDS = 0.1, 5.0
# How many processes there are for one thing, where the client or its service failed.
MOST_STARTS = 2
MOST_REFUSED = 3


class End(NamedTuple):
    """How the last process ended, and its last words.

    `excused` is why that counts for nothing, `until` how long the service takes no requests; empty for neither.
    """

    run: str
    excused: str
    how: How
    says: str
    until: str = ""

    @property
    def stopped_by(self) -> str:
        """What has stopped a run that counts for nothing, if not the user."""
        return {STOPPED: "", SHORT: "its share of the budget is spent"}.get(self.excused, self.excused)


class ProcessAtWork(ABC):
    """A thing of a story's that one process at a time works on; `id` is what its processes are recorded by."""

    # How a process ends that is started once more.
    failures: tuple[How, ...] = ("failed", "unstarted", "killed")

    def __init__(self, crew: Crew, story_id: str, name: str) -> None:
        self.crew = crew
        self.project = crew.project
        self.story = story_id
        self.id = name
        self._started: ClientProcess | None = None

    def carry_out(self) -> End:
        """Have it carried out by a process, by a second one where the first could not."""
        while True:
            if not (started := self._processes()):
                self._start()
                continue
            process = self._started or started[-1]
            seen = self._watch(process)
            refusal = self._refusal(process)
            failed = seen.how in self.failures and not refusal
            if not failed or len(started) >= MOST_STARTS or self.crew.closed or self._is_over():
                ended = self._close(seen, failed)
                return ended._replace(until=refusal.until) if refusal else ended
            self.crew.tell(self.story, f"the client failed, and is started once more: {seen.why}")
            self._start()

    @property
    @abstractmethod
    def task(self) -> str:
        """What it is for, as the user reads it."""

    @abstractmethod
    def _start(self) -> None:
        """Start a process for it."""

    @abstractmethod
    def _is_over(self) -> bool:
        """Whether no process is to be started for it any more."""

    @abstractmethod
    def _note(self, used: list[Usage]) -> None:
        """Note that it is over, and what its processes used."""

    def _processes(self) -> list[ClientProcess]:
        return find_processes(self.project, self.story, self.id)

    def _start_client(
        self, words: list[str], model: str | None, place: Path, environment: Mapping[str, str]
    ) -> ClientProcess:
        """Start the client with a prompt and what belongs to it, held to the mode and the budget of the call."""
        crew, options = self.crew, self.crew.options
        argv = [
            options.client, "-p", *words, "--plugin-dir", str(options.plugin), "--output-format", "stream-json",
            "--verbose", "--permission-mode", options.mode,
        ]  # fmt: skip
        if model := options.model or model:
            argv += ["--model", model]
        if options.budget is not None:
            argv += ["--max-budget-usd", f"{crew.take_share(self.story, self._used()[1]):.4f}"]
        crew.tell(self.story, f"{self.task}: begins", "begins", run=self.id)
        crew.show(self.story, task=self.task, since=time.monotonic(), tokens=0)
        self._started = start_process(self.project, self.story, self.id, argv, place, environment)
        return self._started

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
        seen.signal = process.signal
        return seen

    def _refusal(self, process: ClientProcess) -> Refusal | None:
        """Return how the service has refused what a process or its agents asked for last, if it has."""
        session = process.record.session
        for agent in ("", *find_agents(session)):
            usage = read_transcript(find_transcript(session, agent), agent)
            if usage and (found := read_refusal(usage.failure, datetime.now(UTC))):
                return found
        return None

    def _close(self, last: Stream, failed: bool) -> End:
        """Pay for its processes, and note that it is over; say why it counts for nothing, if it does."""
        is_over, (used, cost) = self._is_over(), self._used()
        self.crew.pay(self.story, cost, short=last.how == "budget")
        self._note(used)
        for call in last.refused[:MOST_REFUSED]:
            self.crew.tell(self.story, f"the client refused this, since nobody could answer: {call}")
        self.crew.show(self.story, task="", since=0.0)
        return End(self.id, "" if is_over else self._excuse(last, failed), last.how, last.why)

    def _used(self) -> tuple[list[Usage], float]:
        """Return what each of its processes used, exactly where its last line says so, and the cost in dollars."""
        used, cost = list[Usage](), 0.0
        for process in self._processes():
            seen = Stream()
            for line in process.lines():
                seen.take(line)
            usage = read_transcript(find_transcript(process.record.session, ""))
            if seen.models:
                usage = (usage or Usage({}))._replace(models=seen.models)
            if usage:
                used.append(usage)
                cost += cost_of(usage.models).high if seen.cost is None else seen.cost
        return used, cost

    def _excuse(self, last: Stream, failed: bool) -> str:
        if self.crew.stops > 1:
            return STOPPED
        if last.how == "budget":
            return SHORT
        return f"the client failed: {last.why}" if failed else ""
