"""A real page: a merged pull request with one bot's review, all that bot writes around it, and a merge."""

from pathlib import Path

from bench import ROOT
from fake_github.pull_request import Inline
from feedback.conftest import Clone

PAGE = ROOT / "tests/examples/feedback/seed"


def page(name: str) -> str:
    return (PAGE / f"{name}.md").read_text(encoding="utf-8")


def set_up(here: Clone) -> None:
    """Put the page on the host: the walkthrough, the review with its two threads, the merge."""
    here.hub.actor("coderabbitai", kind="Bot")
    here.pull.comment(by="coderabbitai", body=page("walkthrough"))
    path = "docs/brewing/stoves.mdx"
    threads = [
        Inline(path, 58, page("inline-table"), start_line=51),
        Inline(path, 305, page("inline-malformed-suggestion"), start_line=301),
    ]
    here.pull.review(by="coderabbitai", body=page("review"), threads=threads)
    here.pull.state = "MERGED"


def test_the_page_comes_to_exactly_three_items(here: Clone) -> None:
    set_up(here)
    data = here.read()
    new = [(one["surface"], one["line"], one["start_line"]) for one in data["items"] if one["state"] == "new"]
    assert new == [("review_thread", 58, 51), ("review_thread", 305, 301), ("review_body_part", 37, 29)]
    assert {one["path"] for one in data["items"] if one["state"] == "new"} == {"docs/brewing/stoves.mdx"}
    assert [one["state"] for one in data["items"] if one["surface"] == "pr_comment"] == ["dropped"]
    assert (data["counts"]["new"], data["counts"]["dropped"], data["problems"]) == (3, 1, [])


def test_no_prompt_poem_or_advertisement_reaches_a_reader(here: Clone) -> None:
    set_up(here)
    data = here.read()
    ids = [one["id"] for one in data["items"]]
    seen = here.fetch().out + here.show(*ids).out + Path(data["file"]).read_text(encoding="utf-8")
    for words in (
        "Prompt for AI",
        "Prompt for all review comments",
        "Poem",
        "Slack",
        "Finishing Touches",
        "Fix all",
    ):
        assert words not in seen
