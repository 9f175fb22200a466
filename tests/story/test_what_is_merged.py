"""Whatever people, agents, hooks and crashes do, and in whatever order: what is merged is what was judged.

A merge on base is recomputed with git alone: its code is the code that passed QA, or git's own merge of that with
base without a conflict; its story is the one QA judged by; its tree, the story's folder aside, is one that the
commands ran on.
`BATON_EXAMPLES=500` tries as many ways, others each time.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baton.story.session.session import StorySession
from bench import CRITERIA, FOLDER, PLAN, REPORT, STORY, VERDICT, WITH_COMMANDS, Bench, isolate, new_bench
from bench import FILES as COMMON
from killing import Killed
from quick_run import rank

LONG = "BATON_EXAMPLES" in os.environ
FEW = settings(
    max_examples=int(os.environ.get("BATON_EXAMPLES", "6")),
    derandomize=not LONG,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
PAPER = re.compile(rf"{FOLDER}/(story\.md|42\.[a-z-]+\.md|(handoffs|summaries)/[a-zA-Z0-9-]+\.md)")
# The commands write down the tree they run on, as it lies there, the story's folder aside.
RAN = """index=$(mktemp -u)
export GIT_INDEX_FILE="$index"
git add --all . && git rm -r -q --cached --ignore-unmatch -- specs && git write-tree >> '{log}'
rm -f "$index"
"""
STEPS_TO_END = 12
PART = 2  # one of so many examples is tried in a quick run


class World:
    """A story on its way, and what a test knows of it by its own eyes: what QA passed, which merges are whose."""

    def __init__(self, bench: Bench, log: Path, patch: pytest.MonkeyPatch) -> None:
        self.bench, self.log, self.patch = bench, log, patch
        self.passed = set[tuple[str, str]]()
        self.known = {bench.git("rev-parse", "main")}
        self.merges = self.number = 0

    # What somebody does

    def base_moves(self, conflicts: bool) -> None:
        self.number += 1
        name = "calc.py" if conflicts else f"base{self.number}.py"
        self.known.add(self.bench.commit({name: f"BASE = {self.number}\n"}))

    @property
    def has_branch(self) -> bool:
        return bool(self.bench.git("branch", "--list", STORY))

    def commit_to_story(self, name: str, text: str) -> None:
        """Commit a file on the story branch, as long as there is one."""
        if self.has_branch:
            self.bench.commit({name: text}, STORY)

    def story_moves(self, conflicts: bool) -> None:
        self.number += 1
        name = "calc.py" if conflicts else f"story{self.number}.py"
        self.commit_to_story(name, f"THEIRS = {self.number}\n")

    def text_moves(self, conflicts: bool) -> None:
        self.number += 1
        if self.has_branch:
            text = self.bench.git("show", f"{STORY}:{FOLDER}/story.md")
            new = text.replace(CRITERIA[0], f"sub(3, 2) is 1, {self.number}") if conflicts else f"{text}\nmore\n"
            self.commit_to_story(f"{FOLDER}/story.md", f"{new}\n")

    def pass_is_forged(self, _: bool) -> None:
        self.commit_to_story(f"{FOLDER}/42.qa-report.md", VERDICT.format("PASS", "forged"))

    def papers_get_company(self, _: bool) -> None:
        self.number += 1
        self.commit_to_story(f"{FOLDER}/conftest.py", f"EVIL = {self.number}\n")

    def hooks_add_files(self, _: bool) -> None:
        self.number += 1
        for name in ("pre-commit", "pre-merge-commit", "commit-msg"):
            self.bench.hook(name, f"echo EVIL > evil{self.number}.py; git add evil{self.number}.py")

    def merged_by_hand(self, _: bool) -> None:
        """The user merges the story branch by hand, as it is."""
        if self.has_branch:
            self.bench.git("merge", "--quiet", "--no-ff", "--no-verify", "--message", "by hand", STORY, code=None)
            if (self.bench.root / ".git/MERGE_HEAD").exists():
                self.bench.git("merge", "--abort")
            self.known.add(self.bench.git("rev-parse", "main"))

    # What baton and its agents do

    def goes_on(self, well: bool) -> None:
        """Take the step that is due: an agent's part, an answer, or the next call."""
        match self.bench.state.stage:
            case "running":
                self.agent(well)
            case "question":
                question = self.bench.state.question
                options = [answer for answer in question.answers if answer != "abandon"] if question else [""]
                self.bench.baton("answer", "42", options[0 if well else -1])
                self.bench.baton("next", "42")
            case _:
                self.bench.baton("next", "42")

    def agent(self, well: bool) -> None:
        run, self.number = self.bench.run, self.number + 1
        if run.begun is None and self.bench.baton("begin", run.id, "--make").code:
            return
        tree = Bench(Path(self.bench.tree))
        if run.role == "qa":
            seen = self.code("HEAD", tree), self.text("HEAD", tree)
            said = self.bench.hand_in("qa-report", VERDICT.format("PASS" if well else "FAIL", "seen"))
            if well and said.code == 0:
                self.passed.add(seen)
        elif run.role == "planner":
            self.bench.hand_in("plan", PLAN)
            self.bench.meta("planned")
        else:
            self.bench.edit({"calc.py": f"SUB = {self.number}\n", f"work{self.number}.py": "W = 1\n"})
            self.bench.hand_in("impl-report", REPORT.replace("test_calc.py", "calc.py"))
            self.bench.mark(1, 2)
            self.bench.meta("implemented" if well else "partial")
        self.bench.baton("next", "42", "--ended", run.id)

    def killed(self, at: int, after: bool, well: bool) -> None:
        """Take the step that is due, and be killed at one of the events that are journalled on the way."""
        left, note = iter(range(at)), StorySession.note

        def noting(story: StorySession, event: Any) -> None:
            alive = next(left, None) is not None
            if alive or after:
                note(story, event)
            if not alive:
                raise Killed

        with self.patch.context() as patch, suppress(Killed):
            patch.setattr(StorySession, "note", noting)
            self.goes_on(well)

    # What is held

    def code(self, revision: str, where: Bench | None = None) -> str:
        """The tree of a commit without the story's papers, by a way of git that the program does not take."""
        listed = (where or self.bench).git("ls-tree", "-r", "-z", revision)
        return "\0".join(one for one in listed.split("\0") if not PAPER.fullmatch(one.partition("\t")[2]))

    def text(self, revision: str, where: Bench | None = None) -> str:
        lines = (where or self.bench).git("show", f"{revision}:{FOLDER}/story.md").splitlines()
        return "\n".join(line for line in lines if not line.startswith("status:"))

    def check(self) -> None:
        for commit in self.bench.git("rev-list", "--first-parent", "main").split():
            if commit not in self.known:
                self.known.add(commit)
                self.check_merge(commit)

    def check_merge(self, merge: str) -> None:
        base, closed = self.bench.git("rev-parse", f"{merge}^@").split()
        tip = self.bench.git("rev-parse", f"{closed}^1")
        passed = {code for code, _ in self.passed}
        assert self.code(tip) in passed or self.code(merge) in passed, "code that QA did not pass"
        if self.code(merge) not in passed:
            merged = self.bench.git("merge-tree", "--write-tree", tip, base)  # ends with 1 at a conflict
            assert self.code(merged) == self.code(merge), "not git's own merge"
        assert self.text(merge) in {text for _, text in self.passed}, "a story QA did not judge by"
        listed = self.bench.git("ls-tree", merge).splitlines()
        code = self.bench.git("mktree", stdin="\n".join(one for one in listed if not one.endswith("\tspecs")))
        assert code in self.log.read_text().split(), "never tested"
        self.merges += 1


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, Path]]:
    """A story with an implementer out, whose commands write down what they ran on, and where."""
    shelf = tmp_path_factory.mktemp("merged")
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, shelf / "home")
        log = shelf / "ran.log"
        bench = new_bench(shelf / "begun", WITH_COMMANDS, {**COMMON, "tools/test.sh": RAN.format(log=log)})
        bench.begin()
        bench.plan()
        yield bench, log


