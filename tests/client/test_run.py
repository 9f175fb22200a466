"""Stories without a person, in the real client: side by side, commented on, stopped, killed and called again."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import ClassVar

import pytest

from baton.git.command import find_project
from baton.headless.client_process import find_processes
from baton.journal.events import Judged, Spent
from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Script, Step, Talk, call, say
from baton_lab.scripted_client.terminal import Terminal
from client.actors import Worker, begun, block, end, hand_in, judge, meanwhile, plan, refused, report, three_agents
from client.feedback import READER, RESOLVER, orchestrate, reader, resolver
from client.headless import finished, start, supervised
from client.papers import DELIVERED, PASS, PLAN, REPORT, SHOW, SUB, SUBTRACT
from client.person import PLUGIN, NewDesk, agents_sent, baton, driven, git, merges, state_of, status
from client.test_delivery import CONFIG, Delivered, delivered  # noqa: F401
from client.test_feedback import GH, commit
from delivery.scene import REPOSITORY
from fake_github.misbehave import Meanwhile
from fake_github.pull_request import Inline

pytestmark = pytest.mark.long

EIGHT = [str(number) for number in range(42, 50)]
ASKS, DIES, LATER = "44", "45", "46"
# These are planned, and change one file: each in a place of its own.
SHARING = {
    "47": ("def add(a, b):", '"""Sums."""\n\n\ndef add(a, b):'),
    "48": ("# more\n", SUB),
}
CLAIMS = PLAN.replace("[NOT STARTED]\n", "[NOT STARTED]\n\nFiles: `calc.py`\n")
ABOUT_CALC = REPORT.replace("  - file: test_calc.py\n    what: shows it\n", "").replace("test_calc.py", "calc.py")
RENAME = "Rename the variable `tmp`: its name is misleading, and breaks our naming convention."
OWN = "def add(a, b):\n    return a + b\n# mine\n"


def works(_: str, role: str) -> Script:
    """Plan, do it all in one run, and pass it."""
    return three_agents()[role]


def delivers(talk: Talk, story: str) -> Iterator[Step]:
    """Do a small story whole, in files of its own."""
    tree = yield from begun(talk)
    yield call("Write", file_path=str(tree / f"s{story}.py"), content=f"S = {story}\n")
    yield call("Bash", command="baton check test")
    report = DELIVERED.replace("  - file: test_calc.py\n    what: shows it\n", "").replace(
        "calc.py", f"s{story}.py"
    )
    yield hand_in(talk, "micro-delivery-report", report)
    yield from end(talk, "implemented")


class Sharing(Worker):
    """The run of a story that changes the file which another's plan names too."""

    at_work: ClassVar[list[str]] = []
    met: ClassVar[list[str]] = []  # those at work while another began
    found: ClassVar[list[str]] = []  # what the file held as each began

    @property
    def plan(self) -> Path:
        return next(self.tree.glob(f"specs/{self.story}_*/*.execution-plan.md"))  # base has the other's, too

    def edit(self, story: str) -> Script:
        """Give the run that does all of it."""
        self.story = story

        def run(talk: Talk) -> Iterator[Step]:
            self.met.extend(self.at_work)
            self.at_work.append(story)
            yield from self.begin(talk)
            self.found.append(Path(self.calc).read_text())
            yield call("Read", file_path=self.calc)
            old, new = SHARING[story]
            yield call("Edit", file_path=self.calc, old_string=old, new_string=new)
            yield from self.mark(SUBTRACT, SHOW)
            self.at_work.remove(story)
            yield from report(talk, ABOUT_CALC)

        return run


def kill(project: Path, story: str) -> None:
    """Kill the process that works on a story."""
    os.kill(find_processes(find_project(project), story)[-1].record.pid, signal.SIGKILL)


def only_its_own(project: Path, story: str) -> bool:
    """Whether the merge of a story brought its own files and its papers alone."""
    (merge,) = git(
        project, "log", "--first-parent", "--merges", "--format=%H", f"--grep=^story {story}:", "main"
    ).split()
    names = git(project, "diff", "--name-only", f"{merge}^1", merge).split()
    own = "calc.py" if story in SHARING else f"s{story}.py"
    return all(name == own or name.startswith(f"specs/{story}_") for name in names)


def test_a_story_is_merged_without_a_person(new_desk: NewDesk, ready: Path) -> None:
    desk = supervised(new_desk, ready, works)
    code, said = finished(start(desk, "42"))
    assert code == 0, said
    assert agents_sent(ready) == ["planner", "implementer", "qa"]
    assert merges(ready) == ["story 42: Subtract"]
    spent = [event for event in state_of(ready).events if isinstance(event, Spent)]
    assert [len(one.models) for one in spent] == [1, 1, 1]
    assert "sess_" not in said


def make_eight(project: Path) -> None:
    """Make seven stories beside the first: one asks, one waits for another, two plan to change one file."""
    for story in EIGHT[1:]:
        planned = () if story in (ASKS, *SHARING) else ("--complexity", "1")
        later = ("--depends-on", "43") if story == LATER else ()
        words = ("--id", story, "--criterion", "it is there", *planned, *later)
        baton(project, "story", "new", f"Story {story}", *words)


