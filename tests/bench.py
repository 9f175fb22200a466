"""A repository to drive stories in, as the user and their agents do: by the commands, in this process."""

import fcntl
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from baton.cli import main
from baton.git.command import find_project
from baton.journal.events import Created
from baton.journal.journal import Journal
from baton.journal.journal_head import head_of
from baton.journal.paths import Folder, Project
from baton.journal.run import Run
from baton.journal.state import State, fold
from programs import write_program
from watch import watched

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[1]
LAUNCHER = ROOT / "scripts" / "baton"
CRITERIA = ("sub(3, 2) is 1", "a test shows it")
# Where the story of a bench is: its branch and its folder.
STORY, FOLDER = "story/42-subtract-numbers", "specs/42_subtract-numbers"
COMMANDS = {"setup": "sh tools/setup.sh", "build": "sh tools/build.sh", "test": "sh tools/test.sh"}
# No pause before a run that follows a repeated error: nothing here waits.
SETTINGS = "base: main\nintegrate: {mode: local}\nloop: {backoff_s: 0}\n"
WITH_COMMANDS = f"{SETTINGS}commands: {json.dumps(COMMANDS)}\n"
FILES = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    ".gitignore": "*.log\n",
    **{f"tools/{name}.sh": "true\n" for name in COMMANDS},
}
# How long what runs in the background may take, and how often it is looked at.
REST_SECONDS, LOOK_SECONDS = 120, 0.01
# What the user has in their work tree beside the story: the last of them is ignored.
OWN_FILES = {"my notes.txt": "a note\n", "scratch/idea.txt": "an idea\n", "my.env": "KEY=1\n"}
PLAN = """# Plan

## Implementation Sequence

### Phase 1: subtract [NOT STARTED]

do it

### Phase 2: test it [NOT STARTED]

see it

## Edge Cases

none

## Test Checkpoints

the unit test

## Risk Register

none
"""
ROW = "  - id: AC{}\n    result: {}\n    evidence: ran it\n"
SECOND = ROW.format(2, "PASS")


def report_on(*files: str, criteria: int = 2) -> str:
    """Return an implementer's report that names these files."""
    changes = "".join(f"  - file: {name}\n    what: changed\n" for name in files)
    mapping = "".join(f"  - id: AC{number}\n    where: here\n" for number in range(1, criteria + 1))
    ends = "rules_applied: []\nblocking_failures: []\n"
    return f"changes_made:{'' if files else ' []'}\n{changes}criteria_mapping:\n{mapping}{ends}"


def verdict_on(criteria: int, verdict: str, reason: str = "seen", evidence: str = "ran it") -> str:
    """Return a QA report that passes this many criteria."""
    rows = [f"{ROW.format(number, 'PASS')}".replace("ran it", evidence) for number in range(1, criteria + 1)]
    return f"verdict: {verdict}\nreason: {reason}\ncriteria:{' []' if not rows else ''}\n{''.join(rows)}"


REPORT = report_on("test_calc.py")
VERDICT = verdict_on(2, "{}", "{}")
DELIVERED = f"{VERDICT}changes_made:\n  - file: test_calc.py\n    what: a test\nblocking_failures: []\n"
DELTA = "---\nartefact_type: memory-delta\n---\n## New Knowledge Candidates\n- sub is not commutative\n"
HANDOFF = "## Immediate Next Action\nphase 2\n## Current State\nphase 1 is done\n"
IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A Person"), ("EMAIL", "person@example.com"))
}


def surroundings(home: Path) -> dict[str, str | None]:
    """Give the settings of the environment that keep a test from this machine's own; None: to be unset."""
    client = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR", "BATON_HOOKS")
    unset = (*client, "MAX_ITERATIONS", "XDG_DATA_HOME", "AI_AGENT", "BATON_MODULE", "CLAUDE_CODE_SIMPLE")
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
    isolated = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return {**dict.fromkeys(unset), **own, **isolated, **IDENTITY}


