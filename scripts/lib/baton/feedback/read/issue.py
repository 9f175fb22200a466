"""An issue on GitHub, read as the text of a story: its words count only where its author may push."""

from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.read.pull_request import Actor
from baton.feedback.read.trust import fetch_push_permissions
from baton.git.command import Git
from baton.github.address import PullRequestRef, find_issue, known_remotes
from baton.github.client import GitHub
from baton.journal.paths import Project

GONE = (404, 410)


class Issue(NamedTuple):
    """An issue; its title and body are empty where its author may not push, and `distrust` says why."""

    url: str
    author: str
    title: str
    body: str
    distrust: str = ""


def read_issue(project: Project, text: str) -> Issue:
    """Read the issue that `#12` or a URL names; a BatonError where there is none to be done."""
    place = find_issue(text, known_remotes(Git(project)))
    github = GitHub(place.host, project.root)
    answer = github.get(f"repos/{place.repository}/issues/{place.number:d}", GONE)
    if answer.status in GONE:
        remedy = "look whether that is the repository you mean, and who gh is signed in as: `gh auth status`"
        raise BatonError(f"no issue #{place.number}", f"{place.host}/{place.repository}", remedy)
    try:
        return _read(github, place, answer.data)
    except (KeyError, TypeError, AttributeError) as error:
        remedy = "call again; if it stays so, give the text itself"
        raise BatonError(f"GitHub's answer is no issue ({error!r})", place.repository, remedy) from error


def _read(github: GitHub, place: PullRequestRef, data: Any) -> Issue:
    url, user = str(data["html_url"]), data["user"] or {"login": "ghost", "type": "", "id": None}
    if data.get("pull_request"):
        remedy = f"`/resolve-pr-feedback {place.number}` settles what was said on it"
        raise BatonError(f"#{place.number} is a pull request", url, remedy)
    if data["state"] != "open":
        raise BatonError("the issue is closed", url, "reopen it, or give the text of the story itself")
    author = Actor(str(user["login"]), str(user["type"]), user["id"])
    if why := _distrust(github, place.repository, author):
        return Issue(url, author.login, "", "", why)
    return Issue(url, author.login, str(data["title"]), str(data["body"] or ""))


def _distrust(github: GitHub, repository: str, author: Actor) -> str:
    """Say why an author's words do not count; nothing where they do."""
    if author.kind != "User":
        return "a bot" if author.kind == "Bot" else "not a user account"
    may_push = fetch_push_permissions(github, repository, [author])[author.login.lower()]
    if may_push is None:
        return "GitHub does not say whether they may push"
    return "" if may_push else "not allowed to push"
