"""Comments on the pull request and what reviews say as a whole, as items: some talk, some hide findings."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from unicodedata import category

from baton.feedback.bots import Finding
from baton.feedback.land.reply_marker import FIXING, marks_in
from baton.feedback.read.item import ANSWERED, DROPPED, NEW, Item, part_id, plain_words
from baton.feedback.read.models import TRUSTED, Comment
from baton.feedback.read.threads import STATE_BY_TRUST
from baton.feedback.text.commands import commands_in

# Words that, alone among themselves, ask for nothing.
THANKS = frozenset((
    "lgtm", "sgtm", "ty", "thx", "thanks", "thank", "you", "so", "much", "approved", "approve", "approving",
    "looks", "look", "good", "great", "nice", "to", "me", "work", "job", "awesome", "cool", "perfect",
    "excellent", "ship", "it", "done", "ok", "okay", "yes", "yep", "+1", "ack", "acked", "a", "all", "amazing",
    "for", "is", "lots", "love", "lovely", "many", "of", "really", "that", "that's", "the", "this", "valuable",
    "very", "your", "contribution",
))  # fmt: skip
MOST_WORDS = 12
SHORTCODE = re.compile(r":[a-z0-9_+-]+:")
# Emoji, with what joins and colors them.
PICTURES = frozenset({"So", "Sk", "Mn", "Cf"})
# A word to a machine: `/retest`, `@dependabot rebase`.
COMMAND = re.compile(r"(/[a-z][a-z0-9-]*( \S+){0,4}|@[A-Za-z0-9-]+(\[bot\])?( [a-z+-]+){1,3}|bors r[+-]\S*)\s*\Z")
# What is left of a review beside its findings sums them up, unless it names a place, shows code or has a list.
SUMMARY_WORDS = 120
TABLE_ROW = re.compile(r"(?m)^[ \t]*\|.*$")
ASKS = re.compile(
    r"(?:[\w.-]+/)+[\w.-]+\.\w+|\b[\w-]+\.\w{1,5}:\d+|\blines? \d+|```|(?m:^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\S)", re.I
)
STORY_MARK = "<!-- baton:story "
QUOTED_LINE = 12  # letters: a shorter line stands in many texts


class PastAnswer(NamedTuple):
    """What the viewer answered, and when."""

    verdict: str
    at: str


class PastAnswers:
    """What the viewer answered among the comments on the pull request: by a mark, or by quoting a line."""

    def __init__(self, own: Iterable[Comment]) -> None:
        self._marked: dict[str, PastAnswer] = {}
        self._quoted: dict[str, PastAnswer] = {}
        for one in sorted((one for one in own if STORY_MARK not in one.body), key=lambda one: one.created_at):
            self._marked |= {mark.item: PastAnswer(mark.verdict, one.created_at) for mark in marks_in(one.body)}
            told = "" if marks_in(one.body) else one.body  # a reply of ours quotes what its marks name
            lines = (plain_words(line[1:]) for line in told.splitlines() if line.startswith(">"))
            self._quoted |= {line: PastAnswer("", one.created_at) for line in lines if len(line) >= QUOTED_LINE}

    def to(self, item: str, body: str = "") -> PastAnswer | None:
        """Return the last answer to an item, or to a text that was quoted; None when there is none."""
        if found := self._marked.get(item):
            return found
        lines = map(plain_words, body.splitlines()) if self._quoted else ()
        found_lines = [self._quoted[line] for line in lines if line in self._quoted]
        return max(found_lines, key=lambda one: one.at, default=None)


def prose_items(comment: Comment, surface: str, answers: PastAnswers, threads: int = 0) -> Iterator[Item]:
    """Return the items of a comment on the pull request, or of what a review says as a whole.

    `threads` is how many were begun with it.
    """
    parsed = comment.parsed
    has_findings = bool(parsed.findings or threads)
    numbers: dict[tuple[str | None, str], int] = {}
    if not comment.minimized and comment.state != "DISMISSED":
        for finding in parsed.findings:
            name = (finding.path, plain_words(finding.title))
            numbers[name] = numbers.get(name, 0) + 1
            yield _part(comment, finding, part_id(comment.author.login, *name, numbers[name]), answers)
    if parsed.text or not parsed.findings:
        item = _whole(comment, surface, answers)
        summary = item.state == NEW and comment.is_bot and has_findings and is_summary(comment)
        yield item._replace(state=DROPPED, why="sums up its findings") if summary else item


def _whole(comment: Comment, surface: str, answers: PastAnswers) -> Item:
    parsed = comment.parsed
    item = _item(comment, comment.id, surface, _state(comment, answers))
    return item._replace(
        title=parsed.title,
        text=parsed.text,
        severity=parsed.severity,
        label=parsed.label,
        body_bytes=comment.size,
        sure=comment.is_bot or item.state != NEW,
        review=comment.id if surface == "review_body" else "",
        key=parsed.key,
    )


def _item(comment: Comment, name: str, surface: str, state: tuple[str, str]) -> Item:
    author = comment.author.login
    return Item(name, surface, *state, author, trust=comment.trust, url=comment.url, at=comment.at)


def _state(comment: Comment, answers: PastAnswers) -> tuple[str, str]:
    parsed = comment.parsed
    if comment.minimized:
        return DROPPED, f"minimized ({comment.minimized})"
    if comment.state == "DISMISSED":
        return DROPPED, "the review was dismissed"
    if comment.trust != TRUSTED:
        return STATE_BY_TRUST[comment.trust], comment.trust_reason
    if comment.is_bot and not parsed.text:
        return DROPPED, parsed.not_reviewed or parsed.boilerplate or "nothing but boilerplate"
    if comment.own and (marks_in(comment.body) or comment.body.lstrip().startswith(">")):
        return DROPPED, "your own answer"
    if (comment.own and STORY_MARK in comment.body) or commands_in(parsed.text):
        return DROPPED, "a question of baton's, or an answer to one"
    if is_talk(parsed.text):
        return DROPPED, "thanks, or a word to a bot"
    answer = answers.to(comment.id, "" if comment.own else parsed.text)
    return _since(answer, comment.at, "nobody answered yet")


def _since(answer: PastAnswer | None, at: str, why: str) -> tuple[str, str]:
    """Return the state of something that reads as it does since `at`."""
    if answer is None or answer.at < at:
        return NEW, "changed since you answered" if answer else why
    if not answer.verdict:
        return ANSWERED, "you quoted it"
    return ANSWERED, f"answered ({answer.verdict})"


def _part(comment: Comment, finding: Finding, name: str, answers: PastAnswers) -> Item:
    """Return the item of a finding that stands in a larger body."""
    state = _part_state(finding, answers.to(name), comment.created_at)
    return _item(comment, name, "review_body_part", state)._replace(
        path=finding.path,
        line=finding.line,
        start_line=finding.start_line,
        severity=finding.severity,
        title=finding.title,
        text=finding.body,
        label=finding.label,
        body_bytes=len(finding.body.encode("utf-8", "surrogatepass")),
        repeated=finding.repeated,
        review=comment.id,
        key=finding.key,
    )


def _part_state(finding: Finding, answer: PastAnswer | None, at: str) -> tuple[str, str]:
    if answer is None:
        place = f" ({finding.section})" if finding.section else ""
        return NEW, f"in the body of a review{place}"
    if answer.at < at and answer.verdict in FIXING:
        return NEW, f"said again after it was answered ({answer.verdict})"
    return ANSWERED, f"answered ({answer.verdict})"


def is_summary(comment: Comment) -> bool:
    """Whether what is left of a bot's review asks for nothing beside its findings."""
    prose = TABLE_ROW.sub("", comment.text)
    return not comment.parsed.problems and len(prose.split()) <= SUMMARY_WORDS and not ASKS.search(prose)


def missing_findings(comment: Comment, threads: int) -> str:
    """Say that a review declares more findings than there are, in its body and in its threads; else nothing."""
    declared, there = comment.parsed.declared, len(comment.parsed.findings) + threads
    if not comment.is_bot or comment.minimized or comment.state == "DISMISSED" or declared <= there:
        return ""
    return f"it declares {declared} findings, {there} {'is' if there == 1 else 'are'} there"


def is_talk(text: str) -> bool:
    """Whether a text asks for nothing by its form: thanks alone, or words to a machine alone."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and all(COMMAND.match(line) for line in lines[:20]) and len(lines) <= 20:
        return True
    words = [word.strip(".,!:;-*_()\"'") for word in SHORTCODE.sub(" ", text.lower()).split()]
    return 0 < len(words) <= MOST_WORDS and all(map(_is_thanks, words))


def _is_thanks(word: str) -> bool:
    """Whether a word asks for nothing: one of thanks, somebody's name, or pictures alone."""
    return word in THANKS or word.startswith("@") or all(category(one) in PICTURES for one in word)
