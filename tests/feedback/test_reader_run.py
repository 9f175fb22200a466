"""What was said is read before anything is planned of it: by agents, by hand, or by nobody at all."""

import json
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from baton.feedback.plan.ask_readers import ask_readers
from baton.feedback.plan.reader_run import brief_parts
from baton.feedback.reader.reader_shares import OpenReading, ReaderShare
from baton.feedback.reader.texts import Text
from baton.feedback.record.record import load_record_in
from baton.feedback.store.kept_files import find_folder
from baton.git.command import find_project
from baton.journal.atomic_file import write_durably
from bench import CallResult, call
from feedback.reader_double import (
    IGNORE,
    actionable,
    brief_of,
    finding,
    hand_in,
    not_reviewed,
    read_by_script,
    texts_in,
)
from feedback.scene import PLAIN, PullScene, result
from killing import Killed, Killer

pytestmark = pytest.mark.gh

REVIEW = """**Actionable comments posted: 0**

<details><summary>Outside diff range comments (2)</summary>

`src/a.py` (1): **Guard the kettle against a second start.**
It boils dry.

`src/b.py` (1): **Name the unit.**
Seconds, or milliseconds?
</details>
"""
GUARD = finding("Guard the kettle against a second start.", path="src/a.py", line=1, severity="high")
NAME = finding("Name the unit.", "naming", path="src/b.py", line=1)


def plan(here: PullScene, *words: str, stdin: str = "") -> CallResult:
    """Plan once, whatever is to be read."""
    return here.bench.baton("pr", "plan", "7", *words, stdin=stdin)


def readers(said: CallResult) -> list[str]:
    return re.findall(r"^PROMPT Reading (\S+):", said.out, re.M)


def reader_of(here: PullScene, *bodies: str) -> str:
    """Have alice say something more; returns the reader that is to be started for what is new."""
    for body in bodies:
        here.pull.comment(by="alice", body=body)
    here.fetch()
    [name] = readers(plan(here))
    return name


def items(here: PullScene) -> dict[str, str]:
    """Return the state of each item, by its id."""
    data = here.bench.baton("pr", "fetch", "7", "--json").json
    return {one["id"]: one["state"] for one in data["items"]}


def kept(here: PullScene) -> Any:
    """Return what is kept of readings."""
    file = here.bench.baton("pr", "fetch", "7", "--json").json["file"]
    return json.loads((Path(file).parent / "readings.json").read_text("utf-8"))["texts"]


def test_a_round_is_planned_of_what_a_reader_hands_in_and_nothing_is_read_twice(here: PullScene) -> None:
    here.pull.review(by="coderabbitai", body=REVIEW)
    nice = here.pull.comment(by="alice", body="Nice!")
    here.script = {"Guard the kettle": actionable(GUARD, NAME), "Nice!": IGNORE}
    assert here.plan()["rule"] == "gate/none"
    assert sorted(one["files"] for one in here.planned["units"]) == [["src/a.py"], ["src/b.py"]]
    assert items(here)[nice.id] == "dropped"
    before = len(here.hub.requests)
    assert (readers(here.fetch()), readers(plan(here))) == ([], [])
    assert len(here.hub.requests) - before == 2  # a page, and whether alice may push
    name = reader_of(here, "Merci, c'est bon ainsi.")
    assert [words for _, words in texts_in(brief_of(here.bench, name))] == ["Merci, c'est bon ainsi."]


@pytest.mark.parametrize(("bodies", "needed"), [(["Rename it."], False), (["Rename it.", "And that."], False),
                                                (["Rename it.", "And that.", "And this."], True)])  # fmt: skip
def test_a_few_remarks_of_people_on_lines_need_no_reader(here: PullScene, bodies: list[str], needed: bool) -> None:
    for line, body in enumerate(bodies, 1):
        here.pull.thread("src/a.py", line, by="alice", body=body)
    here.fetch()
    assert bool(readers(plan(here))) == needed


