"""A disk that is full or cannot be written: one line, nothing half-made, and all goes on once it is fixed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench import CRITERIA, PLAN, ROOT, Bench

UNSHARED = ("unshare", "--map-root-user", "--mount", "sh", "-eu", "-c")
RESTED = "import fcntl, sys; [fcntl.flock(open(one), fcntl.LOCK_EX) for one in sys.argv[1:]]"
BATON = "import sys; sys.path.insert(0, sys.argv.pop(1)); from baton.cli import main; sys.exit(main())"
TREE = 'import json, sys; print(json.load(sys.stdin)["tree"])'
NEW = f'story new Another --criterion "{CRITERIA[0]}"'
# Everything happens in one shell: a mount is seen by the processes of its own name space alone.
HEAD = f"""
disk=$1 python=$2 lib=$3 size=$4
baton() {{ "$python" -c '{BATON}' "$lib" --project "$disk/copy" "$@"; }}
rest() {{ "$python" -c '{RESTED}' $(ls "$disk"/copy/.git/baton/*/checks/*/lock); }}
mount -t tmpfs -o size=$size none "$disk"
cp -a "$disk/../project" "$disk/copy"
"""
# `try` says how a call ended, and in how many lines.
FILL = """
fill() { cat /dev/zero > "$disk/filler" 2>/dev/null || true; truncate -s -"$1"k "$disk/filler"; }
try() {
  code=0; "$@" 2>"$disk/../err" || code=$?
  echo "code $code lines $(wc -l < "$disk/../err")"
  cat "$disk/../err"
}
"""


def in_a_disk_of_its_own(bench: Bench, script: str, size: str = "8m") -> str:
    """Copy the repository to a small disk and run a script there; gives what it printed on both streams."""
    disk = bench.root.parent / "disk"
    disk.mkdir()
    words = (*UNSHARED, HEAD + FILL + script, "sh", str(disk), sys.executable, str(ROOT / "scripts/lib"), size)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    return done.stdout + done.stderr


def can_mount(folder: Path) -> bool:
    """Whether this machine lets a test have a disk of its own."""
    if sys.platform != "linux" or not shutil.which("unshare"):
        return False
    words = (*UNSHARED, f"mount -t tmpfs -o size=64k none '{folder}'")
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture(autouse=True)
def mounts(tmp_path: Path) -> None:
    """Skip where no disk can be made."""
    if not can_mount(tmp_path):
        pytest.skip("this machine lets no user mount a disk in a name space of its own")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("free", [0, 4, 8, 12, 16, 24, 32])
def test_a_story_is_made_whole_or_not_at_all_on_a_full_disk(free: int, story: Bench) -> None:
    said = in_a_disk_of_its_own(story, f"""
        fill {free}
        try baton {NEW}
        ls "$disk/copy/.git/baton/43" || true
        rm "$disk/filler"
        [ $code -eq 0 ] || baton {NEW}
        baton next 43
    """)  # fmt: skip
    assert ("code 0 lines 0" in said) != ("code 2 lines 1" in said)
    is_made = "code 0" in said or "`baton next 43` makes it" in said
    assert ("journal.jsonl\n" in said) == is_made
    assert "DO spawn baton:planner" in said


@pytest.mark.sampled(1)
@pytest.mark.parametrize("free", [0, 4, 8, 12, 16, 24, 32, 48])
def test_a_step_goes_on_where_a_full_disk_stopped_it(free: int, story: Bench) -> None:
    said = in_a_disk_of_its_own(story, f"""
        fill {free}
        try baton next 42
        rm "$disk/filler"
        baton next 42
        rest
        git -C "$disk/copy" fsck --strict
    """)  # fmt: skip
    assert ("code 0 lines 0" in said) != ("code 2 lines 1" in said)
    # The commands that are tried first may have met the full disk: that is asked about.
    assert "WHY start/machine" in said or (
        "sess" in said and ("DO spawn baton:planner" in said or "DO wait" in said)
    )


@pytest.mark.parametrize("free", [0, 4, 8])
def test_an_artifact_is_taken_once_a_full_disk_has_room(free: int, planning: Bench) -> None:
    run = planning.run.id
    planning.write({"../plan.md": PLAN})
    said = in_a_disk_of_its_own(planning, f"""
        tree=$(baton begin {run} --make --json | "$python" -c '{TREE}')
        fill {free}
        try baton --project "$tree" hand-in 42 plan --run {run} --file "$disk/../plan.md"
        rm "$disk/filler"
        baton --project "$tree" hand-in 42 plan --run {run} --file "$disk/../plan.md"
        cmp "$disk/../plan.md" "$disk/copy/.git/baton/42/files/specs/42_subtract-numbers/42.execution-plan.md"
    """)  # fmt: skip
    assert ("code 0 lines 0" in said) != ("code 2 lines 1" in said)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("verb", ["next 42", NEW, "init --allow", "answer 42 accept"])
def test_a_disk_that_cannot_be_written_is_one_line(verb: str, story: Bench) -> None:
    said = in_a_disk_of_its_own(story, f"""
        mount -o remount,ro "$disk"
        try baton {verb}
        baton status
        mount -o remount,rw "$disk"
        baton next 42
    """)  # fmt: skip
    assert "code 2 lines 1" in said
    assert "Read-only file system" in said or verb.startswith(("answer", "init"))
    assert "DO spawn baton:planner" in said
