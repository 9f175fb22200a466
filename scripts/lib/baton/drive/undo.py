"""Take back a story's merge, in a commit of its own on the base branch."""

from typing import NamedTuple

from baton.drive.opened import OpenStory
from baton.drive.start import check_tree
from baton.errors import BatonError
from baton.outside.commits import Commit, find_commit, revert
from baton.outside.outbox import Effect
from baton.story.events import Stepped


class Undone(NamedTuple):
    """What was taken back, by which commit, and on which branch."""

    story: str
    merge: str
    commit: str
    base: str


def undo(story: OpenStory) -> Undone:
    """Revert the story's merge on base, once; a BatonError says why nothing is to revert, or what git refused.

    What was checked out is checked out again, before it is journalled that the revert is made.
    """
    check_tree(story)
    git = story.git
    merged = _merge_of(story)
    about = _about(story, merged)
    # Of a call that was cut short, base is left checked out.
    left = about.partition(" from ")[2] if git.branch == story.base else git.branch
    on_base = f"refs/heads/{story.base}"
    line = f"This reverts commit {merged}, reversing"

    def look(_: str) -> str:
        found = find_commit(git, merged, line, on_base)
        brought_back = found and find_commit(git, found, f"This reverts commit {found}.", on_base)
        return "" if brought_back else found

    def act() -> Commit:
        git.switch(story.base)
        made = revert(git, merged)
        git.switch_back(left)
        return made

    if look(""):
        git.switch_back(left)
    made = story.perform(Effect("revert", about, git.branch_commit(story.base), look, act))
    if made.refused:
        remedy = f"revert it by hand: `git switch {story.base}`, then `git revert -m 1 {merged[:12]}`"
        raise BatonError(f"git refuses to revert the merge ({made.refused})", str(story.project.root), remedy)
    return Undone(story.id, merged, made.commit, story.base)


def _about(story: OpenStory, merged: str) -> str:
    """Name the revert, and the branch it is made from: of one that was interrupted, what was checked out then."""
    begun = [about for effect, about in story.state.outbox if effect == "revert" and merged[:12] in about]
    open_ones = [about for about in begun if not story.state.outbox["revert", about].done]
    return open_ones[-1] if open_ones else f"{merged[:12]} from {story.git.branch}"


def _merge_of(story: OpenStory) -> str:
    """Give the commit that merged the story into base."""
    where = f"story {story.id}"
    closed = [one.commit for one in story.state.events if isinstance(one, Stepped) and one.rule == "close/written"]
    if story.state.completed is None or not closed:
        raise BatonError("it is not complete: nothing of it was merged", where, f"`baton next {story.id}` goes on")
    if not story.git.contains(closed[-1], story.git.branch_commit(story.base)):
        remedy = "nothing is there to be undone; its branch is yours to keep or to delete"
        raise BatonError(f"{story.base} does not contain it", where, remedy)
    merged = story.git.merge_of(closed[-1], story.base)
    if not merged:
        remedy = f"it came there otherwise, as by a fast-forward: revert its commits, `git log {story.base}`"
        raise BatonError(f"no merge commit on {story.base} brought it there", where, remedy)
    return merged