def test_before_it_is_read_every_text_is_an_item_that_is_unread(here: PullScene) -> None:
    here.pull.review(by="coderabbitai", body=REVIEW)
    data = here.bench.baton("pr", "fetch", "7", "--json").json
    assert [(one["state"], one["category"]) for one in data["items"]] == [("unread", None)]
    assert (data["counts"]["unread"], data["counts"]["new"]) == (1, 0)
    assert "1 text: an agent reads them in Claude Code, `/resolve-pr-feedback 7`" in here.fetch().out


def test_in_the_client_a_fetch_names_readers_and_no_text(here: PullScene, monkeypatch: pytest.MonkeyPatch) -> None:
    here.pull.review(by="coderabbitai", body=REVIEW)
    here.pull.thread("src/a.py", 1, by="alice", body="Boil it twice.")
    monkeypatch.setenv("CLAUDECODE", "1")
    said = here.fetch()
    [name] = readers(said)
    assert said.out.splitlines()[-1] == "THEN end your turn; when all your agents have ended: baton pr plan 7"
    assert ("Guard" in said.out, "Boil" in said.out) == (False, False)
    read_by_script(here.bench, name, {"Guard": actionable(GUARD, NAME)})
    out = here.fetch().out
    assert ("src/a.py" in out, "Guard" in out, "Boil" in out) == (True, False, False)


def test_a_wrong_reading_is_refused_twice_and_then_taken_text_by_text(here: PullScene) -> None:
    here.pull.review(by="coderabbitai", body=REVIEW)
    name = reader_of(here, "Boil it twice.")
    order = [words for _, words in texts_in(brief_of(here.bench, name))]
    said = {"Boil": actionable(finding("Boil it twice.")), "Guard": actionable(finding("nobody said that"))}
    entries = [next(one for words, one in said.items() if words in text) for text in order]
    assert [hand_in(here.bench, name, *entries).code for _ in range(3)] == [1, 1, 0]
    fetched = here.bench.baton("pr", "fetch", "7", "--json").json
    assert [one["state"] for one in fetched["items"]] == ["new", "new"]
    assert fetched["not_read"] == [here.pull.reviews[0].url]


def test_a_doubted_reading_is_taken_the_second_time_with_a_note(here: PullScene) -> None:
    review = here.pull.review(by="coderabbitai", body=REVIEW)
    name = reader_of(here)
    assert [hand_in(here.bench, name, actionable(GUARD)).code for _ in range(2)] == [1, 0]
    here.plan(fetch="")
    here.settle(result(here.planned["units"][0]["items"][0]))
    assert f"WARNING {review.url} counts more findings than were read" in here.landed().out


@pytest.mark.parametrize("name", ["pr7-r0-t1", "pr8-r1a2b3c4-t1"])
def test_a_reading_that_is_not_out_is_refused(here: PullScene, name: str) -> None:
    here.pull.comment(by="alice", body="Boil it twice.")
    here.fetch()
    plan(here)
    for said in (here.bench.baton("begin", name), hand_in(here.bench, name, IGNORE)):
        assert (said.code, "is not at work" in said.err) == (2, True)


def test_a_reading_by_a_name_that_no_reader_has_is_refused(here: PullScene) -> None:
    here.pull.comment(by="alice", body="Boil it twice.")
    here.fetch()
    value = json.dumps({"reading": "pr7**-r0-t1", "texts": [{"id": "t1", **IGNORE}]})
    assert "is not at work" in plan(here, "--reading", "-", stdin=value).refused


def test_a_finding_in_another_repository_that_is_linked_in_has_no_place(here: PullScene) -> None:
    here.bench.git("update-index", "--add", "--cacheinfo", f"160000,{here.head},vendor/kettle")
    here.bench.git("commit", "--quiet", "--message", "link")
    here.bench.git("push", "--quiet", "origin", "topic")
    here.pull.review(by="coderabbitai", body="`vendor/kettle`, line 3: boil it twice.")
    name = reader_of(here)
    assert hand_in(here.bench, name, actionable(finding("boil it", path="vendor/kettle", line=3))).code == 0


@pytest.mark.parametrize("asked", [(), ("PRRT_1",)])
def test_the_form_has_a_place_for_the_categories_that_are_asked_for(asked: tuple[str, ...]) -> None:
    share = ReaderShare((Text("IC_1", "comment", "bob", False, "Boil it.", "Boil it."),), asked)
    [brief] = brief_parts(OpenReading(7, "", "plan", {"r1": share}, {}), "r1")
    assert ("known:\n  <id with `?`>: <one of the twelve>" in brief) == bool(asked)