def isolate(patch: "pytest.MonkeyPatch", home: Path) -> None:
    """Keep what a test starts from this machine's own settings."""
    for name, value in surroundings(home).items():
        if value is None:
            patch.delenv(name, raising=False)
        else:
            patch.setenv(name, value)


class CallResult(NamedTuple):
    """What a call of baton came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code in (0, 1), self.err
        return json.loads(self.out)

    @property
    def refused(self) -> str:
        """The one line in which the call was refused."""
        assert (self.code, self.out, self.err.count("\n")) == (2, "", 1), self.out + self.err
        return self.err

    @property
    def rules(self) -> list[str]:
        """The rules that a hand-in was found to break."""
        return [finding["rule"] for finding in self.json["findings"]]

    @property
    def action(self) -> str:
        """The first line, which says what to do."""
        return self.out.splitlines()[0]


class Typed(io.TextIOWrapper):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


def call(*words: str, stdin: str | bytes = "", terminal: bool = False) -> CallResult:
    """Call baton in this process as the launcher would; with `terminal`, what it reads is typed at one."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    buffers = [io.BytesIO(given), io.BytesIO(), io.BytesIO()]
    kinds = (Typed if terminal else io.TextIOWrapper, io.TextIOWrapper, io.TextIOWrapper)
    streams = [
        kind(one, encoding="utf-8", errors="surrogateescape") for kind, one in zip(kinds, buffers, strict=True)
    ]
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    sys.argv, sys.stdin, sys.stdout, sys.stderr = ["baton", *words], *streams
    try:
        with watched(words, given) as watch:
            watch.code = code = main()
            for stream in streams[1:]:
                stream.flush()
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before
    return CallResult(code, *(buffer.getvalue().decode("utf-8", "surrogateescape") for buffer in buffers[1:]))


@contextmanager
def as_a_hook() -> Iterator[None]:
    """Have calls be made as the client makes those of its hooks, which lack what its shells have."""
    kept = os.environ.pop("BATON_HOOKS", None)
    try:
        yield
    finally:
        os.environ.update({"BATON_HOOKS": kept} if kept else {})


def call_hook(event: str, **payload: object) -> CallResult:
    """Call a hook as the client does."""
    with as_a_hook():
        return call("hook", event, stdin=json.dumps(payload))


