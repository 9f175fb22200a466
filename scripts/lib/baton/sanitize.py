"""Sanitize texts posted or committed in the user's name: markup and commands that would act are broken, by tables.

In code as well: backticks mean nothing in a commit's message, and a merge may have a pull request's text for one.
"""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from baton.text import CONTROL, SPACES, seen

IN_BACKTICKS = "put code in backticks, or say it in words"
# What bots obey without a name or a sign before it, at the start of a line.
SPOKEN = (
    r"(?:bors|homu|jenkins|azp|recheck|retest|atlantis|terraform (?:plan|apply)|(?:re)?test this please|ok to test"
    r"|add to whitelist|delegate[+=])(?![\w/.-])|r[+?=]|\.(?:deploy|noop|lock|unlock)\b"
)


class Rule(NamedTuple):
    """A pattern that acts, how to say the same, and its replacement."""

    name: str
    pattern: re.Pattern[str]
    what: str = ""
    remedy: str = ""
    written: str = r"\g<0> "


# Looked for in code as well, by whoever reads a comment as it was written.
ANYWHERE = (
    Rule("command", re.compile(r"^[ \t]*(?:/(?=[a-z][\w-]*(?:[^\w/.-]|\.?(?:\s|$)))|!(?=\w))", re.I | re.M),
         "is a command to a bot at the start of a line, in code as well", "begin the line with a word"),
    Rule("command", re.compile(rf"^[ \t]*(?={SPOKEN})", re.I | re.M),
         "is a command to a bot at the start of a line, in code as well", "begin the line with a word", "- "),
    Rule("marker", re.compile(r"<(?=!-*\s*baton)", re.I), "looks like a mark of baton's own", "take it out"),
    # Older versions of `gh` choke on this, wherever it stands: nobody could read the pull request with them.
    Rule("unreadable", re.compile(r"\\u(?=00(?![0-9A-Fa-f]{2}))"), "cannot be read back by older versions of gh",
         r"put something between the `\u` and the digits"),
)  # fmt: skip
# Acts in Markdown outside of code, and in a commit's message.
IN_TEXT = (
    Rule("mention", re.compile(r"(?<![A-Za-z0-9])@(?=[A-Za-z0-9])"), "mentions somebody",
         "leave the `@` out; code goes in backticks"),
    Rule("reference",
         re.compile(r"#(?=\d)|(?<![A-Za-z0-9])GH\\?-(?=[0-9])|/(?:issues|pulls?|discussions)\\?/(?=\d)", re.I),
         "refers to an issue or a pull request, and may close it", "say it in words, without the number"),
    Rule("image", re.compile(r"!(?=\[)"), "is an image", IN_BACKTICKS),
    Rule("html", re.compile(r"<(?=[A-Za-z/!?])"), "is HTML", IN_BACKTICKS),
    Rule("entity", re.compile(r"&(?!(?:lt|gt|amp|quot);)(?=(?:#\w{1,9}|[A-Za-z]\w{1,31});)"), "is HTML",
         "write the character itself"),
    Rule("link", re.compile(r"\](?=\()|^[ \t>]*\[[^\]\n]*\](?=:)", re.M), "is a link of Markdown",
         "write the address out"),
)  # fmt: skip
# Switches CI off: GitHub's words in brackets and its trailers (its docs, "Skipping workflow runs"), and what other
# services have of the same form; or says which release is made.
SWITCHES = (
    Rule("switch", re.compile(
        r"\[(\s*(?:(?:skip|no)[\s_:./-]+[\w-]+(?:[:,;][^\[\]\n]{0,40})?|[\w-]+[\s_:./-]+skip"
        r"|skip[\s_-]*ci|ci[\s_-]*skip)\s*)\]", re.I),
         written=r"(\1)"),
    Rule("switch", re.compile(r"NO_(?=CI\b)", re.I)),
    Rule("switch", re.compile(
        r"^([ \t|*]*(?:(?:(?:skip|request)[-_]checks|release-as)(?=[ \t]*:)|breaking[ -]change(?=[\s:]|$)))",
        re.I | re.M), written=r"(\1)"),
    Rule("switch", re.compile(r"#(?=(?:major|minor|patch|none)\b)", re.I)),
    Rule("switch", re.compile(r"\bBEGIN_(?=COMMIT_|NESTED_)")),
)  # fmt: skip
IN_COMMITS = (
    Rule("trailer", re.compile(r"^[ \t]*(?:[\w-]+-(?=by[ \t]*:)|(?:depends|change)-(?=(?:on|id)[ \t]*:))",
                               re.I | re.M)),
    # Trackers close by a verb before their key, or by a word after it.
    Rule("ticket", re.compile(
        r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|complete[sd]?)[ \t:]+[a-z][a-z0-9]{1,9}-(?=[0-9])"
        r"|(?<=[0-9] )#(?=[a-z])", re.I)),
    Rule("commit", re.compile(
        r"(?<![A-Za-z0-9])(?=[0-9]*[a-f])(?=[a-f]*[0-9])([0-9a-f]{6})[0-9a-f]{1,34}"
        r"(?=[^A-Za-z0-9]|\Z|https?:|ftp:|www\.)", re.I), written=r"\1…"),
)  # fmt: skip
ALL = (*SWITCHES, *IN_TEXT, *IN_COMMITS, *ANYWHERE)


def cleaned(text: str) -> str:
    """Return a text with one kind of line end and of space, stripped."""
    return SPACES.sub(" ", re.sub("\r\n?|[\u2028\u2029]", "\n", text)).strip()


def sanitized(text: str, rules: Collection[Rule] = ALL) -> str:
    """Return a text in which nothing acts, by some rules, and nothing is hidden."""
    shown = "\n".join(CONTROL.sub(" ", line) for line in seen(cleaned(text)).split("\n"))
    previous = ""
    while previous != shown:  # what one rule writes may be what another looks for
        previous, shown = shown, broken(shown, rules).strip()
    return previous


def broken(text: str, rules: Iterable[Rule]) -> str:
    """Return a text with the matches of some rules broken, so that they do not act."""
    for rule in rules:
        text = rule.pattern.sub(rule.written, text)
    return text
