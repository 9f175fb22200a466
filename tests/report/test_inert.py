"""Whatever somebody wrote is text in a report: it is no markup, no address, no command, and it has an end."""

import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from baton.github.address import link_to
from baton.report.report_data import as_plain, inert
from report.samples import URL, markdown, page, report, stories, with_text

TEXT = st.text(st.characters(exclude_categories=()), max_size=60) | st.from_regex(
    r"[<>&\"'/`*_\[\]()!|#@:\\\n-]{1,40}"
)
HOSTILE = [
    "</style><script>alert(1)</script>", "\x1b[31mred\x1b[0m", "\u202egnp.exe", "javascript:alert(1)",
    "\"><img src=https://evil.example onerror=alert(1)>", "]]><!--", "{{ 7 * 7 }}{% raw %}", "```\n# out\n```",
    "[a](https://evil.example)", "| a | b |", "@octo #12 https://evil.example www.evil.example",
    "1. a", "- a", "\udcff",
]  # fmt: skip
# What begins or ends something in Markdown; what stands in a fence, and what is escaped, does not.
MARKS = "`*_[]<>|~&$"


class Seen(HTMLParser):
    """The tags and attributes of a page, its addresses, and its style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[Any] = Counter()
        self.addresses: set[str | None] = set()
        self.declared = Counter[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag, tuple(name for name, _ in attrs)] += 1
        self.addresses |= {value for name, value in attrs if name in ("href", "src", "action", "style", "content")}

    def handle_decl(self, decl: str) -> None:
        self.declared[decl] += 1

    def handle_comment(self, data: str) -> None:
        self.declared[data] += 1


def shape(text: str) -> tuple[Any, ...]:
    """Return what a page is made of: with how many words a label has room for aside."""
    seen = Seen(text)
    varies = ("wbr", "text", "span", "code", "b")
    return {one: count for one, count in seen.tags.items() if one[0] not in varies}, seen.addresses, seen.declared


@pytest.mark.parametrize("data", [None, stories()], ids=["a story", "all"])
@settings(max_examples=60)
@given(text=TEXT)
@example(text="".join(HOSTILE))
def test_a_page_has_the_tags_of_the_template_whatever_the_texts(data: Any, text: str) -> None:
    assume(text.strip())
    assert shape(page(text, data)) == shape(page("x", data))
    assert {one for one, _ in Seen(page(text)).tags} <= {one for one, _ in Seen(page("a/b")).tags}


def test_a_tag_that_is_not_the_templates_is_noticed() -> None:
    assert shape(page().replace("<h1>x", "<h1><i>x")) != shape(page())


@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_shows_a_hostile_text_and_loads_nothing(text: str) -> None:
    shown = page(text)
    assert ("<script" in shown, Seen(shown).tags["link", ("rel", "href")]) == (False, 0)
    assert "default-src 'none'; style-src 'unsafe-inline'" in Seen(shown).addresses
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ud800-\udfff]", shown)
    assert {address for address in Seen(shown).addresses if address and ":" in address} == {URL}


@settings(max_examples=60)
@given(text=TEXT)
@example(text="".join(HOSTILE))
@example(text="`\\`")
@example(text="`_`")
@example(text="000000<<`0`")
def test_markdown_has_the_marks_of_the_template_whatever_the_texts(text: str) -> None:
    assume(text.strip())
    assert marks(markdown(text)) == marks(markdown("x"))


def marks(text: str) -> tuple[int, list[str]]:
    """Return how many lines there are outside of fences, and what is not escaped in them."""
    bare = re.sub(r"(?ms)^(`{3,})\n.*?^\1$", "", text)
    unescaped = re.sub(r"\\.|`[^`\n]+`", " ", bare)  # in code a backslash is one
    acts = re.findall(r"[@#]\w|(?<!<)https?:/|www\.\w", unescaped)
    return bare.count("\n"), [one for one in unescaped if one in MARKS] + acts


@pytest.mark.parametrize(("text", "shown"), [
    ("a | b", r"a \| b"), ("- a", r"\- a"), ("1. a", r"1\. a"), ("8.8M", "8.8M"), ("a - b", "a - b"),
    ("see @octo", "see @ octo"), ("http://a.example", r"http\://a.example"), ("a\x1bb", r"a\[U+001B\]b"),
    ("`a*b` c*", r"`a*b` c\*"), ("`@octo", r"\`@ octo"), ("`a|b`", r"\`a\|b\`"), ("``a`", r"\`\`a\`"),
])  # fmt: skip
def test_a_text_is_escaped_where_it_acts_and_nowhere_else(text: str, shown: str) -> None:
    assert inert({"title": text}, markdown=True) == {"title": shown}


@pytest.mark.parametrize(("text", "shown"), [
    ("`a <b>` is c", "<code>a &lt;b&gt;</code> is c"), ("a ` b", "a ` b"),
    ("<code>a</code>", "&lt;code&gt;a&lt;/code&gt;"),
])  # fmt: skip
def test_on_a_page_only_what_stands_in_backticks_is_code(text: str, shown: str) -> None:
    assert f'<td data-l="Criterion">{shown}</td>' in page(text)


@pytest.mark.parametrize(("text", "link"), [
    (URL, URL), (f"{URL}#<b>", URL), ("javascript:alert(1)//github.com/o/a/pull/7", ""), ("http://x/y", ""),
])  # fmt: skip
def test_only_the_address_of_a_pull_request_is_a_link(text: str, link: str) -> None:
    assert link_to(text) == link


def test_megabytes_of_output_and_thousands_of_rows_have_an_end() -> None:
    many = {name: rows * 5_000 for name, rows in report()._asdict().items() if isinstance(rows, list)}
    data = with_text(as_plain(report(**many)), "<\u202e|" * 400_000)
    assert len(markdown("<\u202e|" * 10_000, data).encode()) <= 2**20
    assert len(page("<\u202e|" * 10_000, data).encode()) < 2**23
    assert "and 9850 more decisions" in page(data=data)