@dataclass(frozen=True)
class Bench:
    """A work tree, and the story in it that a test is about."""

    root: Path
    id: str = "42"

    # The user's part

    def baton(self, *words: str, stdin: str | bytes = "") -> CallResult:
        """Call baton in this work tree; the user answers at a terminal."""
        return call(
            "--project", str(self.root), *words, stdin=stdin, terminal=words[:1] in (("answer",), ("init",))
        )

    def new(self, title: str = "Subtract numbers", *more: str) -> CallResult:
        """Make the story."""
        criteria = [word for criterion in CRITERIA for word in ("--criterion", criterion)]
        return self.baton("story", "new", title, "--id", self.id, *criteria, *more)

    def next(self, *flags: str) -> Any:
        """Ask for the next step of the story, as data."""
        said = self.baton("next", self.id, "--json", *flags)
        assert said.code == 0, said.err
        return said.json

    def answer(self, option: str, note: str = "") -> Any:
        """Answer the open question, and ask for the next step."""
        said = self.baton("answer", self.id, option, "--note", note)
        assert said.code == 0, said.err
        return self.next()

    def begin(self, *more: str, title: str = "Subtract numbers") -> Any:
        """Make the story, confirm what is asked at its start, and send its first run out; gives that step."""
        self.new(title, *more)
        step = self.next()
        while step["rule"] in ("start/commands", "start/machine"):
            step = self.answer("accept")
        return step

    def git(self, *words: str, stdin: str | bytes = "", code: int | None = 0) -> str:
        """Call git in this work tree, which ends with `code` (None: any); returns what it printed."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(("git", *words), cwd=self.root, input=given, capture_output=True, check=False)
        assert code in (None, done.returncode), done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, files: Mapping[str, str]) -> None:
        """Write files into the work tree."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def forget(self) -> None:
        """Lose the story's journal, as a fresh clone does; it is kept beside its place."""
        for one in (self.journal, head_of(self.journal)):
            one.rename(one.with_name(f"{one.name}.aside"))

    def rewrite(self, **fields: object) -> bytes:
        """Write the journal anew with another first event; returns its bytes."""
        first, *others = Journal(self.journal).records
        self.forget()
        times = iter([other.time for other in (first, *others)])
        journal = Journal(self.journal, clock=lambda: next(times))
        assert isinstance(first.event, Created)
        for event in (first.event._replace(**fields), *(other.event for other in others)):  # type: ignore[arg-type]
            journal.append(event)
        return self.journal.read_bytes()

    def configure(self, settings: str) -> None:
        """Commit other settings on main, which is checked out."""
        self.commit({".baton.yaml": settings})

    def settle(self, before: str, after: str) -> None:
        """Commit on main its settings with a text for another, or with more at their end."""
        old = self.git("show", "main:.baton.yaml")
        self.configure(old.replace(before, after) if before else f"{old}\n{after}\n")

    def commit(self, files: Mapping[str, str], branch: str = "main") -> str:
        """Commit files on a branch; where it is checked out, that follows, as with a pull."""
        before = self.git("rev-parse", branch)
        self.commit_lines(branch, *file_lines(files))
        if self.branch == branch:
            self.git("update-index", "-q", "--refresh", code=None)
            self.git("read-tree", "-m", "-u", before, branch)
        return self.git("rev-parse", branch)

    def commit_lines(self, branch: str, *lines: str) -> None:
        """Commit on a branch what lines of `git fast-import` say; what is checked out stays."""
        head = f"commit refs/heads/{branch}\ncommitter B <b@example.com> 1700000000 +0000\ndata 4\nmore\n"
        body = "".join(f"{line}\n" for line in (f"from refs/heads/{branch}^0", *lines))
        self.git("fast-import", "--quiet", "--force", stdin=head + body)

    def delete(self, *names: str) -> None:
        """Delete files in the work tree, and commit that."""
        self.git("rm", "--quiet", "-r", "--", *names)
        self.git("commit", "--quiet", "--message", "gone")

    # An agent's part

    @property
    def tree(self) -> Path:
        """The work tree of the newest run, which is begun there unless it was."""
        begun = self.run.begun
        if begun is None:
            said = self.baton("begin", self.run.id, "--make", "--json")
            assert said.code == 0, said.err
            return Path(said.json["tree"])
        return Path(begun.tree)

    def edit(self, files: Mapping[str, str]) -> None:
        """Write files into the work tree of the run that is running."""
        Bench(self.tree).write(files)

    def in_tree(self, *words: str, stdin: str | bytes = "") -> CallResult:
        """Call baton in the work tree of the run that is running."""
        return call("--project", str(self.tree), *words, stdin=stdin)

    def hand_in(self, kind: str, text: str | bytes, run: str = "") -> CallResult:
        """Hand an artifact in for a run, the one that is out unless another is named."""
        return self.in_tree("hand-in", self.id, kind, "--run", run or self.run.id, "--json", stdin=text)

    def meta(self, status: str, **more: object) -> CallResult:
        """Hand in return metadata."""
        return self.hand_in("return-meta", json.dumps({"status": status, **more}))

    def insist(self, kind: str, text: str) -> CallResult:
        """Hand in what ends a run as often as it takes: what contradicts it is refused twice at most."""
        said = [self.hand_in(kind, text)]
        while said[-1].code and len(said) < 3:
            said.append(self.hand_in(kind, text))
        assert said[-1].code == 0, said[-1].out + said[-1].err
        return said[-1]

    def end(self) -> Any:
        """Say that the run that is running, and had begun, has ended, and ask for the next step."""
        assert self.tree
        return self.next("--ended", self.run.id)

    def finish_plan(self, text: str = PLAN) -> None:
        """Be the planner, and hand in all it has to, without asking for the next step."""
        assert self.hand_in("plan", text).code == 0
        assert self.meta("planned").code == 0

    def plan(self, text: str = PLAN) -> Any:
        """Be the planner: hand in a plan and end; gives the next step."""
        self.finish_plan(text)
        return self.end()

    def mark(self, *closed: int, mark: str = "COMPLETED") -> None:
        """Set the marks of phases in the plan."""
        path = self.tree / self.folder.relative / self.place("plan").name
        lines = path.read_text(encoding="utf-8").split("\n")
        for number in closed:
            at = next(index for index, line in enumerate(lines) if line.startswith(f"### Phase {number}:"))
            lines[at] = f"{lines[at].split(' [')[0]} [{mark}]"
        path.write_text("\n".join(lines), encoding="utf-8")

    def work(self, *closed: int, status: str = "partial", **more: object) -> Any:
        """Be the implementer for some phases: mark them, hand in metadata and end; gives the next step."""
        self.mark(*closed)
        if status in ("blocked", "failed"):
            more.setdefault("errors", [{"message": "no network"}])
        self.insist("return-meta", json.dumps({"status": status, **more}))
        return self.end()

    def report(self, text: str = REPORT, files: Mapping[str, str] | None = None) -> CallResult:
        """Be the implementer for the rest: change files, close all phases, hand a report in and hear of it."""
        self.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n", **(files or {})})
        self.mark(1, 2)
        return self.hand_in("impl-report", text)

    def implement(self, files: Mapping[str, str] | None = None, report: str = REPORT) -> Any:
        """Be the implementer for the rest, and end, whatever is said of the report; gives the next step."""
        if self.report(report, files).code:
            self.insist("impl-report", report)
        return self.end()

    def judge(self, verdict: str = "PASS", reason: str = "seen") -> Any:
        """Be QA: hand in a report with this verdict and end; gives the next step."""
        said = self.hand_in("qa-report", verdict_on(len(self.state.criteria), verdict, reason))
        assert said.code == 0, said.out + said.err
        return self.end()

    def deliver(self, verdict: str = "PASS", reason: str = "seen", files: Mapping[str, str] | None = None) -> Any:
        """Be the run that does a small story whole: change files, report and end; gives the next step."""
        self.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n", **(files or {})})
        self.insist("micro-delivery-report", DELIVERED.format(verdict, reason))
        return self.end()

    def hook(self, name: str, lines: str) -> None:
        """Put one of git's hooks in place."""
        write_program(self.root / ".git/hooks" / name, lines)

    # What there is to see

    @property
    def project(self) -> Project:
        """The repository, as the program would find it."""
        git_dir = self.root / ".git"
        return Project(self.root, git_dir, git_dir) if git_dir.is_dir() else find_project(self.root)

    @property
    def journal(self) -> Path:
        return self.project.journal(self.id)

    @property
    def state(self) -> State:
        return fold(Journal(self.journal).records)

    @property
    def run(self) -> Run:
        """The newest run."""
        return self.state.runs[-1]

    @property
    def rules(self) -> list[str]:
        """The rules of all that was decided and stepped through, in order."""
        return [rule for event in self.state.events if (rule := getattr(event, "rule", ""))]

    @property
    def folder(self) -> Folder:
        """The story's folder."""
        return self.project.copy_of(self.state.created.folder, self.id)

    def place(self, kind: str) -> Path:
        """The place of one of the story's artifacts."""
        return self.folder.artifact(kind)

    @property
    def brief(self) -> str:
        """What the newest run is told."""
        return self.folder.brief(self.run.id).read_text(encoding="utf-8")

    @property
    def branch(self) -> str:
        """The branch that is checked out."""
        return self.git("branch", "--show-current")

    def committed(self, revision: str = "HEAD") -> list[str]:
        """The files a commit changed."""
        return self.git("diff-tree", "--no-commit-id", "--name-only", "-r", revision).splitlines()

    def bytes(self, folder: Path | None = None) -> dict[str, bytes]:
        """Every file under a folder, the story's unless another is named, by its path."""
        self.rest()
        top = folder or self.folder.path
        return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}

    @property
    def changes(self) -> str:
        """What `git status` shows, the files the user has beside the story aside."""
        lines = self.git("status", "--porcelain", "--untracked-files=all").splitlines()
        return "\n".join(line for line in lines if line[3:].strip('"') not in OWN_FILES)

    @property
    def trees(self) -> list[Path]:
        """The work trees git knows, the user's second one and the check trees aside."""
        self.rest()
        lines = self.git("worktree", "list", "--porcelain").splitlines()
        found = [Path(line.removeprefix("worktree ")) for line in lines if line.startswith("worktree ")]
        return [one for one in found if one != self.beside and one.name != "check"]

    @property
    def beside(self) -> Path:
        """The place of the user's second work tree."""
        return self.root.with_name(f"{self.root.name}-hobby")

    @property
    def is_busy(self) -> bool:
        """Whether the project's commands are being run in the background."""
        return any(map(_is_locked, (self.root / ".git/baton").glob("*/checks/*/lock")))

    def rest(self) -> None:
        """Wait until nothing runs in the background: only then is the repository a whole that can be compared."""
        deadline = time.monotonic() + REST_SECONDS
        while self.is_busy:
            assert time.monotonic() < deadline, f"commands still run in {self.root}"
            time.sleep(LOOK_SECONDS)

    def copy(self, to: Path) -> "Bench":
        """Copy the whole repository, its second work tree with it, to a folder that does not exist yet."""
        self.rest()
        copied = Bench(to, self.id)
        shutil.copytree(self.root, to, symlinks=True)
        if self.beside.is_dir():
            shutil.copytree(self.beside, copied.beside, symlinks=True)
            kept = to / ".git/worktrees" / Path((self.beside / ".git").read_text(encoding="utf-8").strip()).name
            (copied.beside / ".git").write_text(f"gitdir: {kept}\n", encoding="utf-8")
            (kept / "gitdir").write_text(f"{copied.beside / '.git'}\n", encoding="utf-8")
        return copied


