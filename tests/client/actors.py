"""The agents of the client's tests: they really work, as their briefs say."""

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path

from baton_lab.scripted_client.api import ErrorAnswer
from baton_lab.scripted_client.script import Script, Step, Talk, call, say
from client import papers
from client.orchestrator import run_of

MARKERS = {
    "planner": "You plan one story.",
    "implementer": "You implement a story, phase by phase.",
    "qa": "You judge whether a story is done.",
    "micro-delivery": "You implement one small story.",
}


def marked(agents: Mapping[str, Script]) -> dict[str, Script]:
    """Return agents' scripts by what their prompts are known by."""
    return {MARKERS[name.replace("_", "-")]: script for name, script in agents.items()}


def in_turn(*runs: Script) -> Script:
    """Play one of these for each agent that is started, in this order."""
    left = iter(runs)
    return lambda talk: next(left)(talk)


def meanwhile(happens: Callable[[], object], run: Script) -> Script:
    """Play a run before whose first step something happens elsewhere."""

    def play(talk: Talk) -> Iterator[Step]:
        happens()
        yield from run(talk)

    return play


def hand_in(talk: Talk, kind: str, text: str) -> Step:
    """The one command an agent hands an artifact in with, as its brief shows it."""
    return call(
        "Bash",
        command=f"baton hand-in {talk.prompt.split()[4].rstrip(':')} {kind} --run {run_of(talk.prompt)} "
        f"<<'END-OF-ARTIFACT'\n{text.rstrip()}\nEND-OF-ARTIFACT",
    )


def hand_in_fixed(talk: Talk, kind: str, rule: str, *texts: str) -> Iterator[Step]:
    """Hand in one text after another, each of which but the last is rejected by `rule`."""
    for text in texts[:-1]:
        yield hand_in(talk, kind, text)
        assert "rejected" in talk.result, talk.result
        assert rule in talk.result, talk.result
    yield hand_in(talk, kind, texts[-1])
    assert "accepted" in talk.result, talk.result


def begin(talk: Talk) -> Step:
    """The first call of every run, which prints its brief."""
    return call("Bash", command=f"baton begin {run_of(talk.prompt)}")


def begun(talk: Talk) -> Generator[Step, None, Path]:
    """Begin, and hear where to work."""
    yield begin(talk)
    found = re.search(r"^Your work tree: (.+), at ", talk.result, re.MULTILINE)
    assert found, talk.result
    return Path(found[1])


def to_fix(talk: Talk) -> str:
    """What a brief that was just printed says is to be fixed."""
    found = re.search(r"(?s)## What must be fixed\n(.*?)\n## ", talk.result)
    assert found, talk.result
    return found[1]


def end(talk: Talk, status: str) -> Iterator[Step]:
    """Hand in the return metadata and end."""
    yield hand_in(talk, "return-meta", f"status: {status}")
    assert "accepted" in talk.result, talk.result
    yield say(status)


def report(talk: Talk, text: str = papers.REPORT) -> Iterator[Step]:
    """Hand in the implementation report and end."""
    yield hand_in(talk, "impl-report", text)
    assert "accepted" in talk.result, talk.result
    yield from end(talk, "implemented")


def plan(*plans: str) -> Script:
    """Give the planner's run: one plan, or some that are rejected before it."""

    def run(talk: Talk) -> Iterator[Step]:
        yield begin(talk)
        yield from hand_in_fixed(talk, "plan", "plan/section-missing", *plans)
        yield from end(talk, "planned")

    return run


def block(talk: Talk) -> Iterator[Step]:
    """Find that the story cannot be planned as it is."""
    yield begin(talk)
    yield hand_in(talk, "plan-blocked", papers.BLOCKED)
    yield from end(talk, "blocked")


def judge(*reports: str) -> Script:
    """Give QA's run: one report, or some that are rejected before it."""

    def run(talk: Talk) -> Iterator[Step]:
        yield begin(talk)
        yield call("Bash", command="baton check test")
        assert "test" in talk.result, talk.result
        yield from hand_in_fixed(talk, "qa-report", "qa-report/criteria", *reports)
        yield from end(talk, "implemented")

    return run