def test_eight_stories_four_at_once(new_desk: NewDesk, small: Path) -> None:
    make_eight(small)
    git(small, "switch", "--quiet", "--create", "mine")
    (small / "calc.py").write_text(OWN)
    died = list[str]()

    def cast(story: str, role: str) -> Script:
        def run(talk: Talk) -> Iterator[Step]:
            if story == DIES and not died:
                died.append(story)
                yield from begun(talk)
                kill(small, story)
            yield from delivers(talk, story)

        if story in SHARING:
            return {"planner": plan(CLAIMS), "implementer": Sharing().edit(story), "qa": judge(PASS)}[role]
        return block if role == "planner" else run

    code, said = finished(start(supervised(new_desk, small, cast), "--ready", "--parallel", "4"))
    assert code == 1, said
    assert [status(small, one) for one in EIGHT] == ["complete", "complete", "escalated"] + ["complete"] * 5
    assert f"THEN baton answer {ASKS} OPTION" in said
    assert len(merges(small)) == len(EIGHT) - 1
    assert all(only_its_own(small, one) for one in EIGHT if one != ASKS)
    assert [len(state_of(small, one).runs) for one in EIGHT if one != ASKS] == [1, 1, 1, 1, 3, 3, 1]
    assert git(small, "status", "--porcelain", "--branch").splitlines() == ["## mine", " M calc.py"]
    assert (small / "calc.py").read_text() == OWN
    # Those that wait for others do, and say so.
    newest = [merge.partition(":")[0] for merge in merges(small)]
    assert newest.index("story 46") < newest.index("story 43")
    assert Sharing.met == []
    assert any(new in Sharing.found[1] for _, new in SHARING.values())
    assert "43: nothing names the files it changes: it runs beside others" in said
    assert f"{LATER}: waits: waits for 43, which it depends on" in said
    assert "both change calc.py" in said


def commented(new_desk: NewDesk, delivered: Delivered, settings: str) -> Desk:  # noqa: F811
    """Give a desk for a small story whose pull request a reviewer comments on, in a project of these settings."""
    project = delivered.project
    commit(project, {".baton.yaml": CONFIG + settings}, "settings")
    git(project, "push", "--quiet", "origin", "main")
    delivered.actions.job(delivered.actions.head("main"))
    named = ("--id", "42", "--criterion", "calc.sub(3, 5) is -2", "--complexity", "1")
    baton(project, "story", "new", "Subtract", *named)
    baton(project, "next", "42")
    baton(project, "answer", "42", "accept")

    def review() -> None:
        pulls = delivered.hub.repository(REPOSITORY).pull_requests
        if pulls and not delivered.pull.threads:
            delivered.pull.review(by="alice", threads=[Inline("report.py", 1, RENAME)])

    delivered.hub.misbehave(Meanwhile(review), times=None)
    delivered.on_story(*[delivered.actions.job] * 3)  # at first, by the round, after it
    cast = lambda story, _: lambda talk: delivers(talk, story)  # noqa: E731
    desk = supervised(new_desk, project, cast, main=orchestrate, **{READER: reader, RESOLVER: resolver()})
    return driven(desk).with_extra(**{name: os.environ[name] for name in GH}, PYTHONDONTWRITEBYTECODE="1")


def test_a_comment_on_its_pull_request_is_fixed_answered_and_merged_in_one_call(
    new_desk: NewDesk,
    delivered: Delivered,  # noqa: F811
) -> None:
    desk = commented(new_desk, delivered, "feedback: {resolve: all}\n")
    code, said = finished(start(desk, "42"))
    assert code == 0, said
    [thread] = delivered.pull.threads
    assert [comment.author.login for comment in thread.comments if comment.author] == ["alice", "me"]
    assert (thread.resolved, delivered.pull.state, desk.model.of("main")) == (True, "MERGED", [])
    assert "total =" in delivered.actions.git("show", "main:report.py")
    assert git(delivered.project, "status", "--porcelain") == ""
    assert said.count("42: settle what was said on its pull request: begins") == 1, said


def test_a_question_of_its_round_ends_the_turn(
    new_desk: NewDesk,
    delivered: Delivered,  # noqa: F811
) -> None:
    desk = commented(new_desk, delivered, "production: [story/42-subtract]\n")
    code, said = finished(start(desk, "42"))
    assert (code, desk.model.of(RESOLVER), delivered.pull.state) == (1, [], "OPEN"), said
    assert "42 asks: Push to story/42-subtract? `baton answer pr-13 OPTION`, then `baton run 42`" in said
    assert "OPTION accept: lets baton push to it" in said


def test_a_service_that_is_overloaded_is_waited_for(new_desk: NewDesk, small: Path) -> None:
    desk = supervised(new_desk, small, lambda *_: refused).with_extra(CLAUDE_CODE_MAX_RETRIES="0")
    supervisor = start(desk, "42")
    assert supervisor.stdout is not None
    told = next(line for line in supervisor.stdout if line.startswith("42: waits: "))
    assert "the service is overloaded" in told
    os.killpg(supervisor.pid, signal.SIGINT)
    code, said = finished(supervisor)
    assert (code, len(state_of(small).runs)) == (4, 1), said
    judged = [event.rule for event in state_of(small).events if isinstance(event, Judged)]
    assert judged[-1] == "run/refused"