def file_lines(files: Mapping[str, str]) -> list[str]:
    """Give the lines of `git fast-import` that write files."""
    return [f"M 644 inline {name}\ndata {len(text.encode())}\n{text}" for name, text in files.items()]


def _is_locked(path: Path) -> bool:
    with path.open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


# The session of the client that was recorded in tests/hooks/payloads.
SESSION = "a0457378-5db1-4318-9df9-5eaddb98cfa8"
# Play the way to a row of the decision tables: gives the repository and what it came to.
PlayScene = Callable[[str], tuple[Bench, Any]]
Reach = Callable[[str], Bench]


def new_bench(root: Path, settings: str = WITH_COMMANDS, files: Mapping[str, str] = FILES) -> Bench:
    """Make a repository with one commit on its branch main."""
    subprocess.run(("git", "init", "--quiet", "--template=", "-b", "main", root), check=True)
    bench = Bench(root)
    bench.write({**files, ".baton.yaml": settings} if settings else files)
    bench.git("add", "--all")
    bench.git("commit", "--quiet", "--message", "first")
    plant(bench)
    return bench


def plant(bench: Bench) -> None:
    """Give the repository what the user may have in it and could lose: tests/watch.py sees that it stays."""
    bench.write({"later.txt": "a thought\n", ".git/info/exclude": "/my.env\n"})
    bench.git("add", "later.txt")
    bench.git("stash", "push", "--quiet", "--message", "for later")
    bench.write(OWN_FILES)
    bench.git("worktree", "add", "--quiet", "-b", "hobby", str(bench.beside))
    second = Bench(bench.beside)
    second.write({"own.txt": "begun\n"})
    second.git("add", "own.txt")
    second.git("commit", "--quiet", "--message", "my own")
    second.git("tag", "hobby-1")
    second.write({"own.txt": "changed\n", "draft.txt": "new\n"})
