"""An issue on GitHub, read as the text of a story: who wrote it, and how it changed since."""

import difflib
from typing import Any, NamedTuple

from baton.artifacts.story_file import read_story
from baton.artifacts.strict_yaml import split_front_matter
from baton.errors import BatonError
from baton.git.command import Git
from baton.github.accounts import GHOST, UNTOLD, Actor, fetch_push_permissions, read_actor
from baton.github.address import ISSUE, PullRequestRef, find_issue, known_remotes
from baton.github.client import GitHub
from baton.github.queries import ISSUE_EDIT
from baton.journal.paths import Project
from baton.story.begin.issue import IssueChange, retell_story, was_settled
from baton.story.session.session import StorySession
from baton.story.session.story_files import digest_of, text_of
from baton.text import clip, plural, quoted, restored, visible

GONE = (404, 410)
# Bytes of a stranger's issue, as it is quoted: the client gets them whole.
ROOM = 4_500
CUT = "\n\n(it goes on: the rest is on GitHub)"
# Characters of a difference.
LONGEST_DIFFERENCE = 4_000


class Issue(NamedTuple):
    """An issue, and `source` as story.md names it; `distrust` says why its words do not count by themselves."""

    url: str
    author: str
    title: str
    body: str
    source: dict[str, object]
    distrust: str = ""

    @property
    def hash(self) -> str:
        return str(self.source["hash"])

    @property
    def text(self) -> str:
        """The text of the story it makes: a stranger's as it is shown, nothing in it that nobody would see."""
        text = f"# {self.title}\n\n{self.body}"
        return visible(text) if self.distrust else text

    def quote(self) -> str:
        """Return what it says, so that none of it can act."""
        return quoted(f"{self.title}, by @{self.author}", self.body)

    @property
    def comments(self) -> int:
        """The number of its comments, which nobody reads."""
        return int(str(self.source.get("comments") or 0))

    @property
    def unread(self) -> str:
        """Say that its comments are not read."""
        return f"{plural(self.comments, 'comment')} on {self.url} {'is' if self.comments == 1 else 'are'} not read"


def read_issue(project: Project, text: str) -> Issue:
    """Read the issue that `#12` or a URL names; a BatonError where there is none to be done."""
    place = find_issue(text, known_remotes(Git(project)))
    github = GitHub(place.host, project.root)
    data = _fetch(github, place)
    if data is None:
        remedy = "look whether that is the repository you mean, and who gh is signed in as: `gh auth status`"
        raise BatonError(f"no issue #{place.number}", f"{place.host}/{place.repository}", remedy)
    if data.get("pull_request"):
        remedy = f"`/resolve-pr-feedback {place.number}` settles what was said on it"
        raise BatonError(f"#{place.number} is a pull request", str(data.get("html_url")), remedy)
    if data.get("state") != "open":
        remedy = "reopen it, or give the text of the story itself"
        raise BatonError("the issue is closed", str(data.get("html_url")), remedy)
    return _read(github, place, data)


def find_change(story: StorySession, github: GitHub | None = None) -> IssueChange:
    """Read the issue a story was made of again, by one request unless its text has changed.

    A BatonError where GitHub does not answer; without `github`, at once.
    """
    before = text_of(story, "story")
    known = read_story(before)
    if not known.source_hash:
        return IssueChange()
    place = find_issue(known.source, known_remotes(story.git))
    if github is None or github.host != place.host:
        github = GitHub(place.host, story.project.root, waits_s=0.0)
    data = _fetch(github, place)
    if data is None:
        return IssueChange(f"{known.source} is gone, or not to be seen by the login of gh")
    trouble = f"{known.source} is {data.get('state')}" if data.get("state") != "open" else ""
    digest = _hash(data)
    unchanged = digest == known.source_hash or data.get("updated_at") == known.source_updated_at
    if unchanged or was_settled(story, digest):
        return IssueChange(trouble)
    issue = _read(github, place, data)
    text = retell_story(before, issue.text, issue.source)
    # Where its planner reads the criteria from what the issue said, that is kept as it was.
    own = text_of(story, "source") if known.sources else split_front_matter(before)[1]
    new = f"{issue.text}\n" if known.sources else split_front_matter(text)[1]
    if not (quote := _difference(issue, own, new)):
        return IssueChange(trouble)
    reason = f"{known.source} no longer says what the story was made of"
    return IssueChange(trouble, reason, digest, quote, text, new if known.sources else "")


