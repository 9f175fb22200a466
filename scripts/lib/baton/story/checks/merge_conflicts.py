"""Find what is left of the conflicts that a run was started to resolve."""

from collections.abc import Callable, Sequence
from pathlib import Path

from baton.artifacts.findings import Finding, writable_name
from baton.git.command import Git
from baton.git.history import kind_in
from baton.git.objects import merge_trees
from baton.journal.atomic_file import write_durably
from baton.journal.run import Run
from baton.story.session.session import StorySession, base_commit_of
from baton.text import plural, quoted

# Of a conflict a question shows so many files, of each so many hunks, of each so many lines.
SHOWN_FILES, SHOWN_HUNKS, SHOWN_LINES = 10, 5, 40
# Returns what a file holds, nothing when it is not there.
Read = Callable[[str], bytes]


def conflict_instructions(base: str, commit: str, names: Sequence[str]) -> str:
    """Say what is to be resolved, to the run that is to do so and to its user alike."""
    listed = ", ".join(f"`{writable_name(name)}`" for name in names)
    return (
        f"{base} ({commit[:12]}) conflicts with this story in {listed}. In the tree of the run that resolves it "
        "`baton begin` begins the merge. "
        f"`git diff --diff-filter=U` shows it, `git log -p HEAD..MERGE_HEAD -- FILE` what {base} did. "
        "Resolve each file so that it does what both sides want, leave no conflict marker, and name it among your "
        "changes. The program makes the merge."
    )


def show_conflict(story: StorySession, ours: str, theirs: str) -> dict[str, str]:
    """Return what a question shows of a merge that conflicts: its hunks, by file, and the file that keeps them."""
    merged = merge_trees(story.git, ours, theirs)
    sizes = marker_sizes(story.git, merged.conflicts)
    parts = [
        quoted(writable_name(name), _hunks(story.git.blob(merged.tree, name) or b"", sizes[name]))
        for name in merged.conflicts[:SHOWN_FILES]
    ]
    more = len(merged.conflicts) - SHOWN_FILES
    parts += [f"and {plural(more, 'file')} more"] if more > 0 else []
    kept = story.project.state / story.id / "conflict.txt"
    of_base = story.git.contains(theirs, base_commit_of(story))
    side = story.settings().base if of_base else "a run's work"
    head = f"what conflicts as {side} ({theirs[:12]}) is merged into {story.branch} ({ours[:12]}):"
    text = "\n".join([head, *parts])
    write_durably(kept, f"{text}\n", story.project.common)
    return {"artifact": str(kept), "quote": text}


def _hunks(data: bytes, size: int) -> str:
    """Return the parts of a file that conflict, between git's markers, of long ones the first lines."""
    lines = data.decode(errors="replace").splitlines()
    begins = [number for number, line in enumerate(lines) if line.startswith("<" * size + " ")]
    ends = [number for number, line in enumerate(lines) if line.startswith(">" * size + " ")]
    hunks = list[str]()
    for begin, end in list(zip(begins, ends, strict=False))[:SHOWN_HUNKS]:
        hunk = [f"line {begin + 1}:", *lines[begin : min(end + 1, begin + SHOWN_LINES)]]
        hunks += [*hunk, *(["…"] if end >= begin + SHOWN_LINES else [])]
    more = len(begins) - SHOWN_HUNKS
    hunks += [f"and {plural(more, 'hunk')} more"] if more > 0 else []
    return "\n".join(hunks) or "as a whole: one side deleted or renamed it, or it is not text"


def in_tree(root: Path) -> Read:
    """Read files as a work tree has them."""

    def read(name: str) -> bytes:
        path = root / name
        return b"" if path.is_symlink() or not path.is_file() else path.read_bytes()

    return read


def in_commit(git: Git, commit: str) -> Read:
    """Read files as a commit has them."""
    return lambda name: git.blob(commit, name) or b""


def find_unresolved(story: StorySession, run: Run, read: Read, declared: frozenset[str]) -> list[Finding]:
    """Find the conflict markers a run left, and the files it was to decide as a whole and does not name."""
    ours, theirs = run.dispatched.head, run.dispatched.merging
    if not theirs:
        return []
    findings, merged = [], merge_trees(story.git, ours, theirs)
    sizes = marker_sizes(story.git, merged.conflicts)
    for name in merged.conflicts:
        sides = [story.git.blob(revision, name) for revision in (ours, theirs)]
        known = {line for side in sides if side for line in side.splitlines()}
        written = _marker((story.git.blob(merged.tree, name) or b"").splitlines(), sizes[name], known)
        if line := _marker(read(name).splitlines(), sizes[name], known):
            message = "a conflict marker is left: resolve it so that the file does what both sides want"
            findings.append(Finding(writable_name(name), f"line {line}", "conflict-marker", message))
        elif not written and name not in declared:
            message = "in conflict as a whole: keep, change or delete it, and name it among your changes"
            findings.append(Finding(writable_name(name), "file", "conflict-undecided", message))
    return findings


def marker_sizes(git: Git, paths: list[str]) -> dict[str, int]:
    """Return the length of the conflict markers that git writes into each file."""
    words = ("check-attr", "-z", "conflict-marker-size", "--", *paths)
    fields = git.do(*words, literal=False).split("\0")[:-1] if paths else []
    known = dict(zip(fields[::3], fields[2::3], strict=True))
    return {path: int(size) if (size := known.get(path, "")).isdecimal() else 7 for path in paths}


def _marker(lines: list[bytes], size: int, known: set[bytes]) -> int:
    """Return the number of the first line that is a marker and that neither side has; 0 when there is none."""
    marks = (b"<" * size + b" ", b">" * size + b" ")
    numbered = enumerate(lines, 1)
    return next((number for number, line in numbered if line.startswith(marks) and line not in known), 0)


def has_submodule(git: Git, names: Sequence[str], ours: str, theirs: str) -> bool:
    """Whether one of some conflicts is about a submodule: which commit to take stands in no file."""
    return any(kind_in(git, revision, name) == "submodule" for name in names for revision in (ours, theirs))
