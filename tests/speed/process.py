"""A command that is measured, and how it is run."""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter
from typing import NamedTuple, NoReturn

PASS = "python3 -c pass"
ALWAYS = sys.maxsize
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
BATON = str(SCRIPTS / "baton")
SETTINGS = "base: main\nintegrate: {mode: local}\ncommands: {test: 'true'}\n"


class Call(NamedTuple):
    """A command to measure, where it runs, and how what it says begins; `fresh`: in a copy, which it changes."""

    words: tuple[str, ...]
    folder: Path
    says: str = ""
    stdin: str = ""
    fresh: bool = False
    rounds: int = ALWAYS  # it is run in so many at most, beside the one in which it is weighed
    pages: int = 0  # what it has to ask GitHub for


class Ran(NamedTuple):
    """What a call took, and what it said."""

    seconds: float
    out: str
    err: str


def run(call: Call) -> Ran:
    """Run a call, which must go well; give the seconds it took and what it said."""
    fresh = mkdtemp(dir=call.folder.parent) if call.fresh else ""
    folder = shutil.copytree(call.folder, fresh, dirs_exist_ok=True) if fresh else call.folder
    begin = perf_counter()
    done = subprocess.run(call.words, cwd=folder, input=call.stdin.encode(), capture_output=True, check=False)
    ran = Ran(perf_counter() - begin, *(one.decode(errors="replace") for one in (done.stdout, done.stderr)))
    if done.returncode != 0 or not (ran.out + ran.err).startswith(call.says):
        said = " ".join((ran.out + ran.err).split())[-300:]
        fail(f"`{' '.join(call.words)}` ended with {done.returncode} and said {said}")
    return ran


def make_work_tree(root: Path, *steps: str) -> None:
    """Make a repository with baton's settings committed, and take the steps in it, each a line."""
    root.mkdir()
    (root / ".baton.yaml").write_text(SETTINGS)
    first = ("git init --quiet --template= -b main", "git add .baton.yaml", "git commit --quiet --message first")
    for program, *words in map(str.split, [*first, *steps]):
        run(Call((BATON if program == "baton" else program, *words), root))


def fail(what: str) -> NoReturn:
    """Say in one line what is wrong, and end."""
    print(f"bench: {what}", file=sys.stderr)
    sys.exit(2)
