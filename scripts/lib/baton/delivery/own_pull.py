"""A branch of the program's own beside a story's: pushed, and its pull request opened, once while that is open."""

from baton.delivery.delivery_text import story_mark
from baton.delivery.destination import Destination
from baton.delivery.pull_request import PullRequestState, find_pull, open_pull
from baton.errors import BatonError
from baton.git.remotes import push_commit
from baton.github.client import GitHub
from baton.story.session.session import StorySession


def push_own(story: StorySession, place: Destination, branch: str, commit: str, remote_tip: str) -> None:
    """Push a commit to a branch that is at `remote_tip`, which it contains; a BatonError where that is refused."""
    if refused := push_commit(story.git, place.pushed_to, f"refs/heads/{branch}", commit, remote_tip):
        raise BatonError(f"the push was refused ({refused})", place.pushed_to, "settle that, then call again")


def open_own(
    story: StorySession, github: GitHub, place: Destination, branch: str, text: tuple[str, str]
) -> PullRequestState:
    """Open the pull request of a branch that was pushed; a BatonError where it is not there then."""
    words = text[0], f"{text[1]}\n\n{story_mark(story)}\n"
    change = open_pull(github, place.repository, f"{place.owner}:{branch}", story.remote_base, words, draft=False)
    pull = find_pull(github, place.repository, place.owner, branch, story.remote_base)
    if pull is None or (pull.state == "closed" and (change.refused or change.lost)):
        raise BatonError(change.refused or change.lost or "it is not there yet", place.name, "call again")
    return pull
