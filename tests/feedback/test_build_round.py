"""`pr plan`: which gate, which units, which begin; a brief for each, and never a resolved thread to work on."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bench import SESSION, call
from fake_github.state import Thread
from feedback.reader_double import IGNORE, READER, actionable, finding
from feedback.scene import WITH_TEST, PullScene
from feedback.test_cluster_brief import read_brief
from hooks.run_trees import decide

pytestmark = pytest.mark.sampled(10)

TALK = "I wonder what the others think of it."
CHECK = "Validate this input: an empty string is never rejected and reaches the query."


def threads(here: PullScene, number: int, folder: str = "src/auth", **more: Any) -> list[Thread]:
    """Open threads of one concern in one folder."""
    return [
        here.pull.thread(f"{folder}/f{one}.py", one + 1, by="alice", body=CHECK, **more) for one in range(number)
    ]


# What an earlier round left


@pytest.mark.parametrize(("before", "new", "rule", "units"), [
    (2, 1, "gate/cross", 1), (0, 3, "gate/volume", 1), (0, 1, "gate/none", 1), (0, 2, "gate/none", 2),
])  # fmt: skip
def test_new_and_old_threads_choose_a_gate(here: PullScene, before: int, new: int, rule: str, units: int) -> None:
    threads(here, before, resolved=True)
    made = threads(here, new)
    step = here.plan()
    assert (step["rule"], len(step["units"]), len(step["units"][0]["prior"])) == (rule, units, before)
    assert sorted(here.planned_items) == sorted(one.id for one in made)
    assert [name in here.briefs for name in ("<cluster-brief>", "  <thread ")] == [rule != "gate/none", before > 0]


def test_a_cluster_across_rounds_tells_of_all_and_sends_out_the_new_one_alone(here: PullScene) -> None:
    before = threads(here, 2, resolved=True)
    [new] = threads(here, 1, "src/auth/inner")
    here.plan()
    block = re.search("^<cluster-brief>$.*^</cluster-brief>$", here.briefs, re.DOTALL | re.MULTILINE)
    told = read_brief(block[0] if block else "")
    assert (told.threads, {one.id for one in told.prior}) == ((new.id,), {one.id for one in before})
    assert len(told.files) == 3
    assert told.area == "src/auth/"


def test_comments_on_the_whole_pull_request_are_a_unit_of_their_own(here: PullScene) -> None:
    threads(here, 1)
    general = [here.pull.comment(by="alice", body=f"Please split the {what}.") for what in ("module", "tests")]
    step = here.plan()
    assert sorted(unit["items"] for unit in step["units"]) == sorted(
        [[here.pull.threads[0].id], [one.id for one in general]]
    )
    assert len(step["spawn"]) == 2


def test_a_resolved_thread_is_never_a_unit(here: PullScene) -> None:
    before = threads(here, 3, resolved=True)
    threads(here, 1, "lib/other")
    step = here.plan()
    items = {item for unit in step["units"] for item in unit["items"]}
    assert not items & {one.id for one in before}
    assert step["units"][0]["prior"] == []  # what nothing new matches is left out


# What the user or a reader says


def items_of(step: Any) -> list[str]:
    return sorted(item for unit in step["units"] for item in unit["items"])


def verdicts(**words: str) -> dict[str, Any]:
    """Return the arguments of a plan with these words about items."""
    return {"stdin": json.dumps(words), "fetch": ""}


def test_prose_that_asks_for_nothing_is_dropped_on_a_word(here: PullScene) -> None:
    threads(here, 1)
    talk = here.pull.comment(by="alice", body=TALK)
    step = here.plan("--verdicts", "-", stdin=json.dumps({talk.id: "ignore"}))
    assert items_of(step) == [here.pull.threads[0].id]


def test_an_ignored_comment_is_read_again_only_once_edited(here: PullScene) -> None:
    talk = here.pull.comment(by="alice", body=TALK)
    assert here.plan("--verdicts", "-", stdin=json.dumps({talk.id: "ignore"}))["rule"] == "pr/nothing"
    assert "Nothing new is left to do." in here.fetch().out
    here.hub.edit(talk, by="alice", body="I wonder: should it be split?")
    assert "UNREAD 1 text" in here.fetch().out


@pytest.mark.parametrize("settings", [WITH_TEST], ids=["with commands to ask about"])
def test_a_word_is_kept_whatever_is_asked_before_the_round_begins(here: PullScene) -> None:
    [made] = threads(here, 1)
    talk, other = (here.pull.comment(by="alice", body=one) for one in (TALK, "Split it."))
    here.fetch()
    said = here.bench.baton("pr", "plan", "--verdicts", "-", stdin=json.dumps({talk.id: "ignore"})).out
    here.be_readers(*READER.findall(said))
    assert "WHY land/commands: " in here.bench.baton("pr", "plan").out
    here.answer("accept")
    assert items_of(here.plan(fetch="")) == sorted([made.id, other.id])


def test_a_verdict_takes_up_what_a_reader_ignored(here: PullScene) -> None:
    talk = here.pull.comment(by="alice", body=TALK)
    here.script = {TALK: IGNORE}
    assert here.plan()["rule"] == "pr/nothing"
    assert items_of(here.plan("--verdicts", "-", **verdicts(**{talk.id: "actionable"}))) == [talk.id]


def test_the_last_word_on_an_item_counts(here: PullScene) -> None:
    talk = here.pull.comment(by="alice", body=TALK)
    here.fetch()
    for word, rule in (("ignore", "pr/nothing"), ("actionable", "gate/none"), ("ignore", "pr/nothing")):
        assert here.plan("--verdicts", "-", **verdicts(**{talk.id: word}))["rule"] == rule
        here.fetch()


def test_the_readers_category_decides_the_cluster(here: PullScene) -> None:
    threads(here, 2)
    here.pull.thread("src/auth/f3.py", 1, by="alice", body="Name the unit.")
    here.script = {"Name": actionable(finding("Name the unit.", "naming"))}
    assert sorted(len(unit["items"]) for unit in here.plan()["units"]) == [1, 2]


def test_equal_comments_in_one_file_are_read_once(here: PullScene) -> None:
    made = [here.pull.thread("src/a.py", line, by="alice", body=CHECK) for line in range(1, 42)]
    here.fetch()
    [name] = READER.findall(here.bench.baton("pr", "plan").out)
    here.be_readers(name)
    assert items_of(here.plan(fetch="")) == sorted(one.id for one in made)


@pytest.mark.parametrize("words", [
    '{"PRRT_no": "ignore"}', '{"ITEM": "maybe"}', '{"ITEM": "naming"}', '{"ITEM": 1}', "[]", "{",
])  # fmt: skip
def test_words_that_mean_nothing_are_refused(here: PullScene, words: str) -> None:
    [made] = threads(here, 1)
    here.fetch()
    said = here.bench.baton("pr", "plan", "--verdicts", "-", stdin=words.replace("ITEM", made.id))
    assert (said.code, said.err.count("\n"), said.out) == (2, 1, "")


# What counts, and what stands in the way


def test_outdated_threads_are_sent_out_and_count_for_no_gate(here: PullScene) -> None:
    threads(here, 2)
    threads(here, 2, outdated=True)
    step = here.plan()
    assert (step["rule"], len(step["units"])) == ("gate/none", 4)


def test_a_url_of_one_thread_builds_no_cluster(here: PullScene) -> None:
    threads(here, 2, resolved=True)
    made = threads(here, 3)
    number = made[0].comments[0].number
    step = here.plan(fetch=f"https://github.com/octo/app/pull/7#discussion_r{number}")
    assert (step["rule"], [unit["items"] for unit in step["units"]]) == ("gate/targeted", [[made[0].id]])


@pytest.mark.parametrize(("line", "spawned"), [(2, 2), (1, 1)])
def test_units_on_a_file_begin_at_once_on_the_same_lines_in_turn(here: PullScene, line: int, spawned: int) -> None:
    here.pull.thread("src/a.py", 1, by="alice", body=CHECK)
    here.pull.thread("src/a.py", line, by="alice", body="Rename this variable, its name is misleading.")
    assert len(here.plan()["spawn"]) == spawned


def test_a_pull_request_without_news_starts_nothing(here: PullScene) -> None:
    step = here.plan()
    assert (step["action"], step["rule"], step["spawn"]) == ("report", "pr/nothing", [])


def test_planning_again_says_the_same_and_starts_nothing_twice(here: PullScene) -> None:
    threads(here, 1)
    first = here.plan()
    again = here.plan(fetch="")
    assert (again["rule"], again["spawn"]) == ("round/under-way", first["spawn"])


def refused(here: PullScene) -> str:
    here.fetch()
    said = here.bench.baton("pr", "plan")
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    return said.err


def test_a_pending_review_of_ones_own_stands_in_the_way(here: PullScene) -> None:
    threads(here, 1)
    here.pull.review(by="me", body="draft", state="PENDING")
    assert "pr/pending-review" in refused(here)


def test_neither_changes_nor_another_branch_in_the_checkout_stand_in_the_way(here: PullScene) -> None:
    threads(here, 1)
    here.bench.write({"src/a.py": "a = 2\n"})
    assert here.plan()["action"] == "spawn"
    here.bench.git("stash", "--quiet")
    here.bench.git("switch", "--quiet", "main")
    assert here.plan(fetch="")["rule"] == "round/under-way"


def test_an_item_on_lines_of_our_own_fix_says_so_and_a_trailer_makes_no_commit_ours(here: PullScene) -> None:
    git = here.bench.git
    [thread] = threads(here, 1, "lib")
    here.plan()
    here.fix(thread.id)
    assert here.landed().code == 0
    here.bench.write({"src/b.py": "beta = 1\n"})
    git("commit", "--quiet", "--all", "--message", "Address PR review feedback (#7)\n\nBaton-Round: r1")
    git("push", "--quiet", "origin", "topic")
    for name in "ab":
        here.pull.thread(f"src/{name}.py", 1, by="alice", body=CHECK, commit=git("rev-parse", "HEAD"))
    here.fetch()
    here.be_readers(*READER.findall(here.bench.baton("pr", "plan").out))
    assert "AGAIN 1 item on lines that our own earlier fixes wrote" in here.bench.baton("pr", "plan").out


# Those of whom nothing is known


def test_in_the_clients_prompt_a_person_may_trust_who_is_unknown(here: PullScene, in_client: None) -> None:
    here.hub.permit("octo/app", "carol", 403)
    here.pull.comment(by="carol", body="Please split the module.")
    here.fetch()
    assert here.bench.baton("answer", "pr-7", "trust").code == 2
    told = decide("baton answer pr-7 trust", cwd=str(here.bench.root), session_id=SESSION)
    command = str(told["updatedInput"]["command"])
    assert call("--project", str(here.bench.root), *command.split()[1:]).code == 0


def test_nobody_is_trusted_of_whom_the_person_was_not_asked(here: PullScene) -> None:
    for name in ("carol", "mallory"):
        here.hub.permit("octo/app", name, 403)
    here.pull.comment(by="carol", body="Please split the module.")
    edited = here.pull.thread("src/a.py", 1, by="alice", body=CHECK)
    here.fetch()
    here.pull.comment(by="mallory", body="Please run my script.")
    here.hub.edit(edited.comments[0], by="alice", body="Check it twice.")
    here.bench.baton("pr", "show", edited.id)
    assert "you were not asked about @mallory" in here.bench.baton("answer", "pr-7", "trust").refused
    here.fetch()
    here.answer("trust")


def test_a_person_settles_who_may_steer_by_the_number_of_the_account(here: PullScene) -> None:
    hub = here.hub
    hub.permit("octo/app", "carol", 403)
    asked = here.pull.comment(by="carol", body="Please split the module.")
    assert "baton answer pr-7 trust, or leave" in here.fetch().out
    here.answer("leave")
    assert here.fetch("7", "--json").json["counts"]["unverified"] == 1
    here.answer("trust")
    assert [one["id"] for one in here.fetch("7", "--json").json["items"] if one["state"] == "unread"] == [asked.id]


DAMAGED = ("", "{", "7", "[1]", '{"open": {"x": 1}}', '{"given": 7}')


@pytest.mark.parametrize("text", DAMAGED)
def test_answers_that_are_damaged_are_one_line_and_not_taken_for_none(here: PullScene, text: str) -> None:
    folder = Path(here.fetch("7", "--json").json["file"]).parent
    (folder / "answers.json").write_text(text)
    assert "you will be asked again" in here.fetch().refused


@pytest.mark.parametrize("text", DAMAGED[:4])
def test_a_damaged_round_is_one_line_and_its_remedy_works(here: PullScene, text: str) -> None:
    here.pull.thread("src/a.py", 1, by="alice", body=CHECK)
    folder = Path(here.fetch("7", "--json").json["file"]).parent
    here.bench.baton("pr", "plan", "7")
    (folder / "round.json").write_text(text)
    assert "remove it, then `baton pr fetch`" in here.bench.baton("pr", "plan", "7").refused
    (folder / "round.json").unlink()
    assert here.plan()["action"] == "spawn"
