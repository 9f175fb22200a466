"""What a story taught as it stands, and the user's decision on it."""

import re
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.git.objects import parents_of
from baton.journal.events import EffectIntended, MemoryTriaged
from baton.memory.edit_tree import (
    base_now,
    end_tree,
    find_tree,
    place_at,
    take_change,
    waiting_commit,
)
from baton.memory.land import fitting
from baton.secrets.scan import DIFF
from baton.story.memory import (
    ACCEPTED,
    LANDS,
    REJECTED,
    delta_stands,
    find_decision,
    find_draft,
    read_delta,
    unlanded_commit,
)
from baton.story.session import StorySession

SEEN = re.compile(r"[0-9a-f]{12,64}")


class DeltaTriage(NamedTuple):
    """A delta, where memory is kept or why nowhere, the commit that waits with its diff, and what is wrong."""

    delta: str
    stands: str
    keep: str = ""
    problem: str = ""
    commit: str = ""
    diff: str = ""
    refused: tuple[str, ...] = ()
    tree: str = ""
    draft: MemoryTriaged | None = None

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {**self._asdict(), "draft": self.draft and self.draft._asdict()}


def read_triage(story: StorySession, *, takes: bool) -> DeltaTriage:
    """Return a story's delta as it stands; where it `takes`, what lies in the tree is the commit that waits."""
    found = DeltaTriage(read_delta(story.folder), delta_stands(story.folder, story.state))
    try:
        found = found._replace(keep=place_at(story, base_now(story)).path)
    except BatonError as error:
        return found._replace(problem=str(error))
    if not takes or found.stands != "waits":
        return found
    commit, refused = take_change(story)
    tree = find_tree(story)
    return found._replace(
        commit=commit,
        diff=change_of(story, commit) if commit else "",
        refused=tuple(refused),
        tree=str(tree.path) if tree.start else "",
        draft=find_draft(story.state),
    )


def change_of(story: StorySession, commit: str) -> str:
    """Return the diff of a commit of memory, with three lines around each change."""
    words = (one for one in DIFF if one != "--unified=0")
    return story.git.do(*words, *parents_of(story.git, commit), commit, "--").rstrip("\n")


def accept(story: StorySession, seen: str, how: str) -> list[str]:
    """Journal that the user accepted the commit that waits, which they name; says so where they did before."""
    before = find_decision(story.state)
    if before and before.word == ACCEPTED and SEEN.fullmatch(seen) and before.commit.startswith(seen):
        return [f"{before.commit[:12]} was accepted before"]
    _check_open(story)
    commit, refused = take_change(story)
    if refused:
        raise _other(story, "; ".join(refused))
    if not commit or not SEEN.fullmatch(seen) or not commit.startswith(seen):
        raise _other(story, f"{_waits(commit)}, not {seen or 'named: no `--seen COMMIT`'}")
    base = base_now(story)
    fitting(story, commit, base)
    _decide(story, how, ACCEPTED, commit)
    story.note(EffectIntended(LANDS, commit, base))
    return []


def reject(story: StorySession, seen: str, how: str) -> list[str]:
    """Journal that the user rejected the delta; the commit that waits and its tree are removed."""
    before = find_decision(story.state)
    said = "it was rejected before"
    if not (before and before.word == REJECTED):
        _check_open(story)
        commit = take_change(story)[0] if seen else waiting_commit(story)
        if seen and not (commit and commit.startswith(seen)):
            raise _other(story, f"{_waits(commit)}, not {seen}")
        _decide(story, how, REJECTED, commit)
        said = "rejected: nothing of it is remembered"
    end_tree(story)
    return [said]


def _decide(story: StorySession, how: str, word: str, commit: str) -> None:
    story.note(MemoryTriaged(how, [{"decision": word, "commit": commit}]))


def _waits(commit: str) -> str:
    return f"what waits is {commit or 'no commit'}"


def _other(story: StorySession, what: str) -> BatonError:
    return BatonError(what, f"story {story.id}", f"`baton memory triage {story.id}` shows what there is")


def _check_open(story: StorySession) -> None:
    if delta_stands(story.folder, story.state) == "waits":
        return
    last = find_decision(story.state)
    what = f"it was {last.word} before" if last else "nothing of it waits"
    if story.state.stage != "complete":
        what = "the story is not complete: you decide on what it taught once it is"
    remedy = f"`baton next {story.id}`" if unlanded_commit(story.state) or not last else "memory is yours to edit"
    raise BatonError(what, f"story {story.id}", remedy)
