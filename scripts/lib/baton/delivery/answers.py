"""The comment that answers a question: the first that names an option, not edited, by somebody who may push."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from baton.feedback.fetch.pull_feedback import GHOST, Actor
from baton.feedback.fetch.trust import PushPermissions
from baton.feedback.text.comment_marks import commands_in
from baton.text import visible

OUR_MARK = "<!-- baton:"


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
