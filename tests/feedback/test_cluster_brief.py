"""The block of a cluster: exactly the one that was agreed on, and it reads back as what it was made from."""

from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.errors import BatonError
from baton.feedback.plan.cluster import ClusterItem, cluster_items
from baton.feedback.plan.cluster_brief import (
    PRIOR,
    SEPARATOR,
    ClusterBrief,
    Prior,
    brief_from_data,
    brief_of,
    cluster_brief,
)
from baton.text import restored, visible
from scale import QUICKLY

AGREED = """<cluster-brief>
  <theme>validation</theme>
  <area>src/auth/</area>
  <files>src/auth/login.py, src/auth/reset.py</files>
  <threads>PRRT_7</threads>
  <hypothesis>One sentence.</hypothesis>
  <prior-resolutions>
    <thread id="PRRT_4" path="src/auth/login.py" category="validation"/>
  </prior-resolutions>
</cluster-brief>"""
FILES = ("src/auth/login.py", "src/auth/reset.py")
BEFORE = Prior("PRRT_4", FILES[0], "validation")
BRIEF = ClusterBrief("validation", "src/auth/", FILES, ("PRRT_7",), "One sentence.", (BEFORE,))
ODD = {
    "a comma": "a,b.py", "a comma and a space": "a, b.py", "a comma at its end": "a,", "quotes": "a\"b'c.py",
    "an ampersand": "a&b.py", "what was escaped already": "a&amp;b&#10;.py", "tags": "</files><files>",
    "the end of a section": "a]]>b.py", "a comment": "<!-- a -->", "a line end": "a\nb.py",
    "Windows's line end": "a\r\nb", "a tab": "a\tb.py", "spaces around it": "  a ",
    "an escaped comma": "a[U+002C]b", "an escape": "[U+200B]",
    "half an escape": "[U+", "a backslash": "a\\b", "nothing XML can hold": "a\0\x1b\ufffe\ud800b",
    "what nobody sees": "a\u200b\u202eb\u2028", "emoji": "👩\u200d💻 ❤\ufe0f", "a percent sign": "a%2Cb",
}  # fmt: skip
TEXTS = st.one_of(st.text(), st.text("a,& <>\"'[U+02C]\n\t\r;#", max_size=12))
SOME = TEXTS.filter(bool)
BRIEFS = st.builds(
    ClusterBrief, TEXTS, TEXTS, st.lists(SOME, max_size=4).map(tuple), st.lists(SOME, max_size=4).map(tuple),
    TEXTS,
    st.lists(st.builds(Prior, TEXTS, TEXTS, TEXTS), max_size=3).map(tuple),
)  # fmt: skip


def read_brief(text: str) -> ClusterBrief:
    """Read back what `cluster_brief` wrote, as a program does that is given a block."""
    root = ElementTree.fromstring(text)
    theme, area, files, threads, hypothesis = (root.findtext(name, "") for name in ClusterBrief._fields[:5])
    prior = (
        Prior(*(restored(one.get(name, "")) for name in Prior._fields)) for one in root.findall(f"{PRIOR}/thread")
    )
    said = (restored(one) for one in (theme, area, hypothesis))
    return ClusterBrief(next(said), next(said), split_list(files), split_list(threads), next(said), tuple(prior))


def split_list(text: str) -> tuple[str, ...]:
    return tuple(restored(one) for one in text.split(SEPARATOR)) if text else ()


def test_the_block_is_the_one_that_was_agreed_on() -> None:
    assert cluster_brief(BRIEF) == AGREED
    assert read_brief(AGREED) == BRIEF


RECORD = {**BRIEF._asdict(), "files": [*FILES], "threads": ["PRRT_7"], "prior_resolutions": [BEFORE._asdict()]}


@pytest.mark.parametrize(("more", "told"), [
    *(({name: empty}, f"`{name}`") for name in ("theme", "area", "hypothesis") for empty in ("", " ")),
    *(({name: empty}, f"`{name}`") for name in ("files", "threads") for empty in ([], [""], ["a", " "])),
    ({"threads": ["PRRT_7", "PRRT_7"]}, "named twice: PRRT_7"),
    ({"threads": ["PRRT_7", "PRRT_4"]}, "named twice: PRRT_4"),
    ({"prior_resolutions": [BEFORE._asdict()] * 2}, "named twice: PRRT_4"),
], ids=str)  # fmt: skip
def test_a_record_that_says_nothing_or_names_a_thread_twice_is_refused(more: dict[str, Any], told: str) -> None:
    assert brief_from_data(RECORD) == BRIEF
    with pytest.raises(BatonError) as refused:
        brief_from_data({**RECORD, **more})
    assert (told in refused.value.what, "\n" in str(refused.value)) == (True, False)


def test_prior_resolutions_are_named_only_when_there_are_some() -> None:
    text = cluster_brief(BRIEF._replace(prior=()))
    assert "prior-resolutions" not in text
    assert read_brief(text).prior == ()


def test_a_cluster_is_told_with_its_new_threads_apart_from_the_resolved_ones() -> None:
    before = [ClusterItem("PRRT_4", FILES[0], "validation")]
    [found] = cluster_items([ClusterItem("PRRT_7", FILES[1], "validation")], before, "gate/cross").clusters
    told = brief_of(found)
    assert told._replace(hypothesis=BRIEF.hypothesis) == BRIEF
    assert (
        told.hypothesis == "1 finding of validation in src/auth/ may have one cause with 1 resolved here before."
    )


def test_a_cluster_without_a_category_is_not_called_other() -> None:
    members = [ClusterItem(name, FILES[0], "other") for name in ("PRRT_7", "PRRT_8")]
    [found] = cluster_items(members, [], "gate/volume").clusters
    assert brief_of(found).hypothesis == "2 findings in src/auth/ may have one cause."


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_a_text_reads_back_wherever_it_stands(odd: str) -> None:
    brief = ClusterBrief(odd, odd, (odd, "b", odd), ("a", odd), odd, (Prior(odd, odd, odd), Prior("a", "b", "c")))
    text = cluster_brief(brief)
    assert read_brief(text) == brief
    assert len(text.split("\n")) == 11


@pytest.mark.parametrize(("odd", "expected"), [
    ("a,b", "<files>a[U+002C]b, c</files>"), ("a&b", "<files>a&amp;b, c</files>"),
    ("a&amp;b", "<files>a&amp;amp;b, c</files>"), ("a\nb", "<files>a&#10;b, c</files>"),
    ("a\u200bb", "<files>a[U+200B]b, c</files>"), ("a b", "<files>a b, c</files>"),
], ids=["a comma", "an ampersand", "what was escaped", "a line end", "what nobody sees", "a space"])  # fmt: skip
def test_every_odd_character_is_escaped_in_one_way(odd: str, expected: str) -> None:
    assert expected in cluster_brief(BRIEF._replace(files=(odd, "c")))


def test_a_list_of_nothing_reads_back() -> None:
    brief = BRIEF._replace(files=(), threads=())
    assert read_brief(cluster_brief(brief)) == brief


@QUICKLY
@given(BRIEFS)
def test_any_block_reads_back_as_what_it_was_made_from(brief: ClusterBrief) -> None:
    text = cluster_brief(brief)
    assert read_brief(text) == brief
    assert ElementTree.fromstring(text).findtext("hypothesis") == visible(brief.hypothesis)
