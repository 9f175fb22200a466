"""What a landing promises, each with a near miss: nothing is done but what was said, and nothing of others."""

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from baton.feedback.land.land_command import land_round
from baton.feedback.plan.pull_head import why_refused
from baton.git.command import find_project
from baton.process import Result
from baton.text import restored
from bench import CallResult
from fake_github.misbehave import Meanwhile
from feedback.scene import PLAIN, SUBJECT, WITH_TEST, PullScene, cut_short, result, says
from feedback.texts import parse_quoted

pytestmark = pytest.mark.sampled(4)

BROKEN = "! grep -q broken src/a.py\n"


with_commands = pytest.mark.parametrize("settings", [WITH_TEST], ids=["with a command"])


# Refused: nothing is committed, pushed or posted; fixed, it lands


class Spoilt(NamedTuple):
    """What may be wrong, what is then said, and what fixes it."""

    spoil: Callable[[PullScene], object]
    says: str
    fix: Callable[[PullScene], object]


def change(here: PullScene, **more: object) -> None:
    """Have the pull request become so."""
    for name, value in more.items():
        setattr(here.pull, name, value)


REFUSED = {
    "a fork that lets nobody push": Spoilt(
        lambda here: change(here, head_repository=here.hub.repository("eve/app"), maintainer_can_modify=False),
        "its author does not let maintainers push to it",
        lambda here: change(here, head_repository=here.hub.repository("octo/app")),
    ),
    "a fork that is gone": Spoilt(
        lambda here: change(here, head_repository=None),
        "the fork it comes from is gone",
        lambda here: change(here, head_repository=here.hub.repository("octo/app")),
    ),
    **{
        f"it is {state}": Spoilt(
            partial(change, state=state.upper()),
            f"pr/closed: the pull request is {state}",
            partial(change, state="OPEN"),
        )
        for state in ("closed", "merged")
    },
    "a pending review": Spoilt(
        lambda here: here.pull.review(by="me", body="not sent", state="PENDING"),
        "pr/pending-review: you began a review here",
        lambda here: setattr(here.pull.reviews[-1], "state", "COMMENTED"),
    ),
    "a hook that adds a file": Spoilt(
        lambda here: here.bench.hook("pre-commit", "echo x >made.txt; git add made.txt"),
        "a commit hook added 'made.txt', which no unit changed; nothing was pushed",
        lambda here: (here.bench.root / ".git/hooks/pre-commit").unlink(),
    ),
    "a hook that undoes the fix": Spoilt(
        lambda here: here.bench.hook("pre-commit", "git checkout --quiet HEAD -- src/a.py"),
        "nothing is left of the fixes: a commit hook undid them",
        lambda here: (here.bench.root / ".git/hooks/pre-commit").unlink(),
    ),
}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("why", REFUSED)
def test_a_refused_landing_says_why_and_lands_once_that_is_fixed(here: PullScene, why: str) -> None:
    thread, spoilt = here.fixed(), REFUSED[why]
    spoilt.spoil(here)
    before, pushed = here.head, here.pushed
    said = here.land()
    assert (said.code, says(said, spoilt.says)) == (2, True), said
    assert (here.changes, here.head, here.pushed, thread.resolved) == ([], before, pushed, False)
    spoilt.fix(here)
    assert here.is_landed(here.landed())
    assert (here.replies, here.resolved) == ([thread.id], [thread.id])


def test_a_push_that_is_refused_is_said_and_the_commit_is_kept_for_the_next_call(here: PullScene) -> None:
    thread, before = here.fixed(), here.pushed
    here.refuse_pushes()
    said = here.land()
    words = ("the push was refused (remote: policy says no)", "nothing was forced")
    assert (said.code, says(said, *words)) == (2, True)
    assert (here.pushed, here.changes) == (before, [])
    (here.remote / "hooks/pre-receive").unlink()
    assert here.is_landed(here.landed())
    assert here.replies == [thread.id]


@pytest.mark.parametrize(("err", "told"), [
    ("remote: \nremote: policy:  weekdays   \nerror: failed to push\n", "remote: policy: weekdays"),
    ("remote: a\nremote: a\nremote: b\x1b[1m\n", "remote: a; remote: b[U+001B][1m"),
    (f"remote: {'x' * 900}\n", f"remote: {'x' * 591}…"), ("error: no route\nhint: x\n", "error: no route"),
], ids=["its words", "each once, visible", "clipped", "git's own"])  # fmt: skip
def test_a_refused_push_quotes_the_remote(err: str, told: str) -> None:
    assert why_refused(Result(1, "", err)) == told


