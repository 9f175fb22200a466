"""An issue becomes a story: its text where its author may push, else what the user says in its place."""

import pytest

from bench import Bench, Said
from fake_github.hub import Hub
from fake_github.state import Issue

BODY = "Guests cannot see it at night.\n\n## Acceptance Criteria\n\n- a switch turns it on\n- it stays on"
OWN = "# Dark mode\n\nAs they say there.\n\n## Acceptance Criteria\n\n- a switch turns it on"
URL = "https://github.com/octo/app/issues/12"


@pytest.fixture
def issues(bench: Bench, hub: Hub) -> dict[int, Issue]:
    """Return the issues of octo/app, which the work tree is a clone of; alice may push, the stranger may not."""
    bench.git("remote", "add", "origin", "https://github.com/octo/app.git")
    for name in ("me", "alice"):
        hub.permit("octo/app", name, "write")
    return hub.repository("octo/app").issues


def opened(issues: dict[int, Issue], hub: Hub, by: str, body: str | None = BODY, **more: str) -> None:
    issues[12] = Issue("Dark mode", body, hub.who(by), **more)


def give(bench: Bench, text: str) -> Said:
    return bench.baton("start", "-", stdin=text)


def story(bench: Bench) -> str:
    return bench.baton("show", "1", "story").out


@pytest.mark.parametrize("name", ["#12", URL, f"{URL}#issuecomment-7"])
def test_the_issue_of_an_author_who_may_push_is_the_story(
    name: str, bench: Bench, hub: Hub, issues: dict[int, Issue]
) -> None:
    opened(issues, hub, "alice")
    assert give(bench, name).action == "DO ask"  # the commands, as of any first story
    assert [one in story(bench) for one in ("Dark mode", "- it stays on", f'source: "{URL}"')] == [True] * 3


def test_the_same_issue_again_is_the_same_story(bench: Bench, hub: Hub, issues: dict[int, Issue]) -> None:
    opened(issues, hub, "alice")
    assert [give(bench, name).code for name in ("#12", URL)] == [0, 0]
    assert len(list((bench.root / ".git/baton").glob("*/journal.jsonl"))) == 1


def test_criteria_are_asked_for_and_complete_it(bench: Bench, hub: Hub, issues: dict[int, Issue]) -> None:
    opened(issues, hub, "alice", "Guests cannot see\n└ it at night.")
    said = give(bench, "--no-loop #12")
    assert [one in said.out for one in ("request/no-criteria", "│ └ it at night.", "--no-loop\n#12\n")] == [
        True
    ] * 3
    give(bench, "#12\n\n## Acceptance Criteria\n\n- a switch turns it on")
    assert [one in story(bench) for one in ("it at night", "- a switch turns it on")] == [True, True]


@pytest.mark.parametrize(("by", "why"), [("stranger", "not allowed to push"), ("renovate", "a bot")])
def test_a_strangers_words_are_not_shown_and_the_users_take_their_place(
    by: str, why: str, bench: Bench, hub: Hub, issues: dict[int, Issue]
) -> None:
    hub.actor("renovate", "Bot")
    opened(issues, hub, by, f"canary\n{BODY}")
    said = give(bench, "#12")
    assert (said.action, f"@{by}" in said.out and f"({why})" in said.out, "canary" in said.out) == (
        "DO ask",
        True,
        False,
    )
    give(bench, f"#12\n{OWN}")
    assert [one in story(bench) for one in ("As they say there", URL, "canary")] == [True, True, False]


@pytest.mark.parametrize(("number", "says"), [
    (12, "the issue is closed at"), (7, "#7 is a pull request at"), (99, "no issue #99 at github.com/octo/app"),
])  # fmt: skip
def test_what_is_no_open_issue_is_one_line(
    number: int, says: str, bench: Bench, hub: Hub, issues: dict[int, Issue]
) -> None:
    opened(issues, hub, "alice", state="closed")
    hub.pull_request("octo/app", 7)
    assert says in give(bench, f"#{number}").refused
    assert not (bench.root / ".git/baton").exists()


def test_without_a_remote_on_github_it_is_one_line(bench: Bench) -> None:
    assert "no remote that could be GitHub's" in give(bench, "#12").refused
