"""The commands that are struck, each in a repository that was prepared for it."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
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
    CallResult,
    new_bench,
)
from faults.child import FIRST_MOMENT

# What the user has lying about, and wants to find again as it was.
USERS = {"notes.txt": "mine\n", "debug.log": "mine too\n", "specs/ideas.txt": "also mine\n"}
NO_BASE = "integrate: {mode: local}\nloop: {backoff_s: 0}\n"
NO_BASE_WITH_COMMANDS = f"{NO_BASE}commands: {json.dumps(COMMANDS)}\n"
NO_BASE_WITH_A_TEST = f"{NO_BASE}commands: {{test: {COMMANDS['test']}}}\n"
WORK = {"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"}
HOOKS = {
    "pre-commit": "echo FORMATTED = 1 >test_calc.py && git add test_calc.py",
    "commit-msg": 'grep -q Checked "$1" || echo "Checked: yes" >>"$1"',
}
GUARDED = {".github/workflows/ci.yml": "on: push\n"}
BRANCH = "story/42-subtract-numbers"
RED = {"tools/test.sh": "echo FAIL: one\nexit 1\n"}
UNCLEAR = {"tools/test.sh": "no-such-program\n"}
IDEA = "# Subtract numbers\n\n## Acceptance Criteria\n\n- sub(3, 2) is 1\n"
SPEC = f"---\nid: 42\ntitle: Subtract numbers\n---\n\n{IDEA}"
ALLOWED_BEFORE = '{"permissions": {"allow": ["Bash(ls)"]}}\n'

Make = Callable[[Bench], object]


def begin(settings: str) -> Make:
    return lambda bench: new_bench(bench.root, settings, FILES)


def work(bench: Bench, files: Mapping[str, str] = WORK) -> None:
    """Change what an implementer changes."""
    bench.edit(files)
    bench.mark(1, 2)


def report(bench: Bench) -> None:
    bench.hand_in("impl-report", REPORT)


def implement(bench: Bench, files: Mapping[str, str] = WORK) -> None:
    """Do all that an implementer does, up to its end."""
    work(bench, files)
    report(bench)


def implement_partly(bench: Bench) -> None:
    bench.edit({"calc.py": "SUB = 1\n"})
    bench.mark(1)
    bench.meta("partial")


def ask_about_ci(bench: Bench) -> None:
    """Change what the user must allow, and let them."""
    implement(bench, {**WORK, **GUARDED})
    bench.end()
    bench.baton("answer", "42", "accept")


def put_hooks(bench: Bench) -> None:
    """Have the user's hooks change what is committed, and what the commit says."""
    for name, lines in HOOKS.items():
        bench.hook(name, lines)


def to_verdict(bench: Bench, files: Mapping[str, str] | None = None) -> None:
    """Take a story to what its QA says; `files` are what it changes besides."""
    bench.new()
    bench.next()
    bench.baton("answer", "42", "accept")
    bench.next()
    bench.plan()
    implement(bench, {**WORK, **(files or {})})
    bench.end()
    bench.hand_in("qa-report", VERDICT.format("PASS", "seen"))


def to_integration(bench: Bench, files: Mapping[str, str] | None = None) -> None:
    """Take a story to a base that the user must allow, and allow it."""
    to_verdict(bench, files)
    bench.end()
    bench.baton("answer", "42", "accept")


def verdict(word: str) -> Make:
    return lambda bench: bench.hand_in("qa-report", VERDICT.format(word, "seen"))


def to_integration_with(files: Mapping[str, str]) -> Make:
    return lambda bench: to_integration(bench, files)


def commit(files: Mapping[str, str], branch: str = "main") -> Make:
    """Commit from elsewhere; where base moves, the user's checkout has followed."""
    return lambda bench: (bench.commit(files, branch), bench.git("reset", "--quiet", "--hard"))


def switch_away(bench: Bench) -> None:
    bench.git("switch", "--quiet", "--create", "mine")


def write(files: Mapping[str, str]) -> Make:
    return lambda bench: bench.write(files)


def resolve(bench: Bench) -> None:
    """Resolve what conflicts, up to the end of that run."""
    bench.edit({"calc.py": "SUB = 3\n"})