def test_fixes_are_put_on_top_of_a_later_push(here: PullScene) -> None:
    thread = here.fixed()
    theirs = here.push_elsewhere()
    assert (here.landed().code, here.subjects) == (0, [SUBJECT, "theirs"])
    assert here.bench.git("rev-parse", f"{here.pushed}^") == theirs
    assert here.replies == [thread.id]


def test_a_fix_that_conflicts_with_what_was_pushed_meanwhile_goes_out_once_more(here: PullScene) -> None:
    thread = here.fixed()
    theirs = here.push_elsewhere({"src/a.py": "beta = 1\n"})
    said, unit = here.landed(), here.unit_of(thread.id)
    assert says(said, "DO spawn 1 agent", "land/again", "it conflicts", unit)
    assert here.changes == []
    tree = here.tree(unit)
    assert (tree.root / "src/a.py").read_text() == "beta = 1\n"
    assert tree.git("rev-parse", "HEAD^") == theirs
    tree.write({"src/a.py": "gamma = 1\n"})
    here.hand_in(unit, result(thread.id, "fixed", "src/a.py"))
    assert (here.landed().code, here.bench.git("show", f"{here.pushed}:src/a.py")) == (0, "gamma = 1")


def test_a_push_that_comes_while_ours_is_under_way_wins(here: PullScene) -> None:
    here.fixed()
    here.bench.hook("pre-push", f"git push --quiet --no-verify origin {here.another()}:refs/heads/topic")
    said = here.land()
    assert (said.code, says(said, "the push was refused", "nothing was forced"), here.changes) == (2, True, [])
    (here.bench.root / ".git/hooks/pre-push").unlink()
    assert (here.landed().code, here.subjects) == (0, [SUBJECT, "theirs"])


@pytest.mark.parametrize("more", [{"draft": True}, {"locked": True}], ids=["a draft", "locked"])
def test_a_draft_and_a_locked_one_land_for_who_may_push(here: PullScene, more: dict[str, bool]) -> None:
    thread = here.fixed()
    change(here, **more)
    assert here.is_landed(here.landed())
    assert here.replies == [thread.id]


# A hook of the user's


def test_a_hook_that_fixes_the_files_has_its_way(here: PullScene) -> None:
    here.fixed(text="alpha  =  1\n")
    here.bench.hook("pre-commit", "grep -q '  =' src/a.py || exit 0; echo 'alpha = 1' >src/a.py; exit 1")
    assert here.is_landed(here.landed())
    assert here.bench.git("show", "HEAD:src/a.py") == "alpha = 1"


def test_a_hook_sees_the_branch_and_exactly_the_sum(here: PullScene) -> None:
    here.bench.write({"src/b.py": "the user's own\n"})
    here.fixed()
    seen = here.bench.root.parent / "seen"
    here.bench.hook("pre-commit", f"git branch --show-current >'{seen}'; cat src/a.py src/b.py >>'{seen}'")
    assert here.landed().code == 0
    assert seen.read_text() == "topic\nalpha = 1\nb = 1\n"


def test_a_unit_that_hooks_refuse_goes_out_once_more_and_is_then_an_error(here: PullScene) -> None:
    thread = here.fixed()
    here.bench.hook("pre-commit", "echo src/a.py: style; exit 1")
    unit = here.unit_of(thread.id)
    assert says(here.landed(), "DO spawn 1 agent", "land/again", "your commit hooks refuse it")
    assert "src/a.py: style" in here.bench.baton("begin", unit, "--make").out
    here.edit(thread.id, {"src/a.py": "alpha = 2\n"})
    again = [here.hand_in(unit, result(thread.id, "fixed", "src/a.py")).code for _ in range(3)]
    said = here.landed()
    assert (again, said.code) == ([1, 1, 0], 2)
    assert says(said, f"refuses what {unit} did once more (src/a.py: style)", f"--skip-unit {unit}` goes on")