class Step(NamedTuple):
    """One thing that happens: by name, with its choice; `at` and `after` for where a process is killed."""

    what: str
    choice: bool = True
    at: int = 0
    after: bool = False


GOES_ON, KILLED = "goes_on", "killed"
OTHERS = (
    "base_moves", "story_moves", "text_moves", "pass_is_forged", "papers_get_company", "hooks_add_files",
    "merged_by_hand",
)  # fmt: skip
STEPS = st.one_of(
    st.builds(Step, st.just(GOES_ON), st.sampled_from([True, True, True, False])),
    st.builds(Step, st.sampled_from(OTHERS), st.booleans()),
    st.builds(Step, st.just(KILLED), st.just(True), st.integers(0, 9), st.booleans()),
)
WORKED, JUDGED = Step(GOES_ON), Step(GOES_ON)
KNOWN = {
    "the story moved": [WORKED, Step("story_moves", False), JUDGED],
    "base moved under hooks that add files": [WORKED, Step("base_moves", False), Step("hooks_add_files"), JUDGED],
    "the criteria changed": [WORKED, Step("text_moves"), JUDGED],
    "base conflicts": [WORKED, Step("base_moves", True), JUDGED],
}


def play_out(begun: tuple[Bench, Path], steps: list[Step]) -> World:
    """Let these things happen, then go on to the story's end; what is merged on the way is checked."""
    shelf, log = begun
    log.write_text("")
    home = shelf.root.parent / "play"
    shutil.rmtree(home, ignore_errors=True)
    with pytest.MonkeyPatch.context() as patch:
        world = World(shelf.copy(home / "project"), log, patch)
        for step in [*steps, *([Step(GOES_ON)] * STEPS_TO_END)]:
            if step.what == KILLED:
                world.killed(step.at, step.after, step.choice)
            else:
                getattr(world, step.what)(step.choice)
            world.bench.rest()
            world.check()
            if world.bench.state.stage == "complete":
                break
    return world


def test_a_story_nobody_disturbs_is_merged_once(begun: tuple[Bench, Path]) -> None:
    assert play_out(begun, []).merges == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("steps", KNOWN.values(), ids=KNOWN)
def test_what_is_merged_is_what_was_judged_in_a_known_way(begun: tuple[Bench, Path], steps: list[Step]) -> None:
    play_out(begun, steps)


@FEW
@given(steps=st.lists(STEPS, max_size=8))
def test_what_is_merged_is_what_was_judged(begun: tuple[Bench, Path], quick: bool, steps: list[Step]) -> None:
    if LONG or not quick or rank(steps) % PART == 0:
        play_out(begun, steps)
