"""A story's memory delta as it stands, and the user's decision on it."""

import re
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.git.objects import parents_of
from baton.journal.events import EffectIntended, MemoryTriaged
from baton.memory.edit_tree import (
    end_tree,
    fetch_memory_base,
    find_tree,
    place_at,
    take_change,
    waiting_commit,
)
from baton.memory.land_memory import merged_tree
from baton.secrets.scan import DIFF
from baton.story.integrate.story_memory import (
    ACCEPTED,
    LANDS,
    REJECTED,
    DeltaDecision,
    delta_stands,
    find_decision,
    find_draft,
    read_delta,
    unlanded_commit,
)
from baton.story.session.session import StorySession

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
    triage = DeltaTriage(read_delta(story.folder), delta_stands(story.folder, story.state))
    try:
        triage = triage._replace(keep=place_at(story, fetch_memory_base(story)).path)
    except BatonError as error:
        return triage._replace(problem=str(error))
    if not takes or triage.stands != "waits":
        return triage
    commit, refused = take_change(story)
    tree, diff = find_tree(story), [option for option in DIFF if option != "--unified=0"]
    return triage._replace(
        commit=commit,
        diff=story.git.do(*diff, *parents_of(story.git, commit), commit, "--").rstrip("\n") if commit else "",
        refused=tuple(refused),
        tree=str(tree.path) if tree.start else "",
        draft=find_draft(story.state),
    )


def decide_on(story: StorySession, word: str, seen: str, how: str) -> list[str]:
    """Journal that the user accepted the commit that waits, which they name, or rejected it; says so if it was."""
    before, accepts = find_decision(story.state), word == ACCEPTED
    if before and before.word == word and (not accepts or _names(seen, before.commit)):
        _tidy(story, word)
        return [f"{before.commit[:12] if accepts else 'it'} was {word} before"]
    _check_open(story, before)
    commit, refused = take_change(story) if accepts or seen else (waiting_commit(story), [])
    what = "; ".join(refused) if accepts else ""
    if (accepts or seen) and not _names(seen, commit):
        what = what or f"what waits is {commit or 'no commit'}, not {seen or 'named: no `--seen COMMIT`'}"
    if what:
        raise BatonError(what, f"story {story.id}", f"`baton memory triage {story.id}` shows what there is")
    base = fetch_memory_base(story) if accepts else ""
    if accepts:
        merged_tree(story, commit, base)
    story.note(MemoryTriaged(how, [{"decision": word, "commit": commit}]))
    if accepts:
        story.note(EffectIntended(LANDS, commit, base))
    _tidy(story, word)
    return [] if accepts else ["rejected: nothing of it is remembered"]


def _names(seen: str, commit: str) -> bool:
    return bool(SEEN.fullmatch(seen)) and commit.startswith(seen)


def _tidy(story: StorySession, word: str) -> None:
    if word == REJECTED:
        end_tree(story)


def _check_open(story: StorySession, last: DeltaDecision | None) -> None:
    if delta_stands(story.folder, story.state) != "waits":
        what = f"it was {last.word} before" if last else "nothing of it waits"
        if story.state.stage != "complete":
            what = "the story is not complete: you decide on what it taught once it is"
        is_done = last and not unlanded_commit(story.state)
        remedy = "memory is yours to edit" if is_done else f"`baton next {story.id}`"
        raise BatonError(what, f"story {story.id}", remedy)
