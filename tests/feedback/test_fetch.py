"""`pr fetch`: everything that was said, in as few requests as pages need, or an error; never a part."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from baton.feedback.fetch.parse_nodes import Incomplete, incomplete_where_odd, read_line
from bench import Bench, CallResult
from fake_github import misbehave
from fake_github.hub import Hub
from fake_github.misbehave import Errors, HangUp, Meanwhile, Rewrite, Slow, Status, Truncated
from fake_github.request import Request
from fake_github.state import Thread
from feedback.scene import PullScene, open_pull
from programs import write_program

pytestmark = pytest.mark.sampled(17)

CONNECTIONS = ("reviewThreads", "comments", "reviews")


def threads(here: PullScene, number: int, **more: Any) -> list[Thread]:
    """Open threads, all with one review."""
    review = here.pull.review(by="alice")
    made = range(number)
    return [
        here.pull.thread(f"src/{one}.py", one + 1, by="alice", body=f"finding {one}", review=review, **more)
        for one in made
    ]


# Across rounds: the scenarios of what an earlier round left


@pytest.mark.parametrize(("resolved", "current", "outdated", "signal"), [
    (2, 1, 0, True), (0, 2, 0, False), (2, 0, 0, False), (2, 0, 1, False),
])  # fmt: skip
def test_something_current_beside_what_was_resolved_is_the_signal(
    here: PullScene, resolved: int, current: int, outdated: int, signal: bool
) -> None:
    threads(here, resolved, resolved=True)
    threads(here, current)
    threads(here, outdated, outdated=True)
    data = here.read()
    before = data["cross_invocation"]
    assert (before["signal"], len(before["resolved_threads"])) == (signal, resolved)
    assert (len(data["review_threads"]), len(data["outdated_threads"])) == (current, outdated)
    assert sum(data["counts"][one] for one in ("new", "unread")) == current + outdated


def test_the_last_ten_of_twenty_resolved_threads_are_listed_newest_first(here: PullScene) -> None:
    made = threads(here, 20, resolved=True)
    made[0].reply(by="bob", body="one more word")
    told = [one["thread_id"] for one in here.read()["cross_invocation"]["resolved_threads"]]
    assert told == [one.id for one in (made[0], *reversed(made[11:]))]


def test_resolved_threads_cost_no_request_and_change_nothing_else(here: PullScene) -> None:
    threads(here, 2)
    before = here.read()
    threads(here, 3, resolved=True)
    after = here.read()
    assert here.asked == ["Feedback", "Feedback"]
    for name in ("review_threads", "pr_comments", "review_bodies"):
        assert after[name] == before[name]


def test_a_resolved_thread_is_told_by_what_its_first_comment_says(here: PullScene) -> None:
    thread = here.pull.thread("src/a.py", 3, by="alice", body="check the key", resolved=True)
    here.pull.thread("src/b.py", 3, by="stranger", body="canary", resolved=True)
    theirs, ours = here.read()["cross_invocation"]["resolved_threads"]
    assert {name: ours[name] for name in ("thread_id", "path", "line", "first_comment_body")} == {
        "thread_id": thread.id, "path": "src/a.py", "line": 3, "first_comment_body": "check the key",
    }  # fmt: skip
    assert theirs["first_comment_body"] is None


# Requests


@pytest.mark.gh
def test_all_three_lists_share_their_requests(here: PullScene) -> None:
    threads(here, 250)
    for number in range(120):
        here.pull.comment(by="alice", body=f"please {number}")
    data = here.read()
    assert (len(data["review_threads"]), data["counts"]["unread"]) == (250, 370)
    assert here.asked == ["Feedback"] * 3


@pytest.mark.parametrize(("number", "pages"), [(1, 2), (100, 2), (101, 2), (301, 4)])
def test_requests_are_pages_long_threads_and_commenters(here: PullScene, number: int, pages: int) -> None:
    long, *_ = threads(here, number)
    for one in range(120):  # each a review of its own: two pages of those
        long.reply(by="bob", body=f"word {one}")
    for name in ("bob", "carol", "dave", "carol"):
        here.pull.comment(by=name, body="please")
    here.read()
    lookups = [f"/repos/octo/app/collaborators/{name}/permission" for name in ("carol", "dave")]
    assert here.asked == [*["Feedback"] * pages, "Thread", *lookups]


def test_a_thread_of_more_than_a_hundred_comments_is_completed(here: PullScene) -> None:
    [long] = threads(here, 1)
    for number in range(249):
        long.reply(by="bob", body=f"word {number}")
    [told] = here.read()["review_threads"]
    assert [one["body"] for one in told["comments"]] == ["finding 0", *(f"word {one}" for one in range(249))]
    assert here.asked.count("Thread") == 2


def test_a_long_thread_that_was_resolved_is_completed_only_where_it_is_told(here: PullScene) -> None:
    for thread in threads(here, 2, resolved=True):
        for number in range(101):
            thread.reply(by="bob", body=f"word {number}")
    here.bench.commit({".baton.yaml": "base: main\nfeedback: {resolved_lookback: 1}\n"})
    [told] = here.read()["cross_invocation"]["resolved_threads"]
    assert (len(told["comments"]), here.asked.count("Thread")) == (102, 1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("number", "pages"), [(10, 1), (1_000, 10), (10_000, 100)])
def test_any_number_of_threads_is_told_on_one_screen(here: PullScene, number: int, pages: int) -> None:
    threads(here, number)
    said = here.fetch()
    assert here.asked == ["Feedback"] * pages
    assert f"0 new · {number} unread\n" in said.out
    assert len(said.out.encode()) <= 6_001


def test_git_is_asked_up_to_eight_times(here: PullScene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here.bench.commit({".baton.yaml": "base: main\n"})
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    here.fetch()
    assert 0 < (tmp_path / "trace").read_text().count("trace: built-in") <= 8


# Which pull request


@pytest.mark.parametrize("words", [
    ["7"], ["#7"], ["https://github.com/octo/app/pull/7"], ["7", "--repo", "octo/app"],
    ["github.com/octo/app/pull/7/files"],
])  # fmt: skip
def test_the_pull_request_is_named_by_number_or_url(here: PullScene, words: list[str]) -> None:
    assert here.read(*words)["pr"]["number"] == 7


@pytest.mark.parametrize("number", ["7", "#7"])
@pytest.mark.parametrize("verb", [("plan", "--json"), ("land",)], ids=" ".join)
def test_a_number_is_of_what_was_read_if_remotes_vary(here: PullScene, verb: tuple[str, ...], number: str) -> None:
    here.bench.git("remote", "add", "colleague", "https://github.com/bob/app.git")
    assert "give its URL, https://HOST/OWNER/REPO/pull/N" in here.fetch("7").err  # which the skill takes, too
    here.fetch("https://github.com/octo/app/pull/7")
    said = here.bench.baton("pr", *verb, number)
    assert "pr/nothing" in said.out or "there is no current round" in said.err


def test_a_number_that_was_not_read_is_refused_with_its_remedy(here: PullScene) -> None:
    assert "`baton pr fetch 8`" in here.bench.baton("pr", "plan", "8").refused


def test_without_a_name_it_is_that_of_the_branch(here: PullScene) -> None:
    here.hub.pull_request("octo/app", 8, head="topic", fork="stranger/app")
    here.bench.git("config", "branch.topic.remote", "origin")
    said = here.bench.baton("pr", "fetch", "--json")
    assert said.json["pr"]["number"] == 7
    here.bench.git("switch", "--quiet", "--create", "other")
    assert "no open pull request at branch other" in here.bench.baton("pr", "fetch").err


def test_an_enterprise_host_is_asked_where_its_remote_is(bench: Bench, enterprise: Hub) -> None:
    bench.git("remote", "add", "origin", "https://ghe.example.com/octo/app.git")
    pull = open_pull(enterprise)
    pull.thread("src/a.py", 1, by="alice", body="rename")
    pull.comment(by="carol", body="split")
    assert bench.baton("pr", "fetch", "7", "--json").json["counts"]["new"] == 1
    assert {request.host for request in enterprise.requests} == {"ghe.example.com"}
    assert enterprise.requests[-1].path == "/api/v3/repos/octo/app/collaborators/carol/permission"


def test_the_environment_points_nowhere_else(here: PullScene, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"GH_HOST": "evil.example", "GH_REPO": "evil/app", "GH_DEBUG": "api", "DEBUG": "1"}.items():
        monkeypatch.setenv(name, value)
    said = here.fetch()
    assert (said.code, said.err) == (0, "")
    assert {request.host for request in here.hub.requests} == {"api.github.com"}


def test_a_pull_request_from_a_fork_is_told_as_one(here: PullScene) -> None:
    here.hub.pull_request("octo/app", 9, author="stranger", fork="stranger/app", head="main")
    pull = here.read("9")["pr"]
    assert (pull["cross_repository"], pull["head_repo"], pull["author"]) == (True, "stranger/app", "stranger")
    here.hub.pull_request("octo/app", 10, fork="gone/app", fork_deleted=True)
    assert here.read("10")["pr"]["head_repo"] == ""


def targets(here: PullScene) -> list[tuple[str, set[str]]]:
    """Say a lot on the pull request; return the end of each URL, and the ids of what it names."""
    first, _ = threads(here, 2)
    reply = first.reply(by="bob", body="indeed")
    comment, _ = (here.pull.comment(by="bob", body=body) for body in ("please", "another"))
    review = here.pull.review(by="bob", body="Overall, split it", state="CHANGES_REQUESTED")
    inside = here.pull.thread("src/z.py", 4, by="bob", body="here too", review=review)
    threads(here, 1, resolved=True)
    return [
        (f"#discussion_r{reply.number}", {first.id}),
        (f"/changes#r{first.comments[0].number}", {first.id}),
        (f"#issuecomment-{comment.number}", {comment.id}),
        (f"#pullrequestreview-{review.number}", {review.id, inside.id}),  # with its threads
    ]


def test_a_url_of_one_piece_of_feedback_gives_that_alone(here: PullScene) -> None:
    for end, ids in targets(here):
        data = here.read(f"https://github.com/octo/app/pull/7{end}")
        assert {one["id"] for one in data["items"]} == ids, end
        assert data["cross_invocation"] == {"signal": False, "resolved_threads": []}
        assert {one["id"] for one in data["review_threads"]} <= ids


def test_a_url_of_missing_feedback_is_an_error_and_of_a_resolved_thread_told(here: PullScene) -> None:
    [thread] = threads(here, 1, resolved=True)
    url = "https://github.com/octo/app/pull/7#discussion_r"
    assert "no feedback has the number 99" in here.fetch(f"{url}99").err
    assert "whose thread is resolved" in here.fetch(f"{url}{thread.comments[0].number}").out


# What goes wrong is said


WRONG: dict[str, tuple[misbehave.Fault, int | None, str]] = {
    "not signed in": (Status(401), 1, "`gh auth login --hostname github.com`"),
    "refused": (Status(403), 1, "lacks a permission (Resource not accessible"),
    "not there": (Status(404), 1, "not there"),
    "errors beside the data": (Errors(("odd",), data=True), 1, "refused (odd)"),
    "errors instead of data": (Errors(("odd",)), 1, "refused (odd)"),
    "no data": (misbehave.null_data(), 1, "an answer without data"),
    "a page for people": (misbehave.page_for_people(), None, "no JSON"),
    "half an answer": (Truncated(), None, "no JSON"),
    "half an answer, cut": (Truncated(cut=True), None, "github.com"),
    "nothing": (misbehave.no_body(), None, "no JSON"),
    "a fault of the host": (Status(500), None, "a fault of GitHub's own (500)"),
    "no answer in time": (Status(504, "<html>"), None, "no answer in time (504)"),
    "a lost line": (HangUp(), None, "gh could not reach it"),
    "a limit for an hour": (misbehave.primary_limit(), 1, "GitHub's rate limit"),
    "a limit that goes on": (misbehave.secondary_limit(30), None, "GitHub's rate limit"),
    **{
        f"{what} among {at}": (make(at), None, "not read whole")
        for at in CONNECTIONS
        for what, make in {
            "a hole": misbehave.null_node, "a repeated cursor": misbehave.repeated_cursor,
            "no cursor": misbehave.no_cursor, "a wrong count": misbehave.wrong_count,
        }.items()
    },
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", WRONG)
def test_an_incomplete_read_is_an_error_and_never_nothing_to_do(here: PullScene, name: str) -> None:
    fault, times, words = WRONG[name]
    threads(here, 2)
    here.pull.comment(by="bob", body="please")
    here.misbehave(fault, times=times)
    said = here.fetch()
    *waiting, line = said.err.splitlines()
    assert (said.code, said.out) == (2, "")
    assert words in line
    assert all("waiting" in one for one in waiting)
    assert sum(here.waits) <= 75
    assert not (here.bench.root / ".git/baton/.pull-requests").exists()


PASSING: dict[str, tuple[misbehave.Fault, list[float]]] = {
    "a bad gateway": (Status(502, "<html>"), [1]),
    "a fault of the host": (Status(503), [1]),
    "a lost line": (HangUp(), [1]),
    "half an answer": (Truncated(), [1]),
    "a secondary limit": (misbehave.secondary_limit(30), [30]),
    "a secondary limit by 429": (misbehave.secondary_limit(None, 429), [60]),
    "too quickly": (misbehave.too_quickly(), [60]),
    "a wrong count": (misbehave.wrong_count("comments"), []),
}


@pytest.mark.parametrize("name", PASSING)
def test_a_passing_fault_is_waited_out(here: PullScene, name: str) -> None:
    fault, waits = PASSING[name]
    threads(here, 2)
    here.misbehave(fault)
    said = here.fetch()
    assert (said.code, here.waits) == (0, waits)
    assert "2 new" in said.out
    assert ("waiting" in said.err) == (sum(waits) >= 5)


def test_a_second_page_that_fails_is_no_reason_to_tell_the_first(here: PullScene) -> None:
    threads(here, 150)
    here.misbehave(Status(404), after=1)
    said = here.fetch()
    assert (said.code, said.out) == (2, "")


def test_a_page_that_takes_too_long_is_asked_for_in_smaller_ones(here: PullScene) -> None:
    threads(here, 60)
    here.misbehave(Status(502, "<html>"), times=None, when=lambda one: one.variables.get("size", 0) > 30)
    assert here.read()["counts"]["unread"] == 60
    assert [request.variables["size"] for request in here.hub.requests] == [100, 50, 25, 25, 25]


@pytest.mark.parametrize("act", ["comment", "push"])
def test_a_change_during_the_read_starts_it_again(here: PullScene, act: str) -> None:
    threads(here, 150)
    acts = {"comment": lambda: here.pull.threads.pop(0), "push": lambda: setattr(here.pull, "head_oid", "b" * 40)}
    here.misbehave(Meanwhile(acts[act]), after=1)
    data = here.read()
    assert len(data["review_threads"]) == (149 if act == "comment" else 150)
    assert data["pr"]["head_oid"] == here.pull.head_oid
    assert len(here.hub.requests) == 4


def test_a_thread_that_turns_out_to_be_of_another_pull_request_is_not_taken(here: PullScene) -> None:
    [long] = threads(here, 1)
    for number in range(101):
        long.reply(by="bob", body=f"word {number}")

    def elsewhere(request: Request, answer: Any) -> Any:
        answer["data"]["node"]["pullRequest"]["id"] = "PR_other"
        return answer

    here.misbehave(Rewrite(elsewhere), times=None, when=lambda one: "query Thread(" in one.query)
    assert "is not of this pull request any more" in here.fetch().err


@pytest.mark.gh
def test_a_gh_that_hangs_is_given_up(here: PullScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.github.client.SECONDS", 0.5)
    here.misbehave(Slow(30), times=None)
    assert "did not end in" in here.fetch().refused


def test_a_pull_request_that_is_not_there_is_one_line(here: PullScene) -> None:
    said = here.fetch("8")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "Could not resolve to a PullRequest" in said.err


@pytest.mark.gh
@pytest.mark.parametrize(("version", "words"), [
    ("", "`gh` cannot be started"), ("gh version 2.22.1 (2023-01-01)", "gh 2.22.1 is too old"),
])  # fmt: skip
def test_a_gh_that_will_not_do_is_said(
    here: PullScene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, words: str
) -> None:
    if version:
        write_program(tmp_path / "gh", f"echo '{version}'")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    said = here.fetch()
    assert (said.code, here.hub.requests) == (2, [])
    assert words in said.err


@pytest.mark.gh
def test_a_gh_that_is_not_logged_in_is_told_how(here: PullScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GH_TOKEN")
    assert "gh is not logged in at github.com: `gh auth login --hostname github.com`" in here.fetch().err


@pytest.mark.parametrize("line", [None, 1, 305])
def test_a_line_is_a_number_or_none(line: int | None) -> None:
    assert read_line(line) == line


@pytest.mark.parametrize("line", [0, -1, "12", True, 1.0])
def test_any_other_line_makes_the_read_void(line: Any) -> None:
    with pytest.raises(Incomplete, match="instead of a line"), incomplete_where_odd("a thread"):
        read_line(line)


# Who is trusted

ASSOCIATIONS = (
    "COLLABORATOR", "CONTRIBUTOR", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN", "MEMBER", "NONE", "OWNER",
)  # fmt: skip
PERMISSIONS: tuple[str | int, ...] = ("admin", "write", "read", "none", 404)
KINDS = ("User", "Bot", "Mannequin", None)


def test_only_those_of_160_kinds_of_authors_who_may_push_are_read_out(here: PullScene) -> None:
    expected: dict[str, str] = {}
    for number, (association, permission, kind) in enumerate(product(ASSOCIATIONS, PERMISSIONS, KINDS)):
        who = here.hub.actor(f"actor-{number}", kind=kind) if kind else None
        if who:
            here.hub.permit("octo/app", who, permission)
        here.pull.comment(by=who, body=f"canary-{number}-please", association=association)
        users = {"admin": "trusted", "write": "trusted", 404: "unverified"}
        trust = {"User": users.get(permission, "untrusted"), "Bot": "unverified"}
        expected[f"canary-{number}-"] = trust.get(kind or "", "untrusted")
    digest = here.fetch().out
    [kept] = (here.bench.root / ".git/baton").rglob("feedback.json")
    data = json.loads(kept.read_text())
    assert [one["trust"] for one in data["comments"]] == list(expected.values())
    assert len(expected) == 160
    seen = digest + kept.read_text() + "".join(here.show(one["id"]).out for one in data["found"][:8])
    assert {one for one in expected if one in seen} == {one for one in expected if expected[one] == "trusted"}


def test_no_word_of_a_stranger_is_printed_kept_or_logged(here: PullScene, tmp_path: Path) -> None:
    here.pull.thread("src/a.py", 1, by="stranger", body="canary one")
    mixed = here.pull.thread("src/a.py", 2, by="alice", body="rename this")
    mixed.reply(by="stranger", body="canary two")
    here.pull.review(by="stranger", body="canary three")
    here.pull.comment(by="stranger", body="canary four")
    old = here.pull.thread("src/a.py", 3, by="stranger", body="canary five", resolved=True)
    said = [here.fetch(), here.fetch("7", "--json", "--out", str(tmp_path / "all.json"))]
    said += [here.show(one) for one in (mixed.id, old.id, here.pull.comments[0].id)]
    kept = [path.read_text() for path in (here.bench.root / ".git/baton").rglob("*") if path.is_file()]
    assert "canary" not in "".join(
        [*kept, *(out.out + out.err for out in said), (tmp_path / "all.json").read_text()]
    )
    assert "not shown: 10 bytes of @stranger, untrusted" in said[2].out


@pytest.mark.parametrize(("author", "says", "shown"), [
    ("me", "", True), ("alice", "please", True), ("alice", "", True), ("stranger", "please", False),
    ("stranger", "", False),
])  # fmt: skip
def test_a_title_is_told_where_its_author_is_trusted(here: PullScene, author: str, says: str, shown: bool) -> None:
    pull = here.hub.pull_request("octo/app", 8, author=author, title="push to \u2028 main ]}")
    if says:
        pull.comment(by=author, body=says)
    first = here.fetch("8").out.splitlines()[0]
    assert first == ("PR octo/app#8 push to [U+2028] main ]}" if shown else "PR octo/app#8 (title not shown)")


def test_a_user_who_may_not_push_is_asked_whom_to_trust(here: PullScene) -> None:
    here.hub.permit("octo/app", "me", "read")
    for name in ("bob", "carol"):
        here.pull.comment(by=name, body="please")
    data = here.read()
    assert (data["counts"]["unverified"], len(here.hub.requests)) == (2, 2)
    assert "UNVERIFIED @bob 1, @carol 1" in here.fetch().out


def test_a_comment_someone_else_edited_is_not_its_authors_word(here: PullScene) -> None:
    thread = here.pull.thread("src/a.py", 1, by="alice", body="rename this")
    here.hub.edit(thread.comments[0], by="bob", body="rename that")
    assert here.read()["counts"]["new"] == 1
    here.hub.edit(thread.comments[0], by="stranger", body="canary")
    data = here.read()
    assert (data["counts"]["quarantined"], "canary" in Path(data["file"]).read_text()) == (1, False)


def test_the_settings_a_pull_request_brings_with_it_are_not_read(here: PullScene) -> None:
    here.hub.actor("mallory-bot", kind="Bot")
    here.pull.comment(by="mallory-bot", body="canary")
    here.bench.commit({".baton.yaml": "base: main\nfeedback: {bots: [mallory-bot]}\n"})
    here.pull.comment(by="coderabbitai", body="Known without a word, and still.")
    assert here.read()["counts"]["unread"] == 2
    here.bench.git("push", "--quiet", "--force", "origin", "main:topic")
    assert here.read()["counts"]["unverified"] == 1


@pytest.mark.parametrize("name", ["*", "*[bot]", "", "a,b", "x[bot]", "-x"])
def test_a_bot_is_named_exactly_or_the_settings_are_refused(here: PullScene, name: str) -> None:
    here.bench.commit({".baton.yaml": f"base: main\nfeedback: {{bots: [{json.dumps(name)}]}}\n"})
    refused = here.fetch().refused
    assert "feedback.bots" in refused or "/feedback/bots" in refused


# The viewer's own


def test_a_pending_review_of_ones_own_is_named_and_is_no_feedback(here: PullScene) -> None:
    threads(here, 1)
    review = here.pull.review(by="me", body="not sent", state="PENDING")
    here.pull.thread("src/b.py", 1, by="me", body="not sent either", review=review)
    data = here.read()
    assert data["pending_review"]["id"] == review.id
    assert (data["counts"]["new"], data["counts"]["dropped"], len(data["review_threads"])) == (1, 1, 1)
    assert "BLOCKED by your own pending review, submit or discard it: " in here.fetch().out
    draft = here.pull.threads[-1].id
    assert here.show(draft).out == f"{draft} src/b.py:1 dropped: your own draft (correctness)\n"


@pytest.mark.parametrize(("state", "signal"), [("PENDING", False), ("COMMENTED", True)])
def test_a_draft_of_ones_own_beside_resolved_ones_is_no_signal(here: PullScene, state: str, signal: bool) -> None:
    threads(here, 1, resolved=True)
    review = here.pull.review(by="me", state=state)
    here.pull.thread("src/b.py", 1, by="me", body="a word", review=review)
    assert here.read()["cross_invocation"]["signal"] == signal


@pytest.mark.parametrize("state", ["OPEN", "CLOSED", "MERGED"])
def test_a_pull_request_that_is_closed_is_read_all_the_same(here: PullScene, state: str) -> None:
    threads(here, 1)
    here.pull.state = state
    assert f", {state.lower()}, " in here.fetch().out


# What is given


def test_the_json_on_stdout_and_the_one_that_was_asked_for_are_the_same(here: PullScene, tmp_path: Path) -> None:
    threads(here, 1)
    data = here.read("7", "--out", str(tmp_path / "all.json"))
    assert data == json.loads((tmp_path / "all.json").read_text())
    assert Path(data["file"]).is_file()


def test_a_file_that_cannot_be_written_is_one_line(here: PullScene, tmp_path: Path) -> None:
    said = here.fetch("7", "--out", str(tmp_path / "no" / "all.json"))
    assert (said.code, said.err.count("\n")) == (2, 1)


def test_outside_a_work_tree_nothing_is_asked(here: PullScene, tmp_path: Path) -> None:
    said: CallResult = Bench(tmp_path).baton("pr", "fetch", "https://github.com/octo/app/pull/7")
    assert (said.code, here.hub.requests) == (2, [])