def test_a_reading_is_handed_in_once_and_for_its_own_pull_request(here: PullScene) -> None:
    name = reader_of(here, "Nice!")
    value = json.dumps({"reading": name, "texts": [{"id": "t1", "says": "ignore"}]})
    words = ("--project", str(here.bench.root), "hand-in", "pr-8", "feedback-reading", "--run", name)
    assert "is of pr-7" in call(*words, stdin=value).err
    assert hand_in(here.bench, name, IGNORE).code == 0
    assert "is not at work" in hand_in(here.bench, name, actionable(finding("Nice!"))).err


def test_a_round_waits_for_a_reader_that_began_and_leaves_out_one_that_died(here: PullScene) -> None:
    review = here.pull.review(by="coderabbitai", body=REVIEW)
    name = reader_of(here)
    assert readers(plan(here)) == [name]
    here.bench.baton("begin", name)
    waits = plan(here).out
    assert (waits.startswith("DO wait\nWHY read/out"), f"--give-up {name}" in waits) == (True, True)
    here.plan("--give-up", name, fetch="")
    assert [one["items"] for one in here.planned["units"]] == [[review.id]]
    here.settle(result(review.id))
    assert f"NOT READ {review.url}: it was taken as it stands" in here.landed().out


def test_texts_that_come_while_a_reader_is_out_get_one_of_their_own(here: PullScene) -> None:
    first = reader_of(here, "Boil it twice.")
    here.bench.baton("begin", first)
    here.pull.comment(by="bob", body="And once more.")
    second = reader_of(here)
    assert [words for _, words in texts_in(brief_of(here.bench, second))] == ["And once more."]
    assert hand_in(here.bench, first, IGNORE).code == 0


def test_a_reading_counts_though_one_of_its_texts_was_edited(here: PullScene) -> None:
    changing = here.pull.comment(by="alice", body="Boil it twice.")
    first = reader_of(here, "And once more.")
    here.bench.baton("begin", first)
    here.hub.edit(changing, by="alice", body="Boil it three times.")
    second = reader_of(here)
    read_by_script(here.bench, first, {})
    assert [words for _, words in texts_in(brief_of(here.bench, second))] == ["Boil it three times."]


def test_a_reading_counts_though_another_text_was_fetched_alone(here: PullScene) -> None:
    here.pull.review(by="coderabbitai", body=REVIEW)
    first = reader_of(here)
    here.bench.baton("begin", first)
    notice = here.pull.comment(by="coderabbitai", body="Boil it twice.")
    here.fetch(notice.url)
    [second] = readers(plan(here))
    read_by_script(here.bench, first, {"Guard": actionable(GUARD, NAME)})
    read_by_script(here.bench, second, {})
    here.plan()
    assert sorted(one["files"] for one in here.planned["units"]) == [[], ["src/a.py"], ["src/b.py"]]


def test_the_call_is_repeated_if_all_was_handed_in_meanwhile(here: PullScene) -> None:
    name = reader_of(here, "Boil it twice.")
    project = find_project(here.bench.root)
    stale = load_record_in(project, find_folder(project, 7))
    read_by_script(here.bench, name, {})
    step = ask_readers(project, stale, "plan")
    assert step
    assert (step.action, step.then) == ("plan", "baton pr plan 7")


def test_a_reader_that_never_begins_is_not_started_for_ever(here: PullScene) -> None:
    here.pull.comment(by="alice", body="Boil it twice.")
    here.fetch()
    said = [plan(here).out for _ in range(3)]
    assert [one.split("\n")[0] for one in said] == ["DO spawn 1 agent", "DO spawn 1 agent", "DO wait"]
    assert "--give-up pr7-r" in said[-1]