def _difference(issue: Issue, before: str, text: str) -> str:
    """Quote what differs between two texts of a story; nothing where nothing does."""
    old, new = (version.strip().split("\n") for version in (before, text))
    lines = [line for line in list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:] if line[:2] != "@@"]
    whose = f" ({issue.distrust})" if issue.distrust else ""
    heading = f"the story as it is (-), and as {issue.url} by @{issue.author}{whose} is now (+)"
    return quoted(heading, clip(restored("\n".join(lines)), LONGEST_DIFFERENCE)) if lines else ""


def _fetch(github: GitHub, place: PullRequestRef) -> Any:
    """Return GitHub's data of an issue; None where there is none."""
    answer = github.get(f"repos/{place.repository}/issues/{place.number:d}", GONE)
    if answer.status not in GONE and not isinstance(answer.data, dict):
        raise _no_issue(place, "no object")
    return None if answer.status in GONE else answer.data


def _no_issue(place: PullRequestRef, why: str) -> BatonError:
    remedy = "call again; if it stays so, give the text itself"
    return BatonError(f"GitHub's answer is not an issue ({why})", place.repository, remedy)


def _hash(data: Any) -> str:
    return digest_of(f"{data.get('title')}\n\n{data.get('body') or ''}")


def _read(github: GitHub, place: PullRequestRef, data: Any) -> Issue:
    """Return an issue from GitHub's answer; a stranger's only as far as it is shown."""
    try:
        url, user = str(data["html_url"]), data["user"]
        match = ISSUE.match(url)
        if match is None:
            raise _no_issue(place, "its URL is of none")
        host = {} if place.host == "github.com" else {"host": place.host}
        known: dict[str, object] = {"updated_at": str(data["updated_at"]), "hash": _hash(data)}
        known |= {"comments": count} if type(count := data.get("comments")) is int and count else {}
        source = {"repository": match["repository"], "number": int(match["number"]), **host, **known}
        author = Actor(str(user["login"]), str(user["type"]), user["id"]) if user else GHOST
        title, body = " ".join(str(data["title"]).split()), str(data["body"] or "").replace("\r\n", "\n")
    except (KeyError, TypeError, AttributeError) as error:
        raise _no_issue(place, repr(error)) from error
    issue = Issue(url, author.login, title, body, source, _distrust(github, place, author))
    return _cut(issue) if issue.distrust else issue


def _cut(issue: Issue) -> Issue:
    """Return an issue that can be shown whole."""
    body = issue.body[:ROOM]
    while body and len(issue._replace(body=body).quote().encode(errors="replace")) > ROOM:
        body = body[: len(body) * 4 // 5]
    whole_lines = body.rpartition("\n")[0] or body
    return issue if body == issue.body else issue._replace(body=f"{whole_lines}{CUT}")


def _distrust(github: GitHub, place: PullRequestRef, author: Actor) -> str:
    """Say why an issue's words do not count, by its author or who edited it last; nothing where they do."""
    if why := _why_not(github, place, author):
        return why
    try:
        owner, name = place.repository.split("/")
        data = github.query(ISSUE_EDIT, {"owner": owner, "name": name, "number": place.number})
        issue = data["repository"]["issue"]
        changed = [("edited", read_actor(issue["editor"]))] if issue["lastEditedAt"] else []
        changed += [("renamed", read_actor(event["actor"])) for event in issue["timelineItems"]["nodes"]]
    except (BatonError, KeyError, TypeError):
        return "GitHub does not say who edited it last"
    for how, actor in changed:
        if actor == GHOST:
            return f"last {how} by an account that is gone"
        if actor != author and (why := _why_not(github, place, actor)):
            return f"last {how} by @{actor.login}: {why}"
    return ""


def _why_not(github: GitHub, place: PullRequestRef, actor: Actor) -> str:
    if actor.kind != "User":
        return "a bot" if actor.kind == "Bot" else "not a user account"
    may_push = fetch_push_permissions(github, place.repository, [actor])[actor.login.lower()]
    return UNTOLD if may_push is None else "" if may_push else "not allowed to push"