def test_on_a_terminal_a_table_is_drawn(new_desk: NewDesk, small: Path) -> None:
    desk = supervised(new_desk, small, lambda story, _: lambda talk: delivers(talk, story))
    line = [str(PLUGIN / "scripts" / "baton"), "run", "42"]
    with Terminal(line, small, desk.environment()) as terminal:
        terminal.wait_for(lambda: terminal.shows("runs at work: 1;") and terminal.shows(" tokens"), 60)
        terminal.wait_for(lambda: terminal.shows("42 complete: merged into main"), 60)


def test_after_ctrl_c_what_is_out_is_finished_and_judged(new_desk: NewDesk, ready: Path) -> None:
    def cast(story: str, role: str) -> Script:
        stop = lambda: os.killpg(supervisor.pid, signal.SIGINT) if supervisor.poll() is None else None  # noqa: E731
        return meanwhile(stop, plan(PLAN)) if role == "planner" else works(story, role)

    desk = supervised(new_desk, ready, cast)
    supervisor = start(desk, "42")
    code, said = finished(supervisor)
    assert (code, agents_sent(ready)) == (4, ["planner"]), said
    assert "42 stopped: you stopped it; `baton run 42` goes on" in said
    code, said = finished(start(desk, "42"))
    assert (code, agents_sent(ready)) == (0, ["planner", "implementer", "qa"]), said


def test_a_second_ctrl_c_stops_it_and_that_is_no_attempt(new_desk: NewDesk, ready: Path) -> None:
    stopped = list[str]()

    def endless(talk: Talk) -> Iterator[Step]:
        for step in Worker().endless(talk):
            os.killpg(supervisor.pid, signal.SIGINT)
            stopped.append("")
            yield step

    def cast(story: str, role: str) -> Script:
        return endless if role == "implementer" and not stopped else works(story, role)

    desk = supervised(new_desk, ready, cast)
    supervisor = start(desk, "42")
    code, said = finished(supervisor)
    judged = [event.rule for event in state_of(ready).events if isinstance(event, Judged)]
    assert (code, judged[-1]) == (4, "run/stopped"), said
    assert find_processes(find_project(ready), "42") == []
    code, said = finished(start(desk, "42"))
    assert code == 0, said
    attempts = json.loads(baton(ready, "timeline", "42", "--json"))["events"]
    assert [attempt["detail"][-9:] for attempt in attempts if attempt["kind"] == "dispatched"] == ["attempt 1"] * 4


def test_killed_and_called_again_every_run_is_carried_out_once(new_desk: NewDesk, ready: Path) -> None:
    killed, begun_anew = list[str](), SimpleQueue[object]()

    def cast(story: str, role: str) -> Script:
        def run(talk: Talk) -> Iterator[Step]:
            if role not in killed:
                killed.append(role)
                supervisors[-1].kill()
                supervisors[-1].wait()
                supervisors.append(start(desk, "42"))
                begun_anew.put(supervisors[-1])
            yield from works(story, role)(talk)

        return run

    desk = supervised(new_desk, ready, cast)
    supervisors = [start(desk, "42")]
    for _ in range(3):
        begun_anew.get(timeout=120)
    finished(supervisors[-1])
    assert [supervisor.returncode for supervisor in supervisors] == [-9, -9, -9, 0]
    assert agents_sent(ready) == ["planner", "implementer", "qa"]
    assert [len(run.starts) for run in state_of(ready).runs] == [1, 1, 1]
    assert merges(ready) == ["story 42: Subtract"]


def test_a_process_is_held_to_its_tree_its_role_and_its_hand_in(new_desk: NewDesk, ready: Path) -> None:
    refused = list[str]()

    def implementer(talk: Talk) -> Iterator[Step]:
        worker = Worker()
        yield from worker.begin(talk)
        story = str(next(worker.tree.glob("specs/42_*/story.md")))
        yield call("Read", file_path=story)
        for step in (
            call("Write", file_path=story, content="another story\n"),
            call("Write", file_path=str(ready / "new.py"), content="X = 1\n"),
            call("Bash", command=f"echo evil > {ready}/calc.py"),
            say("I am done"),
        ):
            yield step
            refused.append(f"{talk.result}{talk.news}")
        yield from worker.whole()(talk)

    def cast(story: str, role: str) -> Script:
        return implementer if role == "implementer" else works(story, role)

    code, said = finished(start(supervised(new_desk, ready, cast), "42"))
    assert code == 0, said
    assert [len(state_of(ready).runs), git(ready, "status", "--porcelain")] == [3, ""]
    assert "baton: " in refused[0]
    assert "haven't granted" in refused[1] or "baton: " in refused[1]
    assert "outside" in refused[2] or "requires approval" in refused[2]
    assert "is not over: nothing that ends it was handed in" in refused[3]
    assert "the client refused this, since nobody could answer: Bash: echo evil" in said
