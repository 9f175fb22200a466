"""The pull request of a story: found by its head, opened once, read whole, merged at exactly one commit."""

from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from baton.errors import BatonError
from baton.github.client import Change, GitHub
from baton.github.queries import READY
from baton.github.rest_pages import read_pages

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
    try:
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
    except (KeyError, TypeError) as error:
        what = f"GitHub's answer is no pull request ({error!r})"
        raise BatonError(what, f"{repository}#{number}", "call again in a while") from error


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
