"""What acts in a text that is posted or committed, read by GitHub's own Markdown and as it was written."""

import re
from html.parser import HTMLParser

import cmarkgfm  # type: ignore[import-untyped]

from baton.text import hidden

# What GitHub looks for in what Markdown shows, and in a message as it is.
LIVE = {
    "mention": r"(?<![A-Za-z0-9])@[A-Za-z0-9]",
    "reference": r"#[0-9]|(?<![A-Za-z0-9])gh-[0-9]|/(?:issues|pull|pulls|discussions)/[0-9]",
    "commit": r"(?<![\w-])(?=\w*[a-f])(?=\w*[0-9])[0-9a-f]{7,40}(?!\w)",
}
# What others look for in a text as it was written.
RAW = {
    "command": r"(?m)^\s*(?:/[a-z][\w-]*(?:[\s:,;]|\.?\s|\.?$)|!\w"
    r"|(?:bors|homu|jenkins|azp|recheck|retest)\s|r[+?=]"
    r"|atlantis (?:plan|apply)|\.(?:deploy|noop)\b|ok to test|(?:re)?test this please)",
    "switch": r"\[\s*(?:skip[ _:-]?(?:ci|actions)|(?:ci|actions)[ _:-]?skip|no[ _:-]ci)\s*[\]:]"
    r"|\*\*\*no_ci\*\*\*|#major\b",
    "trailer": r"(?m)^\s*(?:(?:skip|request)-checks|[\w-]+-by|release-as|breaking[ -]change|depends-on)\s*:"
    r"|BEGIN_COMMIT_O",
    "ticket": r"\bfixes [a-z]+-[0-9]|[0-9] #[a-z]",
    "mark": r"<!-*\s*baton",
}


class Page(HTMLParser):
    """The text that Markdown shows, each run of it, and what else a reader is given."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts, self.links, self.tags = [""], list[str](), set[str]()
        self.feed(cmarkgfm.github_flavored_markdown_to_html(text, cmarkgfm.Options.CMARK_OPT_UNSAFE))

    def handle_data(self, data: str) -> None:
        self.texts[-1] += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts.append("")
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_endtag(self, tag: str) -> None:
        self.texts.append("")

    def handle_comment(self, data: str) -> None:
        self.tags.add("comment")


def live(text: str) -> list[str]:
    """Name what acts in a text, as it is or as GitHub shows it."""
    page = Page(text)
    found = [name for name, one in {**LIVE, **RAW}.items() if re.search(one, text, re.I)]
    found += [name for name, one in LIVE.items() for shown in page.texts if re.search(one, shown, re.I)]
    found += [link for link in page.links if re.search(LIVE["reference"], link, re.I)]
    return found + sorted(page.tags & {"img", "comment", "script", "details"}) + sorted(hidden(text))
