"""An open question on GitHub, with `ask_on: github`: it stands there once, and who may push can answer it."""

import os
import re
from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from baton.delivery.delivery_session import Delivery, delivery_of
from baton.delivery.delivery_text import own_issue, source_issue
from baton.delivery.pull_request import read_pull
from baton.delivery.source_issue import GONE, comment_once, tell_abandoned
from baton.errors import BatonError
from baton.feedback.text.comment_marks import commands_in, is_to_baton
from baton.github.accounts import GHOST, Actor, PushPermissions, fetch_push_permissions
from baton.github.address import PullRequestRef
from baton.github.client import GitHub
from baton.github.responses import shape_checked
from baton.github.rest_pages import read_pages
from baton.journal.events import EffectDone, QuestionClosed
from baton.rules.all_tables import here_alone
from baton.rules.engine import decide
from baton.rules.facts import AskingFacts
from baton.rules.pages import table_of
from baton.sanitize import sanitized
from baton.secrets.scan import secrets_in
from baton.story.answer.answer import apply_answer
from baton.story.ask.question import COMMENT, find_posted, posted_as
from baton.story.ask.step import question_facts
from baton.story.session.session import StorySession, pull_url_of
from baton.text import clip, one_line, visible

OUR_MARK = "<!-- baton:"
COMMENT_URL = re.compile(
    r"https://(?P<host>[^/\s]+)/(?P<repository>[^/\s]+/[^/\s]+)/(?:issues|pull)/(?P<number>[0-9]+)"
    r"#issuecomment-(?P<comment>[0-9]+)\Z"
)
# Characters of a reason and of a finding, and how many of those.
REASON, FINDING, FINDINGS = 3_000, 240, 5
UNHEARD = (
    "The comment {url} has no answer that counts. Write a new one, which nobody edits, with one of these lines:"
)
ASKED_HERE = "asked here alone"
Place = Literal["none", "issue", "pull"]


class IssueComment(NamedTuple):
    """A comment on an issue or a pull request."""

    number: int
    author: Actor
    body: str
    url: str
    created_at: str
    updated_at: str


class GivenAnswer(NamedTuple):
    """The option that a comment chooses, and its note."""

    comment: IssueComment
    option: str
    note: str


class Heard(NamedTuple):
    """The result of asking on GitHub: who gave which answer that was taken, or why nothing is known from there."""

    taken: str = ""
    warning: str = ""


def ask_on_github(story: StorySession) -> Heard:
    """Have the open question stand on GitHub where it belongs; where it does already, take the answer it got."""
    try:
        posted = find_posted(story.state)
        if not (posted and posted.commit):
            return Heard(warning=_post(story))
        given, warning = _look(story, posted)
    except BatonError as error:
        return Heard(warning=f"asked here alone for now: {error}")
    return Heard(_take(story, given)) if given else Heard(warning=warning)


def mark_closed(story: StorySession) -> str:
    """Say below a posted question, once, that GitHub has closed it, and by what; returns why that is not said."""
    closed = next((event for event in reversed(story.state.events) if isinstance(event, QuestionClosed)), None)
    at = COMMENT_URL.match(closed.posted) if closed else None
    if closed is None or at is None:
        return ""
    why = "" if secrets_in(closed.evidence, os.environ) else f": {visible(closed.evidence)}"
    target = PullRequestRef(at["host"], at["repository"], int(at["number"]))
    text = sanitized(f"`{closed.rule}` is answered, and needs no comment any more{why}")
    try:
        return comment_once(delivery_of(story), f"closed {at['comment']}", text, target)
    except BatonError as error:
        return str(error)


def _take(story: StorySession, given: GivenAnswer) -> str:
    """Apply an answer as any other, with its author and its URL; returns these in words, and what follows."""
    comment = given.comment
    word = {"how": "github", "who": comment.author.login, "at": comment.created_at, "url": comment.url}
    follows = apply_answer(story, given.option, given.note, word=word)
    if story.state.stage != "abandoned":
        return f"{comment.author.login} answered `{given.option}` on GitHub: {comment.url}"
    tell_abandoned(story)
    return f"{comment.author.login} answered `{given.option}` on GitHub ({comment.url}): {follows}"


def _post(story: StorySession) -> str:
    """Post the question, once; returns why it is not there, empty where it is or does not belong there."""
    asked = story.state.question
    assert asked is not None
    allows = asked.text["kind"] == "authorize" or asked.rule.startswith("start/")
    delivery = delivery_of(story) if not allows and (pull_url_of(story) or source_issue(story)) else None
    place, number = _find_place(delivery) if delivery else ("none", 0)
    decision = decide(table_of("asking"), AskingFacts(allows, place), {})
    if delivery is None or decision.action != "post":
        return ""
    text = question_text(story, delivery.place.repository)
    if secrets := secrets_in(text, os.environ):
        return f"{ASKED_HERE}, for it has what looks like a secret ({secrets[0].kind})"
    target = PullRequestRef(delivery.place.host, delivery.place.repository, number)
    why = comment_once(delivery, posted_as(story.state), text, target)
    return f"{ASKED_HERE}: {why}" if why else ""


