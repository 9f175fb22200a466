"""A bot nobody named: counted, and read in a repository once you trust it there, by its account's number."""

from dataclasses import replace
from pathlib import Path

import pytest

from baton.artifacts.config import REVIEW_BOTS
from baton.feedback.text.outgoing import CALLED
from fake_github.state import Actor
from feedback.scene import PullScene

LINE = "UNVERIFIED @newbot 1: a bot nobody named; not shown (baton answer pr-7 trust, or leave)"
ASK = "Please check the canary."


@pytest.fixture
def bot(here: PullScene) -> Actor:
    """A bot that nobody named, which wrote a comment."""
    made = here.hub.actor("newbot", kind="Bot")
    here.pull.comment(by=made, body=ASK)
    return made


def folder(here: PullScene) -> Path:
    """Where what was read of the repository is kept."""
    return here.bench.root / ".git/baton/.pull-requests/github.com/octo/app"


def test_a_bot_nobody_named_is_one_line_and_nothing_it_said_is_shown_or_kept(here: PullScene, bot: Actor) -> None:
    thread = here.pull.thread("src/a.py", 1, by="alice", body="rename this")
    thread.reply(by=bot, body=ASK)
    shown = [here.fetch(), here.show(here.pull.comments[0].id), here.show(thread.id)]
    kept = [path.read_text() for path in folder(here).rglob("*") if path.is_file()]
    assert LINE in shown[0].out
    assert "canary" not in "".join([*kept, *(one.out + one.err for one in shown)])
    assert "not shown: 24 bytes of @newbot, unverified" in shown[2].out


def test_a_bot_nobody_named_stops_no_round_and_reopens_nothing(here: PullScene, bot: Actor) -> None:
    answered = here.pull.thread("src/a.py", 1, by="alice", body="rename this")
    answered.reply(by="me", body="It is a name of the protocol.")
    before = here.read()["counts"]
    answered.reply(by=bot, body=ASK)
    assert here.read()["counts"] == before
    assert (before["new"], before["answered"], before["unverified"]) == (0, 1, 1)


def test_a_bot_you_trust_is_read_on_the_next_pull_request_too(here: PullScene, bot: Actor) -> None:
    here.fetch()
    said = here.answer("trust")
    assert said.out.startswith("@newbot[bot]: trusted in this repository, by the number of their account\nTHEN ")
    assert here.read()["counts"]["unread"] == 1
    here.hub.pull_request("octo/app", 8, author="alice").comment(by=bot, body=ASK)
    here.hub.pull_request("octo/other", 9, author="alice").comment(by=bot, body=ASK)
    assert here.read("8")["counts"]["unread"] == 1
    assert here.read("https://github.com/octo/other/pull/9")["counts"]["unverified"] == 1


def test_a_bot_you_leave_out_stays_out(here: PullScene, bot: Actor) -> None:
    here.fetch()
    assert here.answer("leave").out.startswith("@newbot[bot]: left out, as before")
    assert here.read()["counts"]["unverified"] == 1


def test_a_bot_whose_number_changed_is_another(here: PullScene, bot: Actor) -> None:
    here.fetch()
    here.answer("trust")
    here.pull.comments[0].author = replace(bot, number=bot.number + 1000)
    data = here.read()
    assert (data["counts"]["unverified"], data["unverified"]) == (1, {"newbot[bot]": bot.number + 1000})
    assert "canary" not in Path(data["file"]).read_text()


def test_people_are_trusted_on_one_pull_request_and_bots_beside_them_in_all(here: PullScene, bot: Actor) -> None:
    person = here.hub.actor("newbot")
    here.hub.permit("octo/app", person, 403)
    for pull in (here.pull, here.hub.pull_request("octo/app", 8, author="alice")):
        pull.comment(by=person, body=ASK)
    here.fetch()
    told = here.answer("trust").out
    assert [line.split(",")[0] for line in told.splitlines()[:2]] == [
        "@newbot: trusted on this pull request", "@newbot[bot]: trusted in this repository",
    ]  # fmt: skip
    assert here.read()["counts"]["unread"] == 2
    assert here.read("8")["counts"]["unverified"] == 1


def test_a_comment_that_an_unnamed_bot_edited_is_read_once_it_is_trusted(here: PullScene, bot: Actor) -> None:
    thread = here.pull.thread("src/a.py", 1, by="alice", body="rename this")
    here.hub.edit(thread.comments[0], by=bot, body=ASK)
    assert "UNVERIFIED @alice 1: edited by @newbot: a bot nobody named; not shown" in here.fetch().out
    here.answer("trust")
    assert here.read()["counts"]["unread"] == 2


def test_a_thread_of_a_bot_you_trust_may_be_resolved_as_a_named_bots(here: PullScene, bot: Actor) -> None:
    from baton.feedback.record.fetch_pull import fetch_pull_request, find_pull
    from baton.git.command import find_project

    here.fetch()
    here.answer("trust")
    project = find_project(here.bench.root)
    assert "newbot" in fetch_pull_request(project, find_pull(project, "7")).config.bots


@pytest.mark.parametrize("text", ["", "{", "7", '{"trusted": {"x": "y"}, "said": {}}'])
def test_trust_is_never_guessed_from_a_damaged_file(here: PullScene, text: str) -> None:
    here.fetch()
    (folder(here) / "trusted-bots.json").write_text(text)
    assert "you will be asked again" in here.fetch().refused


def test_the_names_of_bots_are_exact_and_each_is_listed_once() -> None:
    names = [*REVIEW_BOTS, *CALLED]
    assert len(names) == len({*names})
    assert all(name == name.lower() and name.isascii() and "[" not in name for name in names)
