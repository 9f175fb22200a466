"""The pull request of a story: found by its head, opened once, read whole, merged at exactly one commit."""

from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from baton.delivery.delivery_text import story_mark
from baton.delivery.destination import Destination
from baton.errors import BatonError
from baton.git.remotes import push_commit
from baton.github.client import Change, GitHub
from baton.github.queries import READY
from baton.github.responses import shape_checked
from baton.github.rest_pages import read_pages
from baton.story.session.session import StorySession, remote_base_of

REFUSED = (403, 404, 405, 409, 422)


class PullRequestState(NamedTuple):
    """A pull request as it stands: `merge_commit` where it is merged."""

    number: int
    node: str
    url: str
    state: Literal["open", "closed", "merged"]
    head: str
    base: str
    by_bot: bool
    merge_commit: str = ""
    mergeable: bool | None = None
    blocked: str = ""
    draft: bool = False


def find_pull(github: GitHub, repository: str, owner: str, branch: str, base: str) -> PullRequestState | None:
    """Find the pull request of a branch into base: the open one, else the newest."""
    head = quote(f"{owner}:{branch}", safe=":")
    path = f"repos/{repository}/pulls?state=all&head={head}&base={quote(base, safe='')}"
    pulls = read_pages(github, path)
    own = [pull for pull in pulls if pull["head"]["ref"] == branch and _owner(pull) == owner.lower()]
    own.sort(key=lambda pull: (pull["state"] == "open", pull["number"]))
    return read_pull(github, repository, own[-1]["number"]) if own else None


def _owner(pull: Any) -> str:
    user = pull["head"].get("user") or {}
    return str(user.get("login") or "").lower()


def read_pull(github: GitHub, repository: str, number: int) -> PullRequestState:
    """Read a pull request by its number."""
    answer = github.get(f"repos/{repository}/pulls/{number:d}").data
    with shape_checked("GitHub's answer is not a pull request", f"{repository}#{number}"):
        return PullRequestState(
            number=answer["number"],
            node=answer["node_id"],
            url=answer["html_url"],
            state="merged" if answer["merged"] else answer["state"],
            head=answer["head"]["sha"],
            base=answer["base"]["ref"],
            by_bot=(answer["user"] or {}).get("type") == "Bot",
            merge_commit=(answer["merge_commit_sha"] or "") if answer["merged"] else "",
            mergeable=answer["mergeable"],
            blocked=answer["mergeable_state"],
            draft=bool(answer.get("draft")),
        )


def open_pull(github: GitHub, repository: str, head: str, base: str, text: tuple[str, str], draft: bool) -> Change:
    """Open a pull request with a title and a body; whether it came to be is to be looked up."""
    body = {"title": text[0], "body": text[1], "head": head, "base": base, "draft": draft}
    return github.post(f"repos/{repository}/pulls", body, REFUSED)


def make_ready(github: GitHub, pull: PullRequestState) -> Change:
    """Make a draft ready for review; harmless twice."""
    return github.mutate(READY, {"pull": pull.node})


def merge_pull(
    github: GitHub, repository: str, pull: PullRequestState, method: str, text: tuple[str, str]
) -> Change:
    """Merge a pull request if its head is still the commit it was read with."""
    body = {"sha": pull.head, "merge_method": method, "commit_title": text[0], "commit_message": text[1]}
    return github.put(f"repos/{repository}/pulls/{pull.number:d}/merge", body, REFUSED)


def push_own(story: StorySession, place: Destination, branch: str, commit: str, remote_tip: str) -> None:
    """Push a commit to a branch that is at `remote_tip`, which it contains; a BatonError where that is refused."""
    if refused := push_commit(story.git, place.pushed_to, f"refs/heads/{branch}", commit, remote_tip):
        raise BatonError(f"the push was refused ({refused})", place.pushed_to, "settle that, then call again")


def open_own(
    story: StorySession, github: GitHub, place: Destination, branch: str, text: tuple[str, str]
) -> PullRequestState:
    """Open the pull request of a branch that was pushed; a BatonError where it is not there then."""
    words = text[0], f"{text[1]}\n\n{story_mark(story)}\n"
    base = remote_base_of(story)
    change = open_pull(github, place.repository, f"{place.owner}:{branch}", base, words, draft=False)
    pull = find_pull(github, place.repository, place.owner, branch, base)
    if pull is None or (pull.state == "closed" and (change.refused or change.lost)):
        raise BatonError(change.refused or change.lost or "it is not there yet", place.name, "call again")
    return pull
