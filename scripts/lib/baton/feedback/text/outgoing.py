"""Replies and commit messages in your name: checked by a table, and refused where they would do more than say."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from baton.artifacts.config import REVIEW_BOTS
from baton.artifacts.resolver_result import ItemResult
from baton.errors import BatonError
from baton.feedback.text.excerpt import excerpt
from baton.feedback.text.markdown import fences_in, replace_spans
from baton.sanitize import ANYWHERE, IN_TEXT, Rule, cleaned, sanitized
from baton.text import clip, hidden, join_words, one_line, visible

# By what else a comment calls a program: it reads the comment, and does what it says.
CALLED = (
    "allcontributors", "argocd-bot", "azure-pipelines", "bors", "changeset-bot", "codex", "copilot", "cursoragent",
    "dependabot-preview", "devin", "ellipsis", "gemini", "gemini-cli", "github-actions", "greptile", "highfive",
    "homu", "jules", "k8s-ci-robot", "kilocode-bot", "kodus", "kody", "korbit", "macroscope-app", "mergify",
    "mergifyio", "oc", "opencode", "openhands", "openhands-agent", "pre-commit", "pullapprove", "qodo", "rabbitai",
    "renovate", "renovate-bot", "rust-lang", "rustbot", "snyk", "sourcery", "sweep", "sweep-ai",
)  # fmt: skip


class ReplyFault(NamedTuple):
    """A reason not to post a text: the rule, and a sentence with what, where and how to write it."""

    rule: str
    message: str


# A program reads the comment that names one of these, and may do what it says.
BOT_NAMES = "|".join(map(re.escape, sorted({*REVIEW_BOTS, *CALLED})))
# Looked for in code as well: programs read a comment as it was written.
IN_ALL = (
    Rule("backticks", re.compile("[`~]{21}"), "more marks of code than anybody needs", "take them out"),
    Rule("bot", re.compile(rf"@(?:{BOT_NAMES})(?:\[bot\])?(?![\w/-])", re.I), "calls a bot, in code as well",
         "write its name without the `@`"),
    *ANYWHERE,
)  # fmt: skip
# Looked for outside of code, where it acts or changes what is code.
IN_PROSE = (
    Rule("fence", re.compile("```|~~~"), "is a fence that is not closed, or stands in a list or a quote",
         "begin and end it at the start of a line"),
    Rule("backtick", re.compile("`"), "is a backtick without its pair on the line", "close the code on its line"),
    *IN_TEXT,
    Rule("address", re.compile(r"(?<![^\s\0])(?=[^\s\0]*?(?:://|www\.|mailto:|xmpp:))[^\s\0]*\0"),
         "is an address that runs into code", "put a space between them"),
    Rule("written-break", re.compile(r"\\[rn]"), "is a line break in letters",
         "break the line; code goes in backticks"),
)  # fmt: skip
# A fence of these is more than code: a button that commits, or a picture that is drawn.
DRAWN = frozenset(("suggestion", "mermaid", "math", "geojson", "topojson", "stl"))
CODE = re.compile(r"(?<![`\\])(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)")
WORD = re.compile(r"[^\W_]")
# GitHub takes 65,536 (telia-oss/github-pr-resource#259); a line end may count as two, and the marker is to fit.
LONGEST_COMMENT = 60_000
MOST_SHOWN = 40
MOST_QUOTED = 300  # characters of what is answered
COMMENT_URL = re.compile(
    r"https://[\w.-]+(?::[0-9]{1,5})?/[\w.-]+/[\w.-]+/(?:pull|issues)/[0-9]+"
    r"#(?:issuecomment-|pullrequestreview-|discussion_r)[0-9]+",
    re.A,
)
OURS = re.compile(r"<!-- baton:reply [^<>\n]* -->")

LONGEST_LINE = 100  # characters in a line of a commit's message
LONGEST_SUBJECT = 72  # characters
LONGEST_PATH = 48


def reply_faults(text: str) -> list[ReplyFault]:
    """Return the faults that keep a text from being posted as a reply, one for each rule it breaks."""
    text = cleaned(text)
    if is_too_long(text):
        return [ReplyFault("too-long", f"longer than {LONGEST_COMMENT:,} characters: say it in a few sentences")]
    if not WORD.search(text):
        return [ReplyFault("says-nothing", "the reply says nothing: say it in a sentence or two")]
    faults = list(_broken(text, IN_ALL))
    if unseen := sorted(hidden(text)):
        faults.append(ReplyFault("unseen", f"{visible(unseen[0])} is a character that nobody sees: take it out"))
    for fence in fences_in(text):
        if fence.closed and fence.info.split(" ")[0].lower() in DRAWN:
            faults.append(
                ReplyFault("drawn", f"a `{fence.info}` fence does more than show code: use another word, or none")
            )
    if any(fault.rule == "backticks" for fault in faults):
        return faults
    return [*faults, *_broken(_text_of(text), IN_PROSE)]


def _broken(text: str, rules: Iterable[Rule]) -> Iterator[ReplyFault]:
    for rule in rules:
        if match := rule.pattern.search(text):
            line = text.count("\n", 0, match.start()) + 1
            words = visible(text[match.start() :].strip().split("\n")[0][:MOST_SHOWN].replace("\0", "`…`"))
            yield ReplyFault(rule.name, f"line {line}, {words!r} {rule.what}: {rule.remedy}")


def _text_of(text: str) -> str:
    """Return a text without its code; a doubtful piece of code counts as text.

    Code is what every reader takes for code: a fence that is closed and begins its line, and backticks that
    pair up on their own line. A bar splits the cells of a table, and then other backticks pair up.
    """
    code = (
        (fence.start, fence.end, "\n" * text.count("\n", fence.start, fence.end))
        for fence in fences_in(text)
        if fence.closed and fence.start in (0, text.rfind("\n", 0, fence.start) + 1) and text[fence.start] in "`~"
    )
    prose = replace_spans(text, code)
    return "\n".join(_line_without_code(line) for line in prose.split("\n"))


def _line_without_code(line: str) -> str:
    if any("|" in code[2] for code in CODE.finditer(line)):
        return CODE.sub(r"\2", line)
    return CODE.sub("\0", line)


def reply_part(text: str, marker: str, quote: str = "", place: str = "", commit: str = "") -> str:
    """Return the answer to one item as it is posted: the quote, the place, the reply, the commit; or a BatonError.

    A quote or a place that cannot be posted is left out.
    """
    assert OURS.fullmatch(marker), marker
    if faults := reply_faults(text):
        raise BatonError("a reply that cannot be posted", faults[0].message, "have the resolver hand it in again")
    quotation, where = clip(one_line(quote), MOST_QUOTED), f"`{place}`"
    parts = [
        f"> {quotation}" if quotation and not reply_faults(quotation) else "",
        where if place and not reply_faults(where) else "",
        cleaned(text),
        f"Changed in {commit[:12]}." if commit else "",
        marker,
    ]
    return "\n\n".join(filter(None, parts))


def comment_body(about: str, parts: Iterable[str]) -> str:
    """Return a comment of such answers, headed by the address of the comment they are about, where it is one."""
    return "\n\n".join([*([f"About {about}"] if COMMENT_URL.fullmatch(about) else []), *parts])


def is_too_long(text: str) -> bool:
    """Whether GitHub may not take a text as a comment."""
    return len(text) + text.count("\n") > LONGEST_COMMENT


def round_message(number: int, results: Iterable[ItemResult], round_id: str = "") -> str:
    """Return the message of a round's commit: a line for each fix, no trailer but our own."""
    fixes = [result for result in results if result.fixes]
    lines = list(dict.fromkeys(_commit_line(fix) for fix in fixes))
    parts = [_subject(number, fixes)]
    if lines:
        parts.append("\n".join(lines))
    if round_id:
        assert re.fullmatch(r"[\w-]{1,60}", round_id), round_id
        parts.append(f"Baton-Round: {round_id}")
    return "\n\n".join(parts) + "\n"