@pytest.mark.parametrize(("name", "lines", "words"), [
    ("commit-msg", "echo no ticket; exit 1", "a commit hook refuses the commit's message (no ticket)"),
    ("pre-commit", "a-program-that-nobody-has", "a commit hook cannot run"),
])  # fmt: skip
def test_a_hook_that_judges_or_fails_blames_no_unit(here: PullScene, name: str, lines: str, words: str) -> None:
    here.fixed()
    here.bench.hook(name, lines)
    said = here.landed()
    assert (said.code, says(said, words, "see to the hook"), says(said, "--skip-unit")) == (2, True, False)


# Only replies


@with_commands
def test_replies_alone_validate_commit_and_push_nothing(here: PullScene) -> None:
    thread, before = here.pull.thread("src/a.py", 1, by="alice", body="Why?"), (here.head, here.pushed)
    here.plan()
    here.settle(result(thread.id, "replied"))
    said = here.land()
    assert (said.code, says(said, "COMMIT"), (here.head, here.pushed)) == (0, False, before)
    assert (here.replies, thread.resolved) == ([thread.id], True)
    assert not list(here.bench.root.glob(".git/baton/.pull-requests/**/checks"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("resolve", ["own", "all"])
@pytest.mark.parametrize("by", ["me", "alice"])
def test_a_threads_author_and_the_setting_decide_whether_it_closes(here: PullScene, by: str, resolve: str) -> None:
    here.bench.commit({".baton.yaml": PLAIN.replace("all", resolve)})
    thread = here.pull.thread("src/a.py", 1, by=by, body="Why?")
    here.plan()
    here.settle(result(thread.id, "replied"))
    said, closes = here.land(), by == "me" or resolve == "all"
    assert (here.replies, thread.resolved) == ([thread.id], closes)
    assert says(said, "somebody else began it") != closes


def test_what_is_left_is_said_in_plain_words_with_why_and_what_is_settled_is_not(here: PullScene) -> None:
    here.pull.comment(by="mallory", body="Run this.")
    here.pull.comment(by="alice", body="Never mind.").minimized = "OUTDATED"
    [thread] = here.plan_threads("src/a.py")
    here.settle(result(thread.id))
    left = "LEFT 1 dropped: minimized (OUTDATED) · 1 ignored: @mallory (not allowed to push)\n"
    assert says(here.landed(), left)


def test_what_an_earlier_round_answered_is_counted_and_not_left(here: PullScene) -> None:
    comment = here.pull.comment(by="alice", body="Why all this?")
    here.plan()
    here.settle(result(comment.id))
    assert says(here.landed(), "LEFT nothing\n")
    [thread] = here.plan_threads("src/a.py")
    here.settle(result(thread.id))
    assert says(here.landed(), "LEFT nothing; answered before: 1\n")


def test_a_question_after_rounds_in_which_nobody_handed_anything_in_says_so(here: PullScene) -> None:
    here.plan_threads("src/a.py")
    here.land("--skip-unit", *here.units)
    here.replan()
    said = here.land("--skip-unit", *here.units)
    assert says(said, "WHY verify/pattern: 1 new after 2 cycles: no agent handed in a result\nANSWERED 0 items")


def test_an_item_that_needs_a_person_is_answered_and_stays_open(here: PullScene) -> None:
    asks, other = here.plan_threads("src/a.py", "src/b.py")
    context = {"question": "Which name?", "options": ["alpha", "a"]}
    here.settle(result(asks.id, "needs-human", decision_context=context), result(other.id, "replied"))
    assert says(
        here.land(), 'NEEDS-HUMAN 1\n  @alice src/a.py:1 "Why?" https', "Which name?\n    - alpha\n    - a\n"
    )
    assert (here.replies, asks.resolved, other.resolved) == (sorted([asks.id, other.id]), False, True)


# What changed since it was planned


MEANWHILE: dict[str, Callable[[PullScene], object]] = {
    "edited": lambda here: here.hub.edit(here.pull.threads[0].comments[0], by="alice", body="Rename it to beta."),
    "answered": lambda here: here.pull.threads[0].reply(by="alice", body="Never mind."),
    "resolved": lambda here: setattr(here.pull.threads[0], "resolved", True),
    "deleted": lambda here: setattr(here.pull.threads[0].comments[0], "deleted", True),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", MEANWHILE)
def test_an_item_that_changed_since_it_was_planned_is_left_and_that_said(here: PullScene, what: str) -> None:
    first, other = here.plan_threads("src/a.py", "src/b.py")
    here.settle(result(first.id, "replied"), result(other.id, "replied"))
    MEANWHILE[what](here)
    assert says(here.land("--dry-run"), f"SKIP {first.id}")
    said = here.land()
    assert (here.replies, here.resolved, other.resolved) == ([other.id], [other.id], True)
    assert says(said, f"{first.id}: skipped: changed, resolved or deleted since it was planned")


def test_a_reply_that_may_not_be_posted_is_left(here: PullScene, monkeypatch: pytest.MonkeyPatch) -> None:
    first, other = here.plan_threads("src/a.py", "src/b.py")
    with monkeypatch.context() as patch:
        patch.setattr("baton.feedback.land.hand_in_unit.reply_faults", lambda text: [])
        here.settle(result(first.id, reply_text="Done, @alice."), result(other.id))
    assert says(here.land(), f"{first.id}: skipped: its reply is not posted", "mentions somebody")
    assert (here.replies, first.resolved) == ([other.id], False)


def test_a_word_between_the_reply_and_the_resolving_keeps_the_thread_open(here: PullScene) -> None:
    [thread] = here.plan_threads("src/a.py")
    here.settle(result(thread.id))
    speak = Meanwhile(lambda: thread.reply(by="alice", body="Wait."))
    here.misbehave(speak, after=2, when=lambda one: "query Feedback" in one.query)
    assert says(here.land(), f"{thread.id}: left open: somebody spoke since it was answered")
    assert (here.replies, thread.resolved) == ([thread.id], False)


# The project's commands


@with_commands
def test_the_commands_are_confirmed_once_before_an_agent_is_started(here: PullScene) -> None:
    here.pull.thread("src/a.py", 1, by="alice", body="Rename this variable.")
    here.bench.baton("pr", "fetch", "7")
    asked = [here.bench.baton("pr", "plan") for _ in range(2)]
    assert all(says(one, "DO ask", "land/commands", "test: sh tools/test.sh") for one in asked)
    here.answer("accept")
    here.replan()
    item = here.pull.threads[0].id
    here.fix(item)
    said = here.landed()
    assert here.is_landed(said)
    assert says(said, "1 command passed")


@with_commands
def test_a_command_that_failed_before_is_reported_and_stops_nothing(here: PullScene) -> None:
    here.push({"tools/test.sh": "echo FAIL: one\nfalse\n"})
    here.fixed()
    said = here.landed()
    assert says(said, "1 command passed, of which `test` failed as before"), said
    assert here.pushed == here.head


def broken(here: PullScene, *texts: str) -> CallResult:
    """Have a fix that makes the test fail, and once more what is made of it; returns what landing says then."""
    here.push({"tools/test.sh": BROKEN})
    thread = here.fixed(text="broken = 1\n")
    said = here.landed()
    for text in texts:
        assert says(said, "DO spawn 1 agent", "land/again", "`test` (introduced"), said
        here.edit(thread.id, {"src/a.py": text})
        here.hand_in(here.unit_of(thread.id), result(thread.id, "fixed", "src/a.py"))
        said = here.landed()
    return said


@with_commands
def test_a_unit_that_breaks_a_command_goes_out_once_more_from_the_start(here: PullScene) -> None:
    said = broken(here)
    unit = here.planned["units"][0]["id"]
    assert says(said, "DO spawn 1 agent", f"first call `baton begin {unit}`")
    assert (here.tree(unit).root / "src/a.py").read_text() == "a = 1\n"
    assert "is started once more" in here.bench.baton("begin", unit, "--make").out
    assert (here.changes, here.subjects) == ([], ["more"])


@with_commands
def test_a_repaired_unit_lands_in_one_commit(here: PullScene) -> None:
    assert says(broken(here, "alpha = 1\n"), "DO report", "1 command passed")
    assert (here.subjects, len(here.replies), len(here.resolved)) == ([SUBJECT, "more"], 1, 1)


@with_commands
def test_a_failure_that_is_there_again_is_asked_about(here: PullScene) -> None:
    said = broken(here, "broken = 2\n")
    unit = here.planned["units"][0]["id"]
    assert says(said, "DO ask", "land/validation", "nothing was pushed", f"--skip-unit {unit}`")
    here.answer("retry")
    assert says(here.landed(), "DO ask", "land/validation")
    here.answer("accept")
    assert says(here.landed(), "DO report", "`test` (introduced")
    assert here.bench.git("show", f"{here.pushed}:src/a.py") == "broken = 2"


@with_commands
def test_the_call_after_one_cut_short_reports_the_commands_that_passed(here: PullScene, tmp_path: Path) -> None:
    here.push({"tools/test.sh": f"! grep -q broken src/a.py || test -e '{tmp_path}/now'\n"})
    thread = here.fixed(text="broken = 1\n")
    here.landed()
    here.edit(thread.id, {"src/a.py": "broken = 2\n"})
    here.hand_in(here.unit_of(thread.id), result(thread.id, "fixed", "src/a.py"))
    assert says(here.landed(), "land/validation")
    (tmp_path / "now").touch()
    here.answer("retry")
    with cut_short("land.land_command.answer_and_resolve"):
        assert here.landed().code == 2
    assert says(here.landed(), "DO report", "pushed; 1 command passed")


@with_commands
def test_results_that_are_lost_after_the_push_are_waited_for_once_more(here: PullScene) -> None:
    here.fixed()
    with cut_short("land.land_command.answer_and_resolve"):
        assert here.landed().code == 2
    [results] = here.bench.root.glob(".git/baton/.pull-requests/*/*/*/7/checks")
    shutil.rmtree(results)
    assert says(here.landed(), "DO report", "pushed; 1 command passed")


@with_commands
def test_a_unit_that_is_given_up_takes_its_change_and_its_answers_with_it(here: PullScene) -> None:
    broken(here, "broken = 2\n")
    said = here.land("--skip-unit", here.planned["units"][0]["id"])
    assert (said.code, says(said, "COMMIT"), here.replies, here.subjects) == (0, False, [], ["more"])


@with_commands
def test_a_long_command_is_waited_for_by_the_caller(here: PullScene, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = here.bench.root.parent / "gate"
    os.mkfifo(gate)
    here.push({"tools/test.sh": f"read line <'{gate}'\n"})
    here.fixed()
    monkeypatch.setattr("baton.commands.pr.land_round", partial(land_round, seconds=0))
    assert [here.land().action for _ in range(2)] == ["DO wait"] * 2
    assert (here.changes, here.subjects) == ([], ["more"])
    gate.write_text("go on\n", encoding="utf-8")
    assert here.landed().out.startswith("DO report")


# How often GitHub is asked


@pytest.mark.parametrize(("number", "most"), [(6, 13), (100, 40)])
def test_a_round_takes_few_requests(here: PullScene, number: int, most: int) -> None:
    threads = [
        here.pull.thread(f"src/{'ab'[line % 2]}.py", line, by="alice", body="Rename this variable.")
        for line in range(1, number + 1)
    ]
    here.plan()
    here.settle(*(result(thread.id) for thread in threads))
    assert here.landed().out.startswith("DO report")
    assert all(thread.resolved for thread in threads)
    assert len(here.hub.requests) <= most


# A dry run


def test_a_dry_run_says_exactly_what_is_then_done_and_does_nothing(here: PullScene) -> None:
    second = here.pull.thread("src/b.py", 1, by="alice", body="Why?")
    comment = here.pull.comment(by="bob", body="What is it for?")
    first = here.pull.thread("src/a.py", 1, by="alice", body="Rename this variable.")
    here.plan()
    here.edit(first.id, {"src/a.py": "alpha = 1\n"})
    here.settle(result(first.id, "fixed", "src/a.py"), result(second.id), result(comment.id))
    before = here.bench.git("for-each-ref")
    shown = here.land("--dry-run").out
    assert (here.changes, here.bench.git("for-each-ref")) == ([], before)
    assert here.is_landed(here.landed())
    assert promised(shown) == done(here)


@pytest.mark.parametrize("settings", ["base: main\nintegrate: {mode: local}\n"], ids=["by default"])
def test_a_dry_run_promises_to_resolve_what_is_ours_alone(here: PullScene) -> None:
    theirs = here.pull.thread("src/a.py", 1, by="alice", body="Rename this variable.")
    bots = here.pull.thread("src/b.py", 1, by="coderabbitai", body="Rename that variable.")
    here.plan()
    here.settle(result(theirs.id), result(bots.id))
    shown = here.land("--dry-run").out.splitlines()
    assert [one for one in shown if one.startswith("RESOLVE")] == [f"RESOLVE {bots.id}"]
    assert f"LEAVE {theirs.id} open: somebody else began it" in "\n".join(shown)
    assert (here.landed().code, theirs.resolved, bots.resolved) == (0, False, True)


def promised(shown: str) -> tuple[list[str], str, list[str], list[str]]:
    """Read a dry run: the replies, the commit's message, its files, the threads to resolve."""
    texts = {one.heading: restored(one.body) for one in parse_quoted(shown[shown.index("┌") :])}
    message = texts.pop("message")
    lines = shown.splitlines()
    files = [line.removeprefix("COMMIT ").strip("'") for line in lines if line.startswith("COMMIT ")]
    threads = [line.removeprefix("RESOLVE ") for line in lines if line.startswith("RESOLVE ")]
    return sorted(texts.values()), message.strip(), files, sorted(threads)


def done(here: PullScene) -> tuple[list[str], str, list[str], list[str]]:
    """Give the same of what was done."""
    said = [*(thread.comments[-1] for thread in here.pull.threads), here.pull.comments[-1]]
    message, commit = here.bench.git("log", "-1", "--format=%B").strip(), here.bench.git("rev-parse", "HEAD")
    return (
        sorted(one.body.replace(commit[:12], "COMMIT") for one in said),
        message,
        here.bench.committed(),
        here.resolved,
    )


# Units


def test_a_unit_that_is_missing_is_waited_for_until_it_is_given_up(here: PullScene) -> None:
    first, other = here.plan_threads("src/a.py", "src/b.py")
    here.hand_in(here.unit_of(first.id), result(first.id))
    missing = here.unit_of(other.id)
    assert says(here.land(), "DO wait", "round/out", f"--skip-unit {missing}")
    assert (here.changes, here.land("--skip-unit", "pr7-r0-u9").code) == ([], 2)
    assert here.land("--skip-unit", missing).code == 0
    assert (here.replies, other.resolved) == ([first.id], False)


@with_commands
def test_while_commands_run_the_next_call_still_gives_up_what_this_one_does(here: PullScene) -> None:
    fixed, given_up = here.plan_threads("src/a.py", "src/b.py", by="me")
    here.edit(fixed.id, {"src/a.py": "alpha = 1\n"})
    here.hand_in(here.unit_of(fixed.id), result(fixed.id, "fixed", "src/a.py"))
    [folder] = (path.parent for path in (here.bench.root / ".git").rglob("round.json"))
    step = land_round(find_project(here.bench.root), folder, [here.unit_of(given_up.id)], False, seconds=0)
    assert (step.rule, step.then) == ("land/running", "baton pr land 7")
    assert here.landed().action in ("DO report", "DO plan")


def test_a_round_that_has_landed_tells_its_summary_again(here: PullScene) -> None:
    here.fixed()
    first, asked = here.landed(), len(here.hub.requests)
    assert (here.land(), len(here.hub.requests)) == (first, asked)


# What is left


def cycle(here: PullScene, body: str) -> CallResult:
    """Answer all that is new; alice says more meanwhile. Gives what landing says."""
    here.replan() if here.planned else here.plan()
    here.settle(*map(result, here.planned_items))
    here.pull.thread("src/b.py", 1, by="alice", body=body)
    return here.land()


def test_news_after_the_first_cycle_start_a_second(here: PullScene) -> None:
    here.pull.thread("src/a.py", 1, by="alice", body="Why?")
    assert says(cycle(here, "And here?"), "verify/again", "THEN baton pr plan 7")
    first, second = here.pull.threads
    here.replan()
    here.settle(result(second.id))
    assert (says(here.land(), "verify/clean"), here.replies) == (True, sorted([first.id, second.id]))


@pytest.mark.parametrize("option", ["continue", "leave"])
def test_news_after_the_second_cycle_are_asked_about(here: PullScene, option: str) -> None:
    here.pull.thread("src/a.py", 1, by="alice", body="Why?")
    cycle(here, "And here?")
    assert says(cycle(here, "And there?"), "DO ask", "verify/pattern")
    here.answer(option, "--note", "Name them all.")
    if option == "continue":
        here.replan()
        assert "Name them all." in here.briefs
    assert here.land().action == ("DO report" if option == "leave" else "DO wait")
