"""Bodies as bots may write them tomorrow: whatever changes in their form, no finding is lost without a word."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.feedback.read.item import NEW
from baton.feedback.read.models import Feedback
from baton.feedback.read.pull_request import Actor
from baton.feedback.read.triage import Triaged, classify_comments, triage
from baton.feedback.read.trust import Trust
from feedback.said import PULL, by, thread
from feedback.test_bots import BODIES, SEED, expected_of, flat, login_of, name_of, sentences

Mutation = Callable[[str], str]


def swap(pattern: str, new: str, flags: int = re.MULTILINE) -> Mutation:
    return lambda body: re.sub(pattern, new, body, flags=flags)


TAG = re.compile(r"</?(?:details|summary|blockquote|code|b)\b")
MUTATIONS: dict[str, Mutation] = {
    "a heading one level up": swap(r"^#(#+ )", r"\1"),
    "a heading one level down": swap(r"^(#{1,5} )", r"#\1"),
    "headings in bold": swap(r"^#{1,6} +(?!\*)(.+)$", r"**\1**"),
    "no emoji": swap("[\u2600-\u27bf\ufe0f\U0001f300-\U0001faff]+ ?", ""),
    "bold in underscores": swap(r"\*\*([^*\n]+)\*\*", r"__\1__"),
    "all is unfolded": swap(r"<details>", "<details open>"),
    "tags in capitals": lambda body: TAG.sub(lambda found: found[0].upper(), body),
    "no blockquotes": swap(r"</?blockquote>", ""),
    "bold summaries": swap(r"<summary>([^<\n]+)</summary>", r"<summary><b>\1</b></summary>"),
    "summaries on three lines": swap(r"<summary>([^<\n]+)</summary>", r"<summary>\n\1\n</summary>"),
    "findings, not comments": swap(r"(?i)\bcomments?\b(?=[^\n]{0,20}\(\d+\))", "Findings"),
    "other names of sections": swap(
        r"Nitpick comments|Outside diff range comments|Suppressed comments", "Suggestions"
    ),
    "lines with an L": swap(r"`(\d+)-(\d+)`:", r"`L\1-L\2`:"),
    "lines in words": swap(r"`(\d+)-(\d+)`:", r"`Lines \1-\2`:"),
    "a dash behind the lines": swap(r"`(\d+(?:-\d+)?)`:", r"`\1` —"),
    "sections as headings": swap(r"<details>\s*<summary>([^<\n]+)</summary>|</details>", r"### \1\n"),
    "other tags of findings": swap(r"(</?)violation\b", r"\1finding"),
    "ids for numbers": swap(r"\bnumber=\"", 'id="'),
    "spaces at the ends of lines": swap(r"$", "  "),
    "no-break spaces": swap(r"(?<=\w) (?=\w)", "\u00a0"),
}


def sorted_out(path: Path, body: str) -> Triaged:
    """Sort what a bot wrote alone on a pull request, where its words are read."""
    login, surface = login_of(path), expected_of(path)["surface"]
    told = by("alice", body)._replace(author=Actor(login, "Bot", 99))
    said = Feedback(
        PULL, "me", [thread(told)] if surface == "review_thread" else [],
        (told,) if surface == "pr_comment" else (), (told,) if surface == "review_body" else (),
    )  # fmt: skip
    return triage(classify_comments(said, lambda one: Trust("trusted", "a bot"), (login,)))


def heard(told: Triaged) -> str:
    """Return all that is to be worked on."""
    return plain("\n".join(f"{one.title}\n{one.text}" for one in told.items if one.state == NEW))


def plain(text: str) -> str:
    return flat(re.sub(r"[*_`<>/\u00a0]+", " ", text).lower())


@pytest.mark.sampled(100)
@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("path", BODIES + SEED, ids=name_of)
def test_nothing_is_lost_without_a_word(path: Path, mutation: str) -> None:
    body = path.read_text("utf-8")
    changed = MUTATIONS[mutation](body)
    before, told = heard(sorted_out(path, body)), sorted_out(path, changed)
    wanted = [one for one in map(plain, sentences(expected_of(path))) if one in before and one in plain(changed)]
    assert told.problems or [one for one in wanted if one not in heard(told)] == []


def test_every_mutation_changes_some_body() -> None:
    bodies = [path.read_text("utf-8") for path in BODIES + SEED]
    assert [name for name, act in MUTATIONS.items() if all(act(body) == body for body in bodies)] == []


def test_the_bodies_are_many_and_of_many_authors() -> None:
    assert (len(BODIES + SEED) >= 120, len({path.parent for path in BODIES}) >= 30) == (True, True)