def _subject(number: int, fixes: Sequence[ItemResult]) -> str:
    """Return the subject: the change where there is one fix, else the files."""
    names = list(dict.fromkeys(_safe(name) for fix in fixes for name in fix.files_changed))
    files = join_words([name.rpartition("/")[2] for name in names], 2)
    subject = (_change(fixes[0]) if len(fixes) == 1 else "") or _addressed(files)
    return f"{sanitized(excerpt(subject, LONGEST_SUBJECT - len(f' (#{number})')))} (#{number})"


def _commit_line(result: ItemResult) -> str:
    """Return the line of a fix: its change and its file; the dash keeps it from being a trailer."""
    path = _safe(result.files_changed[0]) if result.files_changed else ""
    path = f"…{path[1 - LONGEST_PATH :]}" if len(path) > LONGEST_PATH else path
    more = f" and {len(result.files_changed) - 1} more" if len(result.files_changed) > 1 else ""
    done = _change(result)
    where = f" ({path}{more})" if done and path else ""
    summary = excerpt(done or _addressed(f"{path}{more}"), LONGEST_LINE - len(f"- {where}"))
    return sanitized(f"- {summary}{where}")  # what is cut may end in what acts


def _addressed(names: str) -> str:
    return f"Address review of {names}" if names else "Address PR review feedback"


def _change(result: ItemResult) -> str:
    """Return a result's change; empty where it has no words, as in older versions."""
    change = _safe(result.change).rstrip(".")
    return change if WORD.search(change) else ""


def _safe(text: str) -> str:
    """Return an untrusted text as a line of a commit's message."""
    return sanitized(one_line(text))
