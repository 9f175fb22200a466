"""Comments on the pull request, and what reviews say as a whole, as items; and what the viewer answered there."""

from collections.abc import Iterable
from typing import NamedTuple

from baton.feedback.fetch.item import ANSWERED, DROPPED, NEW, Item, plain_words
from baton.feedback.fetch.pull_feedback import TRUSTED, Comment
from baton.feedback.fetch.threads import LONGEST_TITLE, STATE_BY_TRUST
from baton.feedback.text.comment_marks import commands_in, marks_in
from baton.feedback.text.excerpt import excerpt
from baton.feedback.text.flags import flags_of

STORY_MARK = "<!-- baton:story "
QUOTED_LINE = 12  # letters: a shorter line stands in many texts


class PastAnswer(NamedTuple):
    """An answer of the viewer's: its verdict, and when it was given."""

    verdict: str
    at: str


class PastAnswers:
    """The viewer's answers among the comments on the pull request: by a mark, or by quoting a line."""

    def __init__(self, own: Iterable[Comment]) -> None:
        self.marked: dict[str, PastAnswer] = {}
        self._quoted: dict[str, PastAnswer] = {}
        for comment in sorted(
            (comment for comment in own if STORY_MARK not in comment.body), key=lambda comment: comment.created_at
        ):
            self.marked |= {
                mark.item: PastAnswer(mark.verdict, comment.created_at) for mark in marks_in(comment.body)
            }
            by_hand = "" if marks_in(comment.body) else comment.body  # a reply of ours quotes what its marks name
            lines = (plain_words(line[1:]) for line in by_hand.splitlines() if line.startswith(">"))
            self._quoted |= {
                line: PastAnswer("", comment.created_at) for line in lines if len(line) >= QUOTED_LINE
            }

    def to(self, item: str, body: str) -> PastAnswer | None:
        """Return the last answer to an item, or to a text that was quoted; None when there is none."""
        if answer := self.marked.get(item):
            return answer
        lines = map(plain_words, body.splitlines()) if self._quoted else ()
        answers = [self._quoted[line] for line in lines if line in self._quoted]
        return max(answers, key=lambda answer: answer.at, default=None)


def comment_item(comment: Comment, surface: str, answers: PastAnswers) -> Item:
    """Return the item of a comment on the pull request, or of what a review says as a whole."""
    state, why = _state(comment, answers)
    return Item(
        comment.id, surface, state, why, comment.author.login, comment.trust, comment.url, comment.at,
        title=excerpt(comment.body, LONGEST_TITLE), body_bytes=comment.size, flags=flags_of(comment.body),
        review=comment.id if surface == "review_body" else "",
    )  # fmt: skip


def _state(comment: Comment, answers: PastAnswers) -> tuple[str, str]:
    if comment.minimized:
        return DROPPED, f"minimized ({comment.minimized})"
    if comment.state == "DISMISSED":
        return DROPPED, "the review was dismissed"
    if comment.trust != TRUSTED:
        return STATE_BY_TRUST[comment.trust], comment.trust_reason
    if comment.own and (marks_in(comment.body) or comment.body.lstrip().startswith(">")):
        return DROPPED, "your own answer"
    if (comment.own and STORY_MARK in comment.body) or commands_in(comment.body):
        return DROPPED, "a question of baton's, or an answer to one"
    answer = answers.to(comment.id, "" if comment.own else comment.body)
    if answer is None or answer.at < comment.at:
        return NEW, "changed since you answered" if answer else "nobody answered yet"
    return ANSWERED, f"answered ({answer.verdict})" if answer.verdict else "you quoted it"