def merge_by_hand(bench: Bench) -> None:
    bench.git("merge", "--quiet", "--no-ff", BRANCH)


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
    "planning": ("planner out", lambda bench: bench.tree),
    "plan in": ("planning", lambda bench: bench.hand_in("plan", PLAN)),
    "planned": ("plan in", lambda bench: bench.meta("planned")),
    "planned, base moved": ("planned", commit({"other.txt": "moved\n"})),
    "implementer out": ("planned", lambda bench: bench.next()),
    "working": ("implementer out", work),
    "partial": ("implementer out", implement_partly),
    "working, with hooks": ("working", put_hooks),
    "implemented": ("working", report),
    "implemented, branch moved": ("implemented", commit({"other.txt": "more\n"}, BRANCH)),
    "implemented, branch in the way": ("implemented", commit({"calc.py": "SUB = 2\n"}, BRANCH)),
    "allowed to change CI": ("implementer out", ask_about_ci),
    "qa out": ("implemented", lambda bench: bench.next()),
    "failed": ("qa out", verdict("FAIL")),
    "passed": ("qa out", verdict("PASS")),
    "escalated": ("implementer out", lambda bench: bench.work(status="blocked")),
    "no base": (None, begin(NO_BASE)),
    "allowed": ("no base", to_integration),
    "allowed, from elsewhere": ("allowed", switch_away),
    "allowed, base moved": ("allowed", commit({"other.txt": "moved\n"})),
    "allowed, base in the way": ("allowed", commit({"calc.py": "SUB = 2\n"})),
    "conflict out": ("allowed, base in the way", lambda bench: bench.next()),
    "resolving": ("conflict out", resolve),
    "conflict resolved": ("resolving", report),
    "merged by hand": ("allowed", merge_by_hand),
    "merged": ("allowed", lambda bench: bench.next()),
    "merged, from elsewhere": ("merged", switch_away),
    "no base with commands": (None, begin(NO_BASE_WITH_COMMANDS)),
    "allowed with commands": ("no base with commands", to_integration),
    "allowed with commands, base moved": (
        "allowed with commands", commit({"other.txt": "moved\n"})),
    "no base with a test": (None, begin(NO_BASE_WITH_A_TEST)),
    "allowed with a test": ("no base with a test", to_integration),
    "allowed with a test, base red": ("allowed with a test", commit(RED)),
    "allowed, test red": ("no base with a test", to_integration_with(RED)),
    "allowed, test unclear": ("no base with a test", to_integration_with(UNCLEAR)),
    "asked about the test": ("allowed, test unclear", lambda bench: bench.next()),
    "bare, to stay on its branch": (None, begin(SETTINGS.replace("local", "branch"))),
    "passed, to stay on its branch": ("bare, to stay on its branch", to_verdict),
    "a text": ("bare", write({"ideas/subtract.md": IDEA})),
    "a spec": ("bare", write({"specs/42_subtract-numbers/story.md": SPEC})),
    "unsettled": (None, begin("")),
    "partly settled": ("unsettled", write({".claude/settings.local.json": ALLOWED_BEFORE})),
}  # fmt: skip


class Scenario(NamedTuple):
    """A command to be struck, what its caller gives it, and what its caller does afterwards.

    What a `silent` one did, no next step shows: it is always called again.
    """

    name: str
    start: str
    words: tuple[str, ...]
    stdin: str = ""
    ends: str = ""
    instead: tuple[str, ...] = ()
    silent: bool = False

    def call(self, bench: Bench) -> CallResult:
        """Call the command that is struck, an agent's where the run that is running works."""
        if self.words[0] == "hand-in":
            trees = Path(os.environ["XDG_CACHE_HOME"]).glob(f"baton/trees/*/{self.words[4]}")
            bench = next(map(Bench, trees), bench)
        return bench.baton(*self.words, stdin=self.stdin)

    def call_again(self, bench: Bench) -> CallResult:
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
PLANNED = json.dumps({"status": "planned"})
NEW = ("story", "new", "Subtract numbers", "--id", "42", *(
    word for criterion in CRITERIA for word in ("--criterion", criterion)))  # fmt: skip

PLANNER, IMPLEMENTER, QA, FIXER = (
    f"sess_{FIRST_MOMENT}_ababab_{one}" for one in ("plan1", "iter1", "qa1", "iter2"))  # fmt: skip


