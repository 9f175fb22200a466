"""What was accepted is written in a commit of its own, and brought where the story's mode says: once."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from baton.errors import BatonError
from baton.git.branches import advance
from baton.git.history import memory_branch
from baton.git.objects import commit_tree, tree_of, with_files
from baton.journal.events import EffectDone, EffectIntended
from baton.memory.learn import Accepted, Learned, learn
from baton.memory.place import find_place, read_memory
from baton.story.commit_message import story_message
from baton.story.memory import accepted_unwritten, decisions_of
from baton.story.session import StorySession

EFFECT, MERGED = "memory", "memory-merge"
AGAIN = "what you accepted is noted, and written at the next call: `baton next {id}`"


class MemoryCommit(NamedTuple):
    """A commit of what was learned, and what became of each entry; without one, memory says all of it already."""

    id: str
    learned: list[Learned]
    message: str = ""


def unwritten(story: StorySession) -> list[Accepted]:
    """Return the entries that were accepted and are in no commit that was brought anywhere, oldest first."""
    known = decisions_of(story.journal.records)
    found = [known[each] for each in accepted_unwritten(story.state.events)]
    return [Accepted(one.entry, one.text, one.day) for one in found]


def write_accepted(story: StorySession) -> list[str]:
    """Write what was accepted of a story that is complete, and say what became of it, if there is anything.

    A BatonError where it cannot be written now: what was accepted stays noted.
    """
    if story.state.stage != "complete":
        return []
    if story.is_delivered:
        from baton.memory.deliver import deliver_memory

        return deliver_memory(story)
    branch = story.base if story.mode == "local" else branch_of(story)
    base, tip = story.git.branch_commit(story.base), story.git.branch_commit(branch)
    for about in intended(story):
        if story.git.contains(about, base) or (tip and story.git.contains(about, tip)):
            story.note(EffectDone(EFFECT, about, about))
    if not (accepted := unwritten(story)):
        return []
    check_ours(story, branch, "" if branch == story.base else tip)
    start = tip if tip and not story.git.contains(tip, base) else base
    made = make_commit(story, start, [start], accepted)
    if made.id:
        story.note(EffectIntended(EFFECT, made.id, tip))
        moved = advance(story.git, branch, tip, made.id)
        if moved.how != "moved":
            remedy = "; ".join(filter(None, (moved.remedy, AGAIN.format(id=story.id))))
            raise BatonError(moved.said, branch, remedy)
    story.note(EffectDone(EFFECT, made.id or start, made.id or start))
    merges = f"; merge it with `git switch {story.base} && git merge --no-ff {branch}`"
    return [
        *told(made),
        *([f"{made.id[:12]} on {branch}{merges if branch != story.base else ''}"] if made.id else []),
    ]


def intended(story: StorySession) -> Iterator[str]:
    """Return the commits that were about to be brought somewhere, of which nobody knows what became."""
    outbox = dict(story.state.outbox)
    return (about for (effect, about), sent in outbox.items() if effect == EFFECT and not sent.done)


def branch_of(story: StorySession) -> str:
    """Return the branch for what a story taught: not the story's own, which may have that name."""
    name = memory_branch(story.id)
    return name if name != story.branch else f"{name}-delta"


def check_ours(story: StorySession, branch: str, tip: str) -> None:
    """Refuse to build on a branch of that name by chance; where it is merged unseen, on one with more on it."""
    made = [about for effect, about in story.state.outbox if effect == EFFECT]
    ours = tip in made or (story.mode != "merge" and any(story.git.contains(about, tip) for about in made))
    if tip and not ours:
        what = "baton did not make this branch as it is"
        raise BatonError(what, branch, f"rename or delete it; {AGAIN.format(id=story.id)}")


def make_commit(story: StorySession, start: str, parents: list[str], accepted: Sequence[Accepted]) -> MemoryCommit:
    """Make the commit that adds to memory, as `start` has it, what was accepted; nothing moves."""
    git = story.git
    place = find_place(git, start, story.config.keep)
    changed, learned = learn(place, read_memory(git, start, place), accepted, story.id)
    if not changed:
        return MemoryCommit("", learned)
    files = {path: text.encode(errors="surrogateescape") for path, text in changed.items()}
    message = story_message(story, f"what it taught, in {place.path}").text
    return MemoryCommit(
        commit_tree(git, with_files(git, tree_of(git, start), files), parents, message), learned, message
    )


def told(made: MemoryCommit) -> list[str]:
    """Say what became of each entry."""
    words = {"confirmed": "memory says it already", "replaced": "replaced", "added": "added to"}
    return [
        f"{words[one.how]} {one.where}: {one.text}" + (f"; it said: {one.before}" if one.before else "")
        for one in made.learned
    ]
