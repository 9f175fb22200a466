"""A real page: a merged pull request with one bot's review, all that bot writes around it, and a merge."""

import pytest

from bench import ROOT
from fake_github.pull_request import Inline
from feedback.reader_double import IGNORE, actionable, finding
from feedback.scene import PullScene

PAGE = ROOT / "tests/examples/feedback/seed"
PATH = "docs/brewing/stoves.mdx"
LINKS = finding("Turn the names of the files into links.", "documentation", path=PATH, line=37, start_line=29)


def page(name: str) -> str:
    return (PAGE / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture
def here(here: PullScene) -> PullScene:
    """Put the page on the host, the walkthrough, the review with its two threads, the merge, and have it read."""
    here.push({PATH: "x\n" * 320})
    here.pull.comment(by="coderabbitai", body=page("walkthrough"))
    threads = [
        Inline(PATH, 58, page("inline-table"), start_line=51),
        Inline(PATH, 305, page("inline-malformed-suggestion"), start_line=301),
    ]
    here.pull.review(by="coderabbitai", body=page("review"), threads=threads)
    here.pull.state = "MERGED"
    here.script = {"Nitpick comments (1)": actionable(LINKS), "walkthrough": IGNORE}
    here.plan()
    return here


def test_the_page_comes_to_exactly_three_items(here: PullScene) -> None:
    data = here.fetch("7", "--json").json
    new = [(one["surface"], one["line"], one["start_line"]) for one in data["items"] if one["state"] == "new"]
    assert new == [("review_thread", 58, 51), ("review_thread", 305, 301), ("review_body_part", 37, 29)]
    assert {one["path"] for one in data["items"] if one["state"] == "new"} == {PATH}
    assert [one["state"] for one in data["items"] if one["surface"] == "pr_comment"] == ["dropped"]
    assert (data["counts"]["new"], data["counts"]["unread"], data["counts"]["dropped"]) == (3, 0, 1)


def test_no_poem_or_advertisement_reaches_a_resolver(here: PullScene) -> None:
    seen = "".join(here.show(one).out for one in here.planned_items)
    assert "Turn the names of the files into links." in seen
    for words in ("Poem", "Slack", "Finishing Touches", "Pre-merge checks"):
        assert words in page("walkthrough")
        assert words not in seen