def _find_place(delivery: Delivery) -> tuple[Place, int]:
    """Return where the question belongs: where it was to be posted before, the open pull request, or the issue."""
    story, (host, repository, *_) = delivery.story, delivery.place
    if sent := story.state.outbox.get((COMMENT, posted_as(story.state))):
        return "issue", int(sent.before.rpartition("#")[2])
    number = int(pull_url_of(story).rpartition("/")[2] or 0)
    if number and read_pull(delivery.github, repository, number).state == "open":
        return "pull", number
    number = own_issue(story, host, repository)
    return ("issue", number) if number else ("none", 0)


def question_text(story: StorySession, repository: str) -> str:
    """Return the open question as it is posted: why, what can be answered, and how."""
    asked = story.state.question
    assert asked is not None
    findings = [
        clip(str(finding), FINDING) for finding in asked.text["findings"] if str(finding) not in asked.reason
    ]
    why = visible("\n\n".join([clip(asked.reason, REASON), *findings[:FINDINGS]]))
    parts = (
        f"Story {story.id}, {visible(one_line(story.state.created.title))}: `{asked.rule}`",
        "\n".join(f"> {line}" for line in why.splitlines()),
        visible(one_line(question_facts(asked.text))),
        str(asked.text["question"]),
        _options(story),
        "To answer, write a comment with one of these lines; words behind it or below it are the note. "
        f"It counts from people who may push to {repository}, as long as it is not edited.",
    )
    return sanitized("\n\n".join(parts))


def _options(story: StorySession) -> str:
    asked = story.state.question
    assert asked is not None
    return "\n".join(_option(asked.rule, str(option["id"]), option["does"]) for option in asked.text["options"])


def _option(rule: str, name: str, does: str) -> str:
    if (rule, name) in here_alone():
        return f"- `{name}` is answered where the story runs, not here"
    return f"- `/baton {name}`: {does}"


def read_comment(data: Any) -> IssueComment:
    """Read a comment as GitHub's REST interface has it; KeyError or TypeError for anything else."""
    user = data["user"]
    author = Actor(str(user["login"]), str(user["type"]), user["id"]) if user else GHOST
    times = str(data["created_at"]), str(data["updated_at"])
    return IssueComment(int(data["id"]), author, str(data["body"] or ""), str(data["html_url"]), *times)


def named_answers(comments: Sequence[IssueComment], options: Collection[str]) -> list[GivenAnswer]:
    """Return what users answer in comments nobody edited, in order; one that names two options answers nothing."""
    answers = []
    for comment in comments:
        named = [command for command in commands_in(comment.body) if command.option in options]
        written = (
            comment.author.kind == "User"
            and comment.created_at == comment.updated_at
            and OUR_MARK not in comment.body
        )
        if written and len({command.option for command in named}) == 1:
            answers.append(GivenAnswer(comment, named[0].option, visible(named[0].note)))
    return answers


def find_answer(
    comments: Sequence[IssueComment], options: Collection[str], who_may_push: PushPermissions
) -> GivenAnswer | None:
    """Return the first answer of somebody who may push; None where there is none."""
    given = named_answers(comments, options)
    return next(
        (answer for answer in given if who_may_push.get(answer.comment.author.login.lower()) is True), None
    )


def _look(story: StorySession, posted: EffectDone) -> tuple[GivenAnswer | None, str]:
    """Look for the answer among the comments that came after the question; without one, say what would be one.

    Returns it, and why that could not be said to whoever wrote a line to baton that is none.
    """
    asked = story.state.question
    assert asked is not None
    options = [answer for answer in asked.answers if (asked.rule, answer) not in here_alone()]
    at = COMMENT_URL.match(posted.commit)
    if at is None:
        raise BatonError("no comment on GitHub", posted.commit, "answer it here")
    github = GitHub(at["host"], story.project.root)
    path = f"repos/{at['repository']}/issues/{at['number']}/comments?since={quote(posted.at)}"
    data = read_pages(github, path, allowed=GONE)
    with shape_checked("no list of comments", posted.commit):
        comments = [comment for comment in map(read_comment, data) if comment.number > int(at["comment"])]
    lines = [comment for comment in comments if is_to_baton(comment.body) and OUR_MARK not in comment.body]
    authors = {comment.author.login: comment.author for comment in lines if comment.author.kind == "User"}
    may_push = fetch_push_permissions(github, at["repository"], list(authors.values()))
    if (given := find_answer(comments, options, may_push)) or not lines:
        return given, ""
    last = lines[-1]
    if last.author.login not in authors or may_push.get(last.author.login.lower()) is not True:
        return None, ""
    target = PullRequestRef(at["host"], at["repository"], int(at["number"]))
    text = f"{UNHEARD.format(url=last.url)}\n\n{sanitized(_options(story))}"
    return None, comment_once(delivery_of(story), f"unheard {last.number}", text, target)
