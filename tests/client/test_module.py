"""The client's module drives stories and rounds in the real client: no model is asked between the steps."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Script, Step, Talk
from baton_lab.scripted_client.terminal import Terminal
from client.actors import MARKERS, SIX, Worker, begin, block, in_turn, judge, marked, plan, six_runs, three_agents
from client.feedback import READER, RESOLVER
from client.orchestrator import orchestrate
from client.papers import PASS, PLAN, SUBTRACT
from client.person import (
    MERGED,
    MODULE_OFF,
    NewDesk,
    agents_sent,
    allow,
    baton,
    desk_of,
    driven,
    edits_in_trees,
    happened,
    merges,
    press_until,
    status,
    tell,
    type_other,
    unasked,
)
from client.test_delivery import (
    Delivered,
    assert_delivered,
    delivered,  # noqa: F401
    through_red_checks_a_review_and_a_conflict,
)
from client.test_feedback import FORMS, REPORTS, Reviewed, assert_settled, confirmed, reviewed  # noqa: F401
from delivery.scene import REPOSITORY
from fake_github.misbehave import Meanwhile
from fake_github.state import Thread

pytestmark = pytest.mark.long

# What the user reads of them, besides how long each took.
OUTCOMES = (
    "— the plan is valid, with 2 phases; next: implement, phase 1 of 2",
    "— 1 of 2 phases are done; next: implement, phase 2 of 2",
    "— QA failed the story: `sub` has no docstring; next: implement, fix what QA found",
    "— QA passed every criterion; merged into main",
    "Story 42: Subtract",  # the report, drawn as Markdown
)
ESCAPE, INTERRUPT, ENTER = "\x1b", "\x03", "\r"


def wait_for_merge(terminal: Terminal) -> None:
    terminal.wait_for(lambda: has_no_ids(terminal) and terminal.shows("Merged into main as"), 120)


def reads_all(terminal: Terminal, read: set[str]) -> bool:
    """Read on; return whether every outcome has been on the screen by now."""
    read.update(filter(terminal.shows, OUTCOMES))
    return read == {*OUTCOMES}


def has_no_ids(terminal: Terminal) -> bool:
    assert "sess_" not in terminal.screen(), terminal.screen()
    return True


# Whole stories


def test_six_runs_are_merged_without_a_request_of_the_conversation(new_desk: NewDesk, ready: Path) -> None:
    desk = driven(desk_of(new_desk, ready, **six_runs()))
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42", "42 Subtract: plan", "Permission mode default")
        read = set[str]()
        terminal.wait_for(lambda: has_no_ids(terminal) and reads_all(terminal, read), 120)
    assert (agents_sent(ready), merges(ready)) == (SIX, [MERGED])
    assert desk.model.of("main") == []


@pytest.mark.quick
def test_headless_it_holds_until_the_story_is_merged(new_desk: NewDesk, ready: Path) -> None:
    desk = driven(desk_of(new_desk, ready, **six_runs()))
    done = desk.headless("/implement 42")
    assert "Merged into `main` as" in done.out, done
    assert (done.code, done.err, agents_sent(ready), merges(ready)) == (0, "", SIX, [MERGED])
    assert desk.model.of("main") == []


def test_two_stories_go_side_by_side_in_one_session(new_desk: NewDesk, small: Path) -> None:
    baton(small, "story", "new", "Another", "--id", "43", "--criterion", "it is", "--complexity", "1")
    desk = driven(desk_of(new_desk, small, micro_delivery=lambda talk: Worker().deliver(talk)))
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42", "42 Subtract: implement in one run")
        tell(terminal, "/implement 43", "43 Another: implement in one run")
        terminal.wait_for(lambda: {"story 42: Subtract", "story 43: Another"} <= {*merges(small)}, 120)
    assert desk.model.of("main") == []


# The person: questions, a stop


@pytest.mark.parametrize(("words", "answered"), [
    ("", "retry (dialog, retry)"),
    ("retry: below zero is fine", "retry (dialog, retry: below zero is fine): below zero is fine"),
], ids=["an option", "with a note"])  # fmt: skip
def test_a_choice_in_the_dialog_is_the_answer(words: str, answered: str, new_desk: NewDesk, ready: Path) -> None:
    worker = Worker()
    agents = {"planner": in_turn(block, plan(PLAN)), "implementer": worker.whole(), "qa": judge(PASS)}
    desk = driven(desk_of(new_desk, ready, **agents))
    with desk.terminal() as terminal:
        tell(terminal, "/implement 42", "Nobody says whether a result may be negative", "1. retry")
        if words:
            type_other(terminal, words)
        else:
            terminal.answer = "1"
        wait_for_merge(terminal)
    assert happened(ready, "answered")[1:] == [answered]
    assert desk.model.of("main") == []


def test_escape_leaves_the_question_open_until_the_command_comes_again(new_desk: NewDesk, ready: Path) -> None:
    desk = driven(desk_of(new_desk, ready, planner=block))
    with desk.terminal() as terminal:
        tell(terminal, "/implement 42", "Nobody says whether a result may be negative", "1. retry")
        press_until(terminal, ESCAPE, "Not answered")
        assert status(ready) == "escalated"
        tell(terminal, "/implement 42", "1. retry")
    assert (len(happened(ready, "answered")), agents_sent(ready)) == (1, ["planner"])
    assert desk.model.of("main") == []


def test_headless_a_question_is_shown_and_nobody_answers_it(new_desk: NewDesk, ready: Path) -> None:
    done = driven(desk_of(new_desk, ready, planner=block)).headless("/implement 42")
    assert "- retry: " in done.out, done
    assert (done.code, status(ready), len(happened(ready, "answered"))) == (1, "escalated", 1)


def test_stopping_a_run_stops_the_story_and_costs_no_attempt(new_desk: NewDesk, ready: Path) -> None:
    worker = Worker()
    desk = driven(desk_of(new_desk, ready, **three_agents(in_turn(worker.endless, worker.second))))
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42")
        terminal.wait_for(lambda: worker.has_marked(SUBTRACT))
        terminal.press(INTERRUPT)
        terminal.wait_for(lambda: terminal.shows("nothing goes on until you say so"))
        assert agents_sent(ready) == ["planner", "implementer"]
        assert happened(ready, "judged")[-1].startswith("spawn")
        tell(terminal, "/implement 42")
        wait_for_merge(terminal)
    assert agents_sent(ready) == ["planner", "implementer", "implementer", "qa"]
    assert "run/stopped" in baton(ready, "timeline", "42")
    assert desk.model.of("main") == []


@pytest.mark.quick
def test_in_plan_mode_nobody_is_sent_out_and_later_the_command_goes_on(new_desk: NewDesk, small: Path) -> None:
    desk = driven(desk_of(new_desk, small, micro_delivery=lambda talk: Worker().deliver(talk)))
    with desk.terminal(mode="plan") as terminal:
        tell(terminal, "/implement 42", "baton: plan mode: nothing is started", "then /implement 42")
    assert desk.model.of(MARKERS["micro-delivery"]) == []
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42")
        wait_for_merge(terminal)
    assert (agents_sent(small), desk.model.of("main")) == (["micro-delivery"], [])


# What happens to the session


@pytest.mark.parametrize("typed", ["/compact", "/clear"])
def test_a_conversation_that_is_cut_short_cuts_no_story_short(typed: str, new_desk: NewDesk, ready: Path) -> None:
    worker, gate = Worker(), Gate()
    desk = driven(desk_of(new_desk, ready, **three_agents(gate.before(worker.whole()))))
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42")
        terminal.wait_for(lambda: gate.reached)
        terminal.type(typed)
        terminal.wait_for(lambda: not terminal.shows("Permission mode") or terminal.shows("ompact"))
        gate.open = True
        wait_for_merge(terminal)
    assert agents_sent(ready) == ["planner", "implementer", "qa"]


class Gate:
    """What an agent waits at, beginning again and again, until it is opened."""

    def __init__(self) -> None:
        self.reached = self.open = False

    def before(self, run: Script) -> Script:
        def play(talk: Talk) -> Iterator[Step]:
            while not self.open:
                yield begin(talk)
                self.reached = True
            yield from run(talk)

        return play


def test_after_a_crash_the_command_goes_on_in_the_continued_session(new_desk: NewDesk, ready: Path) -> None:
    worker = Worker()
    desk = driven(desk_of(new_desk, ready, **three_agents(in_turn(worker.endless, worker.second))))
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42")
        terminal.wait_for(lambda: worker.has_marked(SUBTRACT))
        terminal.kill()
    with unasked(desk, "--continue") as terminal:
        tell(terminal, "/implement 42")
        wait_for_merge(terminal)
    assert agents_sent(ready) == ["planner", "implementer", "implementer", "qa"]
    assert merges(ready) == [MERGED]


def test_a_module_loaded_anew_goes_on_with_what_runs(new_desk: NewDesk, ready: Path, plugin_copy: Path) -> None:
    worker, gate = Worker(), Gate()
    allow(ready, edits_in_trees(ready))
    desk = driven(new_desk(marked(three_agents(gate.before(worker.whole())))).with_plugin_dir(plugin_copy))
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42")
        terminal.wait_for(lambda: gate.reached)
        module = plugin_copy / "scripts" / "drive.js"
        module.write_text(module.read_text().replace("was not started:", "could not be started:"))
        terminal.wait_for(lambda: terminal.shows("reloaded"))
        gate.open = True
        wait_for_merge(terminal)
    assert agents_sent(ready) == ["planner", "implementer", "qa"]
    assert desk.model.of("main") == []


# Where it is off


@pytest.mark.parametrize("way", ["the setting", "disableAllHooks"])
def test_the_skill_does_the_same_without_the_module(way: str, new_desk: NewDesk, small: Path) -> None:
    desk = desk_of(new_desk, small, micro_delivery=Worker().deliver)
    off = {"env": MODULE_OFF} if way == "the setting" else {"disableAllHooks": True}
    rules = ("Bash(baton *)", "Bash(python3 *)") if "disableAllHooks" in off else ()
    allow(small, edits_in_trees(small), *rules, **off)
    with unasked(driven(desk)) as terminal:
        tell(terminal, "/implement 42", "the story is at complete")
    assert (agents_sent(small), merges(small)) == (["micro-delivery"], [MERGED])
    assert len(desk.model.of("main")) > 2


@pytest.fixture
def lacking(new_desk: NewDesk, plugin_copy: Path) -> Desk:
    """A client that cannot start an agent for a module, as it is after a call was taken out of it."""
    module = plugin_copy / "scripts" / "drive.js"
    module.write_text(module.read_text().replace("$.agent.spawn(", "$.agent.launch("))
    agents = {"main": orchestrate, **marked({"micro-delivery": Worker().deliver})}
    return driven(new_desk(agents).with_plugin_dir(plugin_copy))


def test_a_call_that_the_client_lacks_leaves_the_story_to_the_skill(lacking: Desk, small: Path) -> None:
    allow(small, edits_in_trees(small))
    with unasked(lacking) as terminal:
        tell(terminal, "/implement 42", "this client has no such call: $.agent.launch")
        terminal.wait_for(lambda: terminal.shows("the story is at complete"), 120)
    assert (agents_sent(small), merges(small)) == (["micro-delivery"], [MERGED])


def test_headless_a_call_that_the_client_lacks_is_an_error(lacking: Desk, small: Path) -> None:
    done = lacking.headless("/implement 42")
    assert (done.code, merges(small)) == (1, [])
    assert "this client has no such call: $.agent.launch" in done.out


# Pull requests

VALIDATE = "Validate the input: an empty e-mail is not validated."
RENAME = "Rename the variable `tmp`: its name is misleading, and breaks our naming convention."


def ask_for_fixes(reviewed: Reviewed) -> list[Thread]:  # noqa: F811
    """Have a reviewer say of the other places what is wrong."""
    forms = [reviewed.pull.thread(f"src/forms/{name}.py", 2, by="alice", body=VALIDATE) for name in FORMS[1:]]
    return forms + [reviewed.pull.thread(f"src/report/{name}.py", 1, by="alice", body=RENAME) for name in REPORTS]


def test_a_round_with_several_units_is_landed_without_a_request(new_desk: NewDesk, reviewed: Reviewed) -> None:  # noqa: F811
    threads = [confirmed(reviewed), *ask_for_fixes(reviewed)]
    desk = driven(reviewed.desk(new_desk))
    with unasked(desk) as terminal:
        tell(terminal, "/resolve-pr-feedback 7", "ANSWERED 6 items", "nothing new is left")
    assert_settled(*threads)
    assert desk.model.of("main") == []
    assert [len({asked.agent for asked in desk.model.of(role)}) for role in (READER, RESOLVER)] == [1, 2]


def test_headless_what_a_round_asks_is_shown_and_lands_once_it_is_answered(
    new_desk: NewDesk,
    reviewed: Reviewed,  # noqa: F811
) -> None:
    threads = [reviewed.validate(FORMS[0]), *ask_for_fixes(reviewed)]
    desk = driven(reviewed.desk(new_desk))
    assert "May baton run these commands" in desk.headless("/resolve-pr-feedback 7").out
    baton(reviewed.project, "answer", "pr-7", "accept")
    done = desk.headless("/resolve-pr-feedback 7")
    assert "nothing new is left" in done.out, done
    assert_settled(*threads)
    assert desk.model.of("main") == []


def test_feedback_in_prose_is_read_without_a_request(new_desk: NewDesk, reviewed: Reviewed) -> None:  # noqa: F811
    thread = confirmed(reviewed)
    reviewed.pull.comment(by="alice", body="I wonder about the reports.")
    desk = driven(reviewed.desk(new_desk))
    with unasked(desk) as terminal:
        tell(terminal, "/resolve-pr-feedback 7", "ANSWERED 2 items", "nothing new is left")
    assert_settled(thread)
    assert desk.model.of("main") == []


# On GitHub


def test_an_issue_is_merged_on_github_and_what_is_waited_for_there_costs_no_request(
    new_desk: NewDesk,
    delivered: Delivered,  # noqa: F811
) -> None:
    desk = driven(through_red_checks_a_review_and_a_conflict(new_desk, delivered))
    with desk.terminal() as terminal:
        tell(terminal, "/implement #12", "May baton run these commands")
        terminal.answer = "1"
        terminal.wait_for(lambda: terminal.shows("Story 1: Subtract"), 240)
    assert_delivered(delivered)
    assert happened(delivered.project, "answered", "1") == ["accept (dialog, accept)"]
    assert desk.model.of("main") == []


def test_headless_what_is_waited_for_on_github_is_waited_for(
    new_desk: NewDesk,
    delivered: Delivered,  # noqa: F811
) -> None:
    delivered.on_story(delivered.actions.job)
    desk = driven(delivered.desk(new_desk, Worker().whole(), judge(PASS)))
    assert "- accept: " in desk.headless("/implement #12").out
    baton(delivered.project, "answer", "1", "accept")
    done = desk.headless("/implement #12")
    assert ("# Story 1: Subtract" in done.out, delivered.pull.state) == (True, "MERGED"), done
    assert desk.model.of("main") == []


def test_feedback_on_the_way_to_base_is_read_and_settled_without_a_request(
    new_desk: NewDesk,
    delivered: Delivered,  # noqa: F811
) -> None:
    pulls, said = delivered.hub.repository(REPOSITORY).pull_requests, list[str]()

    def wonder() -> None:
        if pulls and not said:
            said.append("I wonder about the report.")
            delivered.pull.comment(by="alice", body=said[0])

    delivered.hub.misbehave(Meanwhile(wonder), times=None)
    delivered.on_story(delivered.actions.job, delivered.actions.job)
    desk = driven(delivered.desk(new_desk, Worker().whole(), judge(PASS)))
    with desk.terminal() as terminal:
        tell(terminal, "/implement #12", "May baton run these commands")
        terminal.answer = "1"
        terminal.wait_for(lambda: terminal.shows("Story 1: Subtract"), 240)
    assert agents_sent(delivered.project, "1")[:3] == ["planner", "implementer", "qa"]
    assert (delivered.pull.state, bool(said)) == ("MERGED", True)
    assert desk.model.of("main") == []