def test_a_finding_of_a_body_that_was_edited_is_known_and_not_answered_twice(here: PullScene) -> None:
    sticky = here.pull.comment(by="coderabbitai", body=REVIEW)
    here.script = {"Guard": actionable(GUARD, NAME)}
    here.plan()
    here.settle(*map(result, here.planned_items))
    assert "ANSWERED 2 items" in here.landed().out
    here.hub.edit(sticky, by="coderabbitai", body=f"{REVIEW}\nLast reviewed commit: a1b2c3d")
    name = reader_of(here)
    known = dict(re.findall(r"^│ (PART_\w+) \S+ (.*)$", brief_of(here.bench, name), re.M))
    assert sorted(known.values()) == [GUARD["quote"], NAME["quote"]]
    same = {words: part for part, words in known.items()}
    guard = {**GUARD, "quote": "Guard the kettle", "same_as": same[GUARD["quote"]]}
    assert hand_in(here.bench, name, actionable(guard, NAME)).code == 0
    assert "WHY pr/nothing" in plan(here).out


@pytest.mark.parametrize(("settings", "model"), [
    (PLAIN, None), (f"{PLAIN}agents: {{feedback-reader: {{model: haiku}}}}\n", "haiku"),
])  # fmt: skip
def test_a_reader_has_the_model_that_is_set(here: PullScene, model: str | None) -> None:
    here.pull.comment(by="alice", body="Boil it twice.")
    here.fetch()
    said = plan(here)
    assert re.findall(r"^MODEL (.*)$", said.out, re.M) == ([model] if model else [])


def test_many_texts_are_divided_among_readers_none_of_whom_can_tell_the_name_of_another(here: PullScene) -> None:
    for number in range(90):
        here.pull.comment(by="alice", body=f"Wish {number}.")
    here.fetch()
    names = readers(plan(here))
    assert len({name.split("-")[1] for name in names}) == len(names) == 3
    read_by_script(here.bench, names[0], {})
    assert readers(plan(here)) == names[1:]


def test_a_brief_is_shown_in_parts_that_a_client_prints_whole(here: PullScene) -> None:
    for number in range(3):
        here.pull.comment(by="alice", body=f"{number} 这个函数没有检查空值。\n" * 800)
    here.fetch()
    [name, *_] = readers(plan(here))
    parts = [here.bench.baton("begin", name).out]
    while more := re.search(r"--part (\d+)\n\Z", parts[-1]):
        parts.append(here.bench.baton("begin", name, "--part", more[1]).out)
    assert len(parts) > 1
    assert max(len(part.encode()) for part in parts) <= 24_000
    assert here.bench.baton("begin", name, "--part", str(len(parts) + 1)).code == 2


