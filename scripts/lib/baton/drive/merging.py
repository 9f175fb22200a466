"""Merges into the branch that is checked out: made whole, or begun and left for a run to resolve."""

from collections.abc import Sequence

from baton.artefacts.findings import Finding, shown
from baton.drive.opened import OpenStory
from baton.errors import BatonError
from baton.outside.commits import Commit, begin_merge, conflicts, merge, probe_merge
from baton.outside.git import Git
from baton.outside.outbox import Effect
from baton.story.journal import Journal
from baton.story.state import fold

# How the outbox names a merge that is begun to be resolved.
CONFLICT = ", with conflicts"


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
    return merge_about(commit, branch) + CONFLICT


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
        state = fold(records) if records else None
        if state and about in state.outbox and state.stage not in ("complete", "abandoned"):
            return story_id
    return ""


def told_conflict(story: OpenStory, commit: str) -> str:
    """Tell a run what it is to resolve."""
    names = ", ".join(f"`{shown(name)}`" for name in conflicts(story.git, "HEAD", commit))
    return (
        f"{story.base} ({commit[:12]}) conflicts with this branch; the merge is begun in the work tree: {names}. "
        f"`git diff --diff-filter=U` shows it, `git log -p HEAD..MERGE_HEAD -- FILE` what {story.base} did. "
        "Resolve each file so that it does what both sides want, leave no conflict marker, and name it under "
        "`## Changes Made`. Run no git command that writes: the program concludes the merge."
    )


def unresolved(story: OpenStory, declared: frozenset[str]) -> list[Finding]:
    """Find what is left of the conflicts a run was sent out to resolve, whoever has concluded the merge meanwhile.

    `declared` names the files a run says it decided.
    """
    found = []
    for ours, theirs in _in_hand(story):
        probe = probe_merge(story.git, ours, theirs)
        sizes = story.git.marker_sizes(probe.names)
        for name in probe.names:
            sides = [story.git.blob(revision, name) for revision in (ours, theirs)]
            known = {line for side in sides if side for line in side.splitlines()}
            written = _marker((story.git.blob(probe.tree, name) or b"").splitlines(), sizes[name], known)
            if line := _marker(_lines(story, name), sizes[name], known):
                message = "a conflict marker is left: resolve it so that the file does what both sides want"
                found.append(Finding(shown(name), f"line {line}", "conflict-marker", message))
            elif not written and name not in declared:
                message = "in conflict as a whole: keep, change or delete it, and name it under `## Changes Made`"
                found.append(Finding(shown(name), "file", "conflict-undecided", message))
    return found


def _in_hand(story: OpenStory) -> list[tuple[str, str]]:
    """Give the two sides of the merge that was begun last, unless a gate has seen its end."""
    begun = [(about, sent) for (effect, about), sent in story.state.outbox.items() if about.endswith(CONFLICT)]
    for about, sent in begun[-1:]:
        merged = story.git.commit_of(about.split(" ")[0])
        if merged and not story.git.contains(merged, story.state.head):
            here = story.git.merge_head == merged or story.git.contains(merged, "HEAD")
            return [(sent.before, merged)] if here else []
    return []


def _marker(lines: list[bytes], size: int, known: set[bytes]) -> int:
    """Give the number of the first line that is a marker and that neither side has; 0 when there is none."""
    marks = (b"<" * size + b" ", b">" * size + b" ")
    numbered = enumerate(lines, 1)
    return next((number for number, line in numbered if line.startswith(marks) and line not in known), 0)


def _lines(story: OpenStory, name: str) -> list[bytes]:
    path = story.project.root / name
    return [] if path.is_symlink() or not path.is_file() else path.read_bytes().splitlines()


def has_submodule(story: OpenStory, names: Sequence[str], commit: str) -> bool:
    """Whether one of some conflicts is about a submodule: which commit to take stands in no file."""
    return any(story.git.is_submodule(revision, name) for name in names for revision in ("HEAD", commit))
