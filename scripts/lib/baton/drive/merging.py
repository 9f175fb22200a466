"""Merges into the branch that is checked out: made whole, or begun and left for a run to resolve."""

from baton.artefacts.findings import Finding
from baton.drive.opened import OpenStory
from baton.errors import BatonError
from baton.outside.commits import Commit, begin_merge, conflicts, merge
from baton.outside.git import Git
from baton.outside.outbox import Effect
from baton.story.journal import Journal
from baton.story.state import fold

MARKERS = (b"<<<<<<<", b">>>>>>>")
# Where git looks for a NUL to tell a binary file.
BINARY_BYTES = 8000


def merge_once(story: OpenStory, commit: str) -> Commit:
    """Merge a commit into the branch that is checked out, unless it is in it; what git refused with otherwise."""
    git = story.git

    def look(_: str) -> str:
        head = git.commit_of("HEAD")
        return head if git.contains(commit, head) else ""

    def act() -> Commit:
        merged = merge(git, commit, _message(story))
        return Commit("", merged.said) if merged.code != 0 else Commit(git.commit_of("HEAD"))

    return story.perform(Effect("merge", merge_about(commit, git.branch), git.commit_of("HEAD"), look, act))


def merge_about(commit: str, branch: str) -> str:
    """Name a merge in the outbox."""
    return f"{commit[:12]} into {branch}"


def merge_with_conflicts(story: OpenStory, commit: str) -> Commit:
    """Begin a merge that conflicts and leave it open; gives the commit, or what git refused with."""
    git = story.git

    def look(_: str) -> str:
        return commit if git.merge_head == commit else ""

    def act() -> Commit:
        return begin_merge(git, commit, _message(story))

    return story.perform(Effect("merge", _about_conflict(commit, git.branch), git.commit_of("HEAD"), look, act))


def _about_conflict(commit: str, branch: str) -> str:
    return f"{merge_about(commit, branch)}, with conflicts"


def _message(story: OpenStory) -> str:
    into_base = story.git.branch == story.base
    return f"story {story.id}: {story.state.created.title if into_base else f'merge {story.base}'}"


def open_merge(story: OpenStory) -> str:
    """Give the commit whose merge the program began and nobody has concluded; nothing when there is none."""
    merged = _being_merged(story.git)
    ours = merged and ("merge", _about_conflict(merged, story.git.branch)) in story.state.outbox
    return merged if ours else ""


def _being_merged(git: Git) -> str:
    """Give the commit that is being merged; nothing where a killed git left the mark of a merge that is made."""
    merged = git.merge_head
    return merged if merged and not git.contains(merged, "HEAD") else ""


def story_merging(git: Git) -> str:
    """Name the story whose merge with its base was begun in this work tree; nothing when it is nobody's."""
    merged = _being_merged(git)
    about = ("merge", _about_conflict(merged, git.branch))
    for story_id in git.project.story_ids() if merged else []:
        try:
            records = Journal(git.project.journal(story_id)).records
        except BatonError:
            continue  # damaged: `doctor` shows it
        if records and about in fold(records).outbox:
            return story_id
    return ""


def told_conflict(story: OpenStory, commit: str) -> str:
    """Tell a run what it is to resolve."""
    names = ", ".join(f"`{name}`" for name in conflicts(story.git, "HEAD", commit))
    return (
        f"{story.base} ({commit[:12]}) conflicts with this branch; the merge is begun in the work tree: {names}. "
        f"`git diff --diff-filter=U` shows it, `git log -p HEAD..MERGE_HEAD -- FILE` what {story.base} did. "
        "Resolve each file so that it does what both sides want, leave no conflict marker, and name it under "
        "`## Changes Made`. Run no git command that writes: the program concludes the merge."
    )


def unresolved(story: OpenStory, declared: frozenset[str]) -> list[Finding]:
    """Find what is left of the conflicts of our open merge; `declared` names the files a run says it decided."""
    merged = open_merge(story)
    if not merged:
        return []
    found = []
    for name in conflicts(story.git, "HEAD", merged):
        sides = [story.git.blob(revision, name) for revision in ("HEAD", merged)]
        if line := _marker(story, name, sides):
            message = "a conflict marker is left: resolve it so that the file does what both sides want"
            found.append(Finding(name, f"line {line}", "conflict-marker", message))
        elif not _is_text(sides) and name not in declared:
            message = (
                "in conflict as a whole: keep it, change it or delete it, and name it under `## Changes Made`"
            )
            found.append(Finding(name, "file", "conflict-undecided", message))
    return found


def _is_text(sides: list[bytes | None]) -> bool:
    """Whether git could write both sides into the file, with markers."""
    return all(side is not None and b"\0" not in side[:BINARY_BYTES] for side in sides)


def _marker(story: OpenStory, name: str, sides: list[bytes | None]) -> int:
    """Give the number of the first line that is a marker and that neither side has; 0 when there is none."""
    path = story.project.root / name
    if path.is_symlink() or not path.is_file():
        return 0
    own = {line for side in sides if side for line in side.splitlines()}
    lines = enumerate(path.read_bytes().splitlines(), 1)
    return next((number for number, line in lines if line.startswith(MARKERS) and line not in own), 0)