OF_A_SPEC = ("story", "new", "--from", "specs/42_subtract-numbers")
OF_A_TEXT = ("story", "new", "--from", "ideas/subtract.md", "--id", "42")


def _ended(run: str) -> tuple[str, ...]:
    return (*NEXT, "--ended", run)


SCENARIOS = (
    Scenario("a story is made", "bare", NEW, instead=OF_A_SPEC),
    Scenario("a story starts", "new", NEXT),
    Scenario("a story asks for its commands", "new with commands", NEXT),
    Scenario("the commands are accepted", "asked for the commands", ("answer", "42", "accept")),
    Scenario("the planner goes out", "commands accepted", NEXT),
    Scenario("a run begins", "planner out", ("begin", PLANNER, "--make"), silent=True),
    Scenario("a run that resolves a conflict begins", "conflict out", ("begin", FIXER, "--make"), silent=True),
    Scenario("a plan is handed in", "planning", _hand_in("plan", PLANNER), PLAN, PLANNER),
    Scenario("metadata is handed in", "plan in", _hand_in("return-meta", PLANNER), PLANNED, PLANNER),
    Scenario("metadata is rejected", "plan in", _hand_in("return-meta", PLANNER), '{"status": "happy"}', PLANNER),
    Scenario("a plan is judged", "planned", _ended(PLANNER)),
    Scenario("a run is sent out after base moved", "planned, base moved", _ended(PLANNER)),
    Scenario("a handoff is handed in", "working", _hand_in("handoff", IMPLEMENTER), HANDOFF, IMPLEMENTER),
    Scenario("a report is handed in", "working", _hand_in("impl-report", IMPLEMENTER), REPORT, IMPLEMENTER),
    Scenario("work is handed in under a person's hooks", "working, with hooks",
             _hand_in("impl-report", IMPLEMENTER), REPORT, IMPLEMENTER),
    Scenario("a partial run is judged", "partial", _ended(IMPLEMENTER)),
    Scenario("a finished run is judged", "implemented", _ended(IMPLEMENTER)),
    Scenario("a run is judged after its branch moved", "implemented, branch moved", _ended(IMPLEMENTER)),
    Scenario("a run conflicts with its branch", "implemented, branch in the way", _ended(IMPLEMENTER)),
    Scenario("the work of a run that died is kept", "working", _ended(IMPLEMENTER)),
    Scenario("what a person allowed is committed", "allowed to change CI", NEXT),
    Scenario("QA failed", "failed", _ended(QA)),
    Scenario("QA passed", "passed", _ended(QA)),
    Scenario("a retry is answered", "escalated", ("answer", "42", "retry", "--note", "once more")),
    Scenario("a story is abandoned", "escalated", ("answer", "42", "abandon")),
    Scenario("a story is merged from elsewhere", "allowed, from elsewhere", NEXT),
    Scenario("a story is merged after base moved", "allowed, base moved", NEXT),
    Scenario("a story is checked and merged", "allowed with commands", NEXT),
    Scenario("a story is checked and merged after base moved", "allowed with commands, base moved", NEXT),
    Scenario("base conflicts and a fix goes out", "allowed, base in the way", NEXT),
    Scenario("a resolved conflict is handed in", "resolving", _hand_in("impl-report", FIXER), REPORT, FIXER),
    Scenario("a resolved conflict is judged", "conflict resolved", _ended(FIXER)),
    Scenario("a test fails and a fix goes out", "allowed, test red", NEXT),
    Scenario("a failure that base has is noted", "allowed with a test, base red", NEXT),
    Scenario("an unclear failure is accepted", "asked about the test", ("answer", "42", "accept")),
    Scenario("a story ends on its branch", "passed, to stay on its branch", _ended(QA)),
    Scenario("a merge that a person made is found", "merged by hand", NEXT),
    Scenario("a merge is taken back", "merged", ("undo", "42")),
    Scenario("a merge is taken back from elsewhere", "merged, from elsewhere", ("undo", "42")),
    Scenario("a story is made of a text", "a text", OF_A_TEXT, instead=OF_A_SPEC),
    Scenario("a story is made of a spec in its place", "a spec", OF_A_SPEC),
    Scenario("a project is settled", "partly settled", ("init", "--allow", "--json"), silent=True),
)  # fmt: skip