def stopped(here: PullScene, tmp_path: Path, command: str, agent: str = "baton:feedback-reader") -> str:
    """Have the client tell that an agent is about to end, which ran this command; returns what it is told."""
    entry = {"type": "assistant", "message": {"content": [
        {"type": "tool_use", "name": "Bash", "input": {"command": command}}
    ]}}  # fmt: skip
    (tmp_path / "agent.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
    payload = {
        "hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": agent, "session_id": "s1",
        "cwd": str(here.bench.root), "agent_transcript_path": str(tmp_path / "agent.jsonl"),
    }  # fmt: skip
    return call("hook", "subagent-stop", stdin=json.dumps(payload)).out


def test_a_reader_that_hands_nothing_in_is_sent_back_three_times(here: PullScene, tmp_path: Path) -> None:
    name = reader_of(here, "Boil it twice.")
    began = f"baton begin {name}"
    assert stopped(here, tmp_path, began, "Explore") == ""
    for _ in range(3):
        assert f"{name} handed nothing in: hand it in as its brief says" in stopped(here, tmp_path, began)
    assert stopped(here, tmp_path, began) == ""


def test_a_reader_or_a_resolver_that_handed_in_may_end(here: PullScene, tmp_path: Path) -> None:
    asked = here.pull.comment(by="alice", body="Boil it twice.")
    name = reader_of(here)
    read_by_script(here.bench, name, {})
    here.plan(fetch="")
    [unit] = here.units
    assert here.hand_in(unit, result(asked.id)).code == 0
    ends = {name: "baton:feedback-reader", unit: "baton:pr-comment-resolver"}
    assert [stopped(here, tmp_path, f"baton begin {one}", agent) for one, agent in ends.items()] == ["", ""]


# Without a reader


def test_all_can_be_taken_as_it_stands(here: PullScene) -> None:
    ids = [here.pull.comment(by="alice", body=body).id for body in ("Boil it twice.", "Nice!")]
    assert here.plan("--whole")["rule"] == "gate/none"
    assert sorted(here.planned_items) == sorted(ids)


def test_a_reading_by_hand_is_held_to_the_same(here: PullScene) -> None:
    here.pull.review(by="coderabbitai", body=REVIEW)
    brief = here.fetch("7", "--brief").out
    [name] = re.findall(r"^reading: (\S+)", brief, re.M)
    value: dict[str, Any] = {"reading": name, "texts": [{"id": "t1", **actionable(GUARD, finding("made up"))}]}
    said = plan(here, "--reading", "-", stdin=json.dumps(value))
    assert (said.code, "feedback-reading/quote" in said.out) == (1, True)
    value["texts"][0]["findings"][1] = NAME
    assert here.plan("--reading", "-", stdin=json.dumps(value), fetch="")["rule"] == "gate/none"
    assert len(here.planned["units"]) == 2


def test_there_is_no_brief_where_nothing_is_to_be_read(here: PullScene) -> None:
    assert "there is nothing to read" in here.fetch("7", "--brief").err


# What the user says


def test_a_persons_words_that_were_left_out_are_told_with_the_line_that_overturns_it(here: PullScene) -> None:
    nice = here.pull.comment(by="alice", body="Would be nice if it whistled")
    asked = here.pull.comment(by="bob", body="Boil it twice.")
    here.script = {"whistled": IGNORE}
    here.plan()
    here.settle(result(asked.id))
    out = here.landed().out
    assert "TAKEN TO ASK FOR NOTHING 1\n" in out
    assert "│ Would be nice if it whistled" in out
    assert f'baton pr plan 7 --verdicts - with {{"{nice.id}": "actionable"}}' in out
    assert here.plan("--verdicts", "-", stdin=json.dumps({nice.id: "actionable"}))["rule"] == "gate/none"
    assert [one["items"] for one in here.planned["units"]] == [[nice.id]]


def test_your_verdict_on_a_body_outweighs_a_reader_that_was_out(here: PullScene) -> None:
    review = here.pull.review(by="coderabbitai", body=REVIEW)
    name = reader_of(here, "Nice!")
    here.bench.baton("begin", name)
    plan(here, "--verdicts", "-", stdin=json.dumps({review.id: "ignore"}))
    read_by_script(here.bench, name, {"Guard": actionable(GUARD, NAME), "Nice!": IGNORE})
    assert "WHY pr/nothing" in plan(here).out


def test_a_bot_that_did_not_review_is_told_until_it_does(here: PullScene) -> None:
    here.pull.comment(by="coderabbitai", body="Reviews paused: your limit is reached.")
    here.script = {"paused": not_reviewed("Reviews paused"), "Guard": actionable(GUARD, NAME)}
    assert here.plan()["rule"] == "pr/nothing"
    assert "NOT REVIEWED by coderabbitai: Reviews paused" in here.fetch().out
    here.pull.review(by="coderabbitai", body=REVIEW)
    here.plan()
    assert "NOT REVIEWED" not in here.fetch().out


# A round ends as it was read, too


def test_a_comment_during_the_landing_is_read_before_the_round_is_judged(here: PullScene) -> None:
    asked = here.pull.comment(by="alice", body="Boil it twice.")
    here.plan()
    here.settle(result(asked.id))
    here.pull.comment(by="alice", body="Nice!")
    here.script = {"Nice!": IGNORE}
    said = here.bench.baton("pr", "land")
    assert (said.out.startswith("DO spawn"), said.out.rstrip().endswith("baton pr land 7")) == (True, True)
    here.be_readers(*readers(said))
    replies = list(here.replies)
    assert "WHY verify/clean" in here.landed().out
    assert here.replies == replies


def test_a_round_landed_in_two_calls_reports_what_nobody_read(here: PullScene) -> None:
    asked = here.pull.comment(by="alice", body="Boil it twice.")
    name = reader_of(here)
    here.bench.baton("begin", name)
    here.plan("--give-up", name, fetch="")
    here.settle(result(asked.id))
    here.pull.comment(by="alice", body="Nice!")
    here.script = {"Nice!": IGNORE}
    here.be_readers(*readers(here.bench.baton("pr", "land")))
    assert f"NOT READ {asked.url}: it was taken as it stands" in here.landed().out


def waiting_to_verify(here: PullScene) -> str:
    """Have a round whose fix is pushed and whose decision is not asked yet; returns the reader it waits for."""
    fixed = here.pull.thread("src/a.py", 1, by="alice", body="Rename this variable.")
    asked = here.pull.thread("src/b.py", 1, by="alice", body="Seconds or milliseconds?")
    here.plan()
    here.edit(fixed.id, {"src/a.py": "alpha = 1\n"})
    options = {"question": "Which unit?", "options": ["seconds", "milliseconds"]}
    here.settle(
        result(fixed.id, "fixed", "src/a.py"),
        result(asked.id, "needs-human", decision_context=options),
    )
    here.pull.comment(by="alice", body="Nice!")
    here.script = {"Nice!": IGNORE}
    [name] = readers(here.bench.baton("pr", "land"))
    assert here.subjects
    return name


def test_a_round_that_waits_to_be_verified_is_landed_whatever_is_called_meanwhile(here: PullScene) -> None:
    name = waiting_to_verify(here)
    assert here.fetch().code == 0
    here.be_readers(name)
    assert "land them first: `baton pr land 7`" in plan(here).refused
    out = here.landed().out
    assert ("COMMIT" in out, "Which unit?" in out) == (True, True)


def test_the_module_lands_a_round_that_waits_to_be_verified(here: PullScene) -> None:
    name = waiting_to_verify(here)
    order = here.bench.baton("for-module", "reloaded", name).json
    assert [one["lost"][0] for one in order["start"]] == ["land"]


def test_a_body_that_was_edited_meanwhile_is_answered_where_its_words_still_stand(here: PullScene) -> None:
    review = here.pull.review(by="coderabbitai", body=REVIEW)
    here.script = {"~~done~~": actionable(GUARD), "Name the unit": actionable(GUARD, NAME)}
    here.plan()
    here.settle(*map(result, here.planned_items))
    here.hub.edit(review, by="coderabbitai", body=REVIEW.replace("**Name the unit.**", "~~done~~"))
    out = here.landed().out
    assert "ANSWERED 1 item" in out


# Killed at any write, the same calls come to the same


WRITERS = ("baton.feedback.store.kept_files.write_durably", "baton.feedback.record.record.write_durably")


def through(here: PullScene) -> tuple[int, list[str]]:
    """Go from a fetch to a round; returns how many units there are, and the words that were read.

    A reader that began and is gone is started once more, as the line for that says.
    """
    here.fetch()
    while names := re.findall(r"Reading (\S+): first call", (said := plan(here)).out):
        for name in names:
            read_by_script(here.bench, name, here.script)
    quotes = [finding["quote"] for text in kept(here).values() for finding in text.get("findings", ())]
    return said.out.count("PROMPT Unit "), quotes


def strike(patch: pytest.MonkeyPatch, number: int, after: bool) -> list[str]:
    """Have the process end before or after the n-th write of what is kept, 0 for none; returns the writes."""
    killer = Killer(number, after)
    for name in WRITERS:
        patch.setattr(name, killer.around(name, write_durably))
    return killer.calls


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_write_it_is_the_same(here: PullScene, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    here.pull.review(by="coderabbitai", body=REVIEW)
    here.pull.comment(by="alice", body="Nice!")
    here.script = {"Guard the kettle": actionable(GUARD, NAME), "Nice!": IGNORE}
    folder = here.bench.root / ".git/baton/.pull-requests"
    with monkeypatch.context() as patch:
        writes = strike(patch, 0, after)
        expected = through(here)
    assert (expected, len(writes) > 5) == ((2, [GUARD["quote"], NAME["quote"]]), True)
    for number in range(1, len(writes) + 1):
        shutil.rmtree(folder)
        with monkeypatch.context() as patch, suppress(Killed):
            strike(patch, number, after)
            through(here)
        assert (number, through(here)) == (number, expected)