class Worker:
    """The runs of those who change the code, each in the work tree it was given."""

    report = papers.REPORT

    def __init__(self) -> None:
        self.tree = Path()

    # What they do

    def begin(self, talk: Talk) -> Iterator[Step]:
        """Begin, and hear where to work."""
        self.tree = yield from begun(talk)

    @property
    def calc(self) -> str:
        return str(self.tree / "calc.py")

    @property
    def plan(self) -> Path:
        return next(self.tree.glob("specs/*/*.execution-plan.md"))

    def has_marked(self, phase: str) -> bool:
        plans = self.tree.glob("specs/*/*.execution-plan.md")  # none before the run was begun
        return any(f"{phase} [COMPLETED]" in plan.read_text() for plan in plans)

    def mark(self, *phases: str) -> Iterator[Step]:
        yield call("Read", file_path=str(self.plan))
        for phase in phases:
            old, new = f"{phase} [NOT STARTED]", f"{phase} [COMPLETED]"
            yield call("Edit", file_path=str(self.plan), old_string=old, new_string=new)

    def subtract(self) -> Iterator[Step]:
        yield call("Read", file_path=self.calc)
        yield call("Edit", file_path=self.calc, old_string="# more\n", new_string=papers.SUB)

    def show(self, test: str = papers.TEST) -> Iterator[Step]:
        yield call("Write", file_path=str(self.tree / "test_calc.py"), content=test)
        yield call("Bash", command="baton check test")

    def code(self, talk: Talk, test: str = papers.TEST) -> Iterator[Step]:
        """Begin, write all the code and show what it does."""
        yield from self.begin(talk)
        yield from self.subtract()
        yield from self.show(test)

    # Whole runs

    def first(self, talk: Talk) -> Iterator[Step]:
        yield from self.begin(talk)
        yield from self.subtract()
        yield from self.mark(papers.SUBTRACT)
        yield hand_in(talk, "handoff", papers.HANDOFF)
        yield from end(talk, "partial")

    def endless(self, talk: Talk) -> Iterator[Step]:
        """Close one phase, then read on and never end."""
        yield from self.begin(talk)
        yield from self.subtract()
        yield from self.mark(papers.SUBTRACT)
        while True:
            yield call("Read", file_path=self.calc)

    def second(self, talk: Talk) -> Iterator[Step]:
        yield from self.begin(talk)
        assert "Begin with phase 2" in talk.result, talk.result
        yield from self.show()
        yield from self.mark(papers.SHOW)
        yield from report(talk)

    def remedy(self, talk: Talk) -> Iterator[Step]:
        yield from self.begin(talk)
        assert "no docstring" in talk.result, talk.result
        yield call("Read", file_path=self.calc)
        with_docstring = 'def sub(a, b):\n    """a less b"""\n'
        yield call("Edit", file_path=self.calc, old_string="def sub(a, b):\n", new_string=with_docstring)
        yield from report(talk)

    def forgetful(self, talk: Talk) -> Iterator[Step]:
        """Do all of it, and write the whole report only when told."""
        yield from self.code(talk)
        yield from self.mark(papers.SUBTRACT, papers.SHOW)
        yield from hand_in_fixed(talk, "impl-report", "impl-report/required", papers.SHORT, papers.REPORT)
        yield from end(talk, "implemented")

    def whole(self, test: str = papers.TEST) -> Script:
        """Give the run that does all of it, and shows it by this test."""

        def run(talk: Talk) -> Iterator[Step]:
            yield from self.code(talk, test)
            yield from self.mark(papers.SUBTRACT, papers.SHOW)
            yield from report(talk, self.report)

        return run

    def fix(self, talk: Talk) -> Iterator[Step]:
        """Read what failed, and its whole output, and let the test do without that file."""
        yield from self.begin(talk)
        assert "test_sub" in to_fix(talk), talk.result
        whole = re.search(r"Whole output: (/[^\s,]+)", to_fix(talk))
        assert whole, talk.result
        yield call("Read", file_path=whole[1])
        assert "No such file or directory: 'my.env'" in talk.result, talk.result
        yield from self.show()
        yield from report(talk)

    def resolve(self, talk: Talk) -> Iterator[Step]:
        """Keep what both sides want of a file in conflict."""
        yield from self.begin(talk)
        assert re.search(r"conflicts with this story.* `calc\.py`", to_fix(talk)), talk.result
        yield call("Bash", command="git diff")
        yield call("Read", file_path=self.calc)
        both = re.sub(r"(?m)^\d+\t", "", talk.result)
        wanted = f"{both.split('<<<<<<<')[0]}{papers.FOREIGN.lstrip()}{papers.SUB}"
        yield call("Write", file_path=self.calc, content=wanted)
        yield call("Bash", command="baton check test")
        yield from report(talk)

    def rest(self, talk: Talk) -> Iterator[Step]:
        """Do what is left when `calc.py` is done."""
        yield from self.begin(talk)
        yield from self.show()
        yield from self.mark(papers.SUBTRACT, papers.SHOW)
        yield from report(talk)

    def deliver(self, talk: Talk) -> Iterator[Step]:
        """Do a small story whole."""
        yield from self.code(talk)
        yield hand_in(talk, "micro-delivery-report", papers.DELIVERED)
        yield from end(talk, "implemented")

    def give_up(self, talk: Talk) -> Iterator[Step]:
        """Begin a small story, and find that it is none."""
        yield from self.begin(talk)
        yield from self.subtract()
        yield hand_in(talk, "micro-delivery-report", papers.LARGER)
        yield from end(talk, "implemented")


def three_agents(implementer: Script | None = None, **others: Script) -> dict[str, Script]:
    """Give the agents of a story with a plan: one of each, which passes unless another is named."""
    whole = implementer or Worker().whole()
    return {"planner": plan(papers.PLAN), "implementer": whole, "qa": judge(papers.PASS), **others}


SIX = ["planner", "implementer", "implementer", "qa", "implementer", "qa"]


def six_runs() -> dict[str, Script]:
    """Give the agents of a story of six runs: half of the work, the rest with a report, and what QA asked for."""
    worker = Worker()
    return {
        "planner": plan(papers.RISKLESS, papers.PLAN),
        "implementer": in_turn(worker.first, worker.second, worker.remedy),
        "qa": in_turn(judge(papers.FAIL), judge(papers.PASS)),
    }


def refused(talk: Talk) -> Iterator[Step]:
    """Begin, and be refused by the service from then on."""
    yield from begun(talk)
    while True:
        yield ErrorAnswer(529, "overloaded_error", "Overloaded")
