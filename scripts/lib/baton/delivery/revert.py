"""A story that was merged on GitHub is taken back there: by a pull request with the revert."""

from collections.abc import Iterator

from baton.delivery.after_merge import follow_base
from baton.delivery.destination import find_destination
from baton.delivery.pull_request import find_pull, open_own, push_own
from baton.delivery.remote_base import fetch_renamed
from baton.errors import BatonError
from baton.git.remotes import remote_head
from baton.github.client import GitHub
from baton.journal.events import EffectDone, EffectIntended
from baton.journal.run import events_since_anew
from baton.story.integrate.integration_steps import bases_of
from baton.story.integrate.undo import Undone, revert_on, revert_title
from baton.story.session.session import StorySession, remote_base_of


def merged_as(story: StorySession) -> str:
    """Return the commit the story was merged by on GitHub; empty where it was not."""
    return next((merge.commit for merge in _merges(story)), "")


def _merges(story: StorySession) -> Iterator[EffectDone]:
    events = events_since_anew(story.state.events)
    return (event for event in events if isinstance(event, EffectDone) and event.effect == "merge")


def check_whole(story: StorySession, merged: str) -> None:
    """Refuse to take back the last of several commits: a merge by hand may have made one of each."""
    git, head = story.git, next(merge.about for merge in _merges(story))
    # Where base has the head itself, by a push, that is what the two have in common.
    fork = next(iter(bases_of(story)), "") or git.fork_point(merged, head)
    if not set(git.changed(fork, head)) <= set(git.changed(f"{merged}^1", merged)):
        what = f"it was merged in several commits, of which {merged[:12]} is the last"
        raise BatonError(what, story.settings().base, "revert them by hand: `git log` names them")


def open_revert(story: StorySession, merged: str) -> Undone:
    """Push the revert of a merge to a branch of its own and open its pull request, once while that is open."""
    place = find_destination(story.git, story.branch)
    github, branch = GitHub(place.host, story.project.root), f"revert-{merged[:12]}-{story.branch}"
    pull = find_pull(github, place.repository, place.owner, branch, remote_base_of(story))
    if pull is None or pull.state == "closed":
        base = fetch_renamed(story, place)
        remote_tip = remote_head(story.git, place.pushed_to, f"refs/heads/{branch}")
        if not remote_tip:
            check_whole(story, merged)
            commit = revert_on(story, merged, base)
            story.note(EffectIntended("revert", commit, base))
            push_own(story, place, branch, commit, "")
        text = revert_title(story), f"This reverts {merged}."
        pull = open_own(story, github, place, branch, text)
    base = story.settings().base
    if pull.state != "merged":
        return Undone(story.id, merged, pull.head, base, pull.url)
    if pull.merge_commit not in story.state.undone:
        follow_base(story, fetch_renamed(story, place))
        story.note(EffectDone("revert", pull.merge_commit, pull.merge_commit))
    return Undone(story.id, merged, pull.merge_commit, base)
