"""The commands that are struck, each in a repository that was prepared for it."""

import json
from collections.abc import Callable
from typing import NamedTuple

from bench import (
    COMMANDS,
    CRITERIA,
    FILES,
    HANDOFF,
    PLAN,
    REPORT,
    SETTINGS,
    VERDICT,
    WITH_COMMANDS,
    Bench,
    Said,
    new_bench,
)
from faults.child import FIRST_MOMENT

# What a person has lying about, and wants to find again as it was.
USERS = {"notes.txt": "mine\n", "debug.log": "mine too\n", "specs/ideas.txt": "also mine\n"}
NO_BASE = "integrate: {mode: local}\nloop: {backoff_s: 0}\n"
NO_BASE_WITH_COMMANDS = f"{NO_BASE}commands: {json.dumps(COMMANDS)}\n"
WORK = {"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"}

Make = Callable[[Bench], object]


def begin(settings: str) -> Make:
    return lambda bench: new_bench(bench.root, settings, FILES)


def work(bench: Bench) -> None:
    """Change what an implementer changes."""
    bench.write(WORK)
    bench.mark(1, 2)


def implement(bench: Bench) -> None:
    """Do all that an implementer does, up to its end."""
    work(bench)
    bench.hand_in("impl-report", REPORT)
    bench.meta("implemented")


def implement_partly(bench: Bench) -> None:
    bench.write({"calc.py": "SUB = 1\n"})
    bench.mark(1)
    bench.meta("partial")


def touch_what_qa_should_judge(bench: Bench) -> None:
    bench.write({"calc.py": "MENDED = 1\n"})
    bench.judge()


def to_integration(bench: Bench) -> None:
    """Take a story to a base that a person must allow, and allow it."""
    bench.new()
    bench.next()
    bench.baton("answer", "42", "accept")
    bench.next()
    bench.plan()
    implement(bench)
    bench.end()
    bench.judge()
    bench.baton("answer", "42", "accept")


def verdict(word: str) -> Make:
    return lambda bench: bench.hand_in("qa-report", VERDICT.format(word, "seen"))


def move_base(bench: Bench) -> None:
    bench.commit({"other.txt": "moved\n"})


# Each from the one before, or (None) from nothing.
PREPARED: dict[str, tuple[str | None, Make]] = {
    "bare": (None, begin(SETTINGS)),
    "bare with commands": (None, begin(WITH_COMMANDS)),
    "new": ("bare", lambda bench: bench.new()),
    "new with commands": ("bare with commands", lambda bench: bench.new()),
    "asked for the commands": ("new with commands", lambda bench: bench.next()),
    "commands accepted": (
        "asked for the commands", lambda bench: bench.baton("answer", "42", "accept")),
    "planner out": ("new", lambda bench: bench.next()),
    "plan in": ("planner out", lambda bench: bench.hand_in("plan", PLAN)),
    "planned": ("plan in", lambda bench: bench.meta("planned")),
    "implementer out": ("planned", lambda bench: bench.next()),
    "working": ("implementer out", work),
    "partial": ("implementer out", implement_partly),
    "implemented": ("implementer out", implement),
    "qa out": ("implemented", lambda bench: bench.next()),
    "failed": ("qa out", verdict("FAIL")),
    "passed": ("qa out", verdict("PASS")),
    "escalated": ("implementer out", lambda bench: bench.work(status="blocked")),
    "touched": ("qa out", touch_what_qa_should_judge),
    "no base": (None, begin(NO_BASE)),
    "allowed": ("no base", to_integration),
    "allowed, base moved": ("allowed", move_base),
    "no base with commands": (None, begin(NO_BASE_WITH_COMMANDS)),
    "allowed with commands": ("no base with commands", to_integration),
    "allowed with commands, base moved": ("allowed with commands", move_base),
}  # fmt: skip


class Scenario(NamedTuple):
    """A command to be struck, what its caller gives it, and what its caller does afterwards."""

    name: str
    start: str
    words: tuple[str, ...]
    stdin: str = ""
    ends: str = ""
    instead: tuple[str, ...] = ()

    def call(self, bench: Bench) -> Said:
        """Call the command that is struck."""
        return bench.baton(*self.words, stdin=self.stdin)

    def call_again(self, bench: Bench) -> Said:
        """Call it once more, or what it then says to call instead."""
        said = self.call(bench)
        return (
            bench.baton(*self.instead)
            if said.code == 2 and self.instead and " ".join(self.instead) in said.err
            else said
        )


def _hand_in(kind: str, run: str) -> tuple[str, ...]:
    return ("hand-in", "42", kind, "--run", run)


NEXT = ("next", "42", "--json")
PLANNED = '{"status": "planned"}'
NEW = ("story", "new", "Subtract numbers", "--id", "42", *(
    word for one in CRITERIA for word in ("--criterion", one)))  # fmt: skip

PLANNER, IMPLEMENTER, QA = (f"sess_{FIRST_MOMENT}_ababab_{one}1" for one in ("plan", "iter", "qa"))


def _ended(run: str) -> tuple[str, ...]:
    return (*NEXT, "--ended", run)


SCENARIOS = (
    Scenario("a story is made", "bare", NEW, instead=("story", "new", "--from", "specs/42_subtract-numbers")),
    Scenario("a story starts", "new", NEXT),
    Scenario("a story asks for its commands", "new with commands", NEXT),
    Scenario("the commands are accepted", "asked for the commands", ("answer", "42", "accept")),
    Scenario("the planner goes out", "commands accepted", NEXT),
    Scenario("a plan is handed in", "planner out", _hand_in("plan", PLANNER), PLAN, PLANNER),
    Scenario("metadata is handed in", "plan in", _hand_in("return-meta", PLANNER), PLANNED, PLANNER),
    Scenario("metadata is rejected", "plan in", _hand_in("return-meta", PLANNER), '{"status": "happy"}', PLANNER),
    Scenario("a plan is judged", "planned", _ended(PLANNER)),
    Scenario("a handoff is handed in", "implementer out", _hand_in("handoff", IMPLEMENTER), HANDOFF, IMPLEMENTER),
    Scenario("a report is handed in", "working", _hand_in("impl-report", IMPLEMENTER), REPORT, IMPLEMENTER),
    Scenario("a partial run is judged", "partial", _ended(IMPLEMENTER)),
    Scenario("a finished run is judged", "implemented", _ended(IMPLEMENTER)),
    Scenario("QA failed", "failed", _ended(QA)),
    Scenario("QA passed", "passed", _ended(QA)),
    Scenario("a retry is answered", "escalated", ("answer", "42", "retry", "--note", "once more")),
    Scenario("touched code is accepted", "touched", ("answer", "42", "accept")),
    Scenario("a story is abandoned", "escalated", ("answer", "42", "abandon")),
    Scenario("a story is merged after base moved", "allowed, base moved", NEXT),
    Scenario("a story is checked and merged", "allowed with commands", NEXT),
    Scenario("a story is checked and merged after base moved", "allowed with commands, base moved", NEXT),
)  # fmt: skip
