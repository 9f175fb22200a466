"""What the client's module is given to carry out, and whose word an answer in its dialog is."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baton.commands.order import Order, dialog_of
from baton.commands.run_verb import summary
from baton.delivery.remote_question import question_text
from baton.git.command import find_project
from baton.headless.one_story import TurnEnd
from baton.journal.events import Answered
from baton.journal.journal import Journal
from baton.journal.state import fold
from baton.project.permissions import ASKS
from baton.story.answer.notify import _text
from baton.story.ask.step import skill_stage_of
from baton.story.session.open_story import look_at
from bench import PLAN, SESSION, Bench, CallResult, PlayScene
from scenes import begun
from story.test_intake import READ, TEXT


@pytest.fixture(autouse=True)
def module(surrounded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be called as the client's module calls: in its session, and not in a shell of the client."""
    for name, value in {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION, "BATON_DRIVEN": "1"}.items():
        monkeypatch.setenv(name, value)


def order(bench: Bench, *words: str, stdin: str = "") -> Any:
    said = bench.baton("for-module", *words, stdin=stdin)
    assert said.code == 0, said.err
    return said.json


def answer(bench: Bench, words: str, token: str) -> CallResult:
    return bench.baton("for-module", "answer", "42", "--token", token, stdin=words)


def called(bench: Bench) -> str:
    """What the agent of the run is called."""
    return f"42-{bench.run.id.rpartition('_')[2]}"


@pytest.fixture
def asking(planning: Bench) -> Bench:
    """A story that asks what the planner should know."""
    planning.meta("blocked", partial_progress={"details": "no access"})
    planning.end()
    return planning


# Orders


def test_only_a_commands_first_order_says_what_each_permission_mode_asks_for(planning: Bench) -> None:
    assert order(planning, "implement", stdin="42")["modes"].keys() == ASKS.keys()
    assert order(planning, "go", "42")["modes"] is None


def test_a_report_is_drawn_and_no_line_of_a_message(judging: Bench) -> None:
    judging.judge()
    given = order(judging, "ended", called(judging))
    assert (given["page"].split("\n")[0], "# Story" in given["show"]) == ("# Story 42: Subtract numbers", False)


def test_an_agent_is_started_with_its_label_and_named_as_a_person_reads_it(planning: Bench) -> None:
    [agent] = order(planning, "go", "42")["start"]
    assert (agent["run"], agent["name"], agent["type"]) == (planning.run.id, "42-plan1", "baton:planner")
    assert agent["prompt"].startswith(f"Run {planning.run.id} of story 42: first call `baton begin")
    assert (agent["label"], agent["lost"]) == ("42 Subtract numbers: plan", [])


def test_a_run_whose_start_was_seen_is_lost_when_it_is_at_work_no_more(planning: Bench) -> None:
    run = planning.run.id
    response = {"agentId": "a1", "status": "async_launched"}
    event = {"cwd": str(planning.root), "session_id": SESSION, "tool_name": "Agent", "tool_response": response,
             "tool_input": {"subagent_type": "baton:planner", "prompt": f"Run {run} of story 42: x"}}  # fmt: skip
    planning.baton("hook", "post-tool-use", stdin=json.dumps(event))
    [agent] = order(planning, "go", "42")["start"]
    assert (agent["seen"], agent["lost"]) == ("a1", ["ended", "42-plan1"])


def test_one_that_runs_in_another_client_is_not_touched(planning: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    test_a_run_whose_start_was_seen_is_lost_when_it_is_at_work_no_more(planning)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "another")
    given = order(planning, "go", "42")
    assert (given["start"], "is running" in given["show"]) == ([], True)
    assert f"If that client was closed: `! baton next 42 --ended {planning.run.id}`" in given["show"]


def test_the_end_of_an_agent_leads_to_the_next_and_a_stop_to_none(planning: Bench) -> None:
    planning.hand_in("plan", PLAN)
    planning.meta("planned")
    given = order(planning, "ended", "42-plan1")
    ended = r"42 Subtract numbers: plan ended in \d+ (?:min|s)(?: \d+ s)? — the plan is valid, .*"
    assert re.fullmatch(f"{ended}; next: implement, phase 1 of 2", given["show"])
    [agent] = given["start"]
    assert agent["label"] == "42 Subtract numbers: implement, phase 1 of 2"
    given = order(planning, "ended", agent["name"], "--stopped")
    assert (given["start"], given["ask"], given["then"]) == ([], None, [])
    assert "nothing goes on until you say so: `/implement 42`" in given["show"]


def test_a_module_that_was_loaded_anew_takes_up_what_waits_for_nobody(planning: Bench) -> None:
    name = called(planning)
    assert order(planning, "reloaded", name)["start"][0]["name"] == name
    order(planning, "ended", name, "--stopped")
    assert order(planning, "reloaded", name)["start"] == []
    order(planning, "go", "42")
    planning.meta("blocked", partial_progress={"details": "no access"})
    assert order(planning, "reloaded", called(planning))["ask"]["about"] == "42"
    assert order(planning, "reloaded", called(planning))["ask"] is None


@pytest.mark.parametrize("name", ["42-plan2", "43-plan1", "my-qa1"])
def test_an_agent_that_is_nobodys_here_leads_to_nothing(planning: Bench, name: str) -> None:
    nothing = json.loads(json.dumps(Order().to_data()))
    assert order(planning, "ended", name) == order(planning, "reloaded", name) == nothing


def test_a_vague_request_goes_to_the_skill(bench: Bench) -> None:
    assert order(bench, "implement", stdin="tea")["skill"] == ["implement", ""]
    text = "Make tea\n\n## Acceptance Criteria\n\n- it is hot\n"
    assert order(bench, "implement", stdin=text)["ask"]["about"] == "1"


def test_a_text_without_criteria_costs_no_turn_and_is_confirmed_in_the_dialog(bench: Bench) -> None:
    begun = order(bench, "implement", stdin="make tea")["ask"]
    made = Bench(bench.root, "1")
    order(made, "answer", "1", "--token", begun["token"], stdin="accept")
    read = 'criteria:\n  - {at: "specs/1_make-tea/source/text.md:1", says: "there is tea"}\n'
    made.hand_in("criteria", f'{read}  - {{at: "specs/1_make-tea/source/text.md:1", says: "it is hot"}}')
    made.hand_in("plan", PLAN)
    made.meta("planned")
    asked = order(made, "ended", "1-plan1")["ask"]
    assert "AC2 (proposed) it is hot" in asked["text"]
    then = order(made, "answer", "1", "--token", asked["token"], stdin="edit -AC1")
    assert [one["label"] for one in then["start"]] == ["1 make tea: implement, phase 1 of 2"]
    assert made.state.criteria == ("it is hot",)


def test_a_dialog_is_in_plain_words_with_each_option_once_and_what_is_asked_last(asking: Bench) -> None:
    asked = order(asking, "go", "42")["ask"]
    lines = asked["text"].splitlines()
    assert lines[-2:] == ["What would unblock it?", "To add a note, type an option's first word, then yours."]
    assert [line for line in lines if line.split()[0].isupper()] == []
    assert [name for name, _ in asked["options"]] == ["continue", "retry", "replan", "abandon"]
    assert asked["left"].endswith("`/implement 42` asks again, where the client shows dialogs.")
    assert [label for name, label in asked["options"] if not label.startswith(f"{name}: ")] == []
    assert [label for _, label in asked["options"] if label in asked["text"] or "\n" in label] == []


def test_an_option_that_the_dialog_has_no_room_for_is_named_in_its_text(bench: Bench) -> None:
    does = {name: f"does {name}\nand more" for name in ("a", "b", "c", "d", "e")}
    asked = dialog_of(find_project(bench.root), "42", "Which?", does, "1").ask
    assert asked
    assert [name for name, _ in asked.options] == ["a", "b", "c", "d"]
    assert asked.text.splitlines()[:2] == ["Which?", "e: does e and more"]
    assert "- e: does e and more" in asked.left


FORMS = {
    "the client's dialog": lambda bench: order(bench, "go", "42")["ask"]["text"],
    "a step for a model": lambda bench: bench.baton("next", "42").out,
    "baton question": lambda bench: bench.baton("question", "42").out,
    "baton run": lambda bench: "\n".join(summary([TurnEnd("42", "asks", "", asked_of(bench))])),
    "a comment on GitHub": lambda bench: question_text(look_at(find_project(bench.root), "42"), "octo/tea"),
    "a notice": lambda bench: _text(look_at(find_project(bench.root), "42"), ""),
}


def asked_of(bench: Bench) -> Any:
    assert bench.state.question
    return bench.state.question.text


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("rule", ["planning/blocked", "start/mode", "limit/iterations", "qa/fail-twice"])
def test_five_things_of_a_question_are_in_every_form(
    rule: str, form: Callable[[Bench], str], play: PlayScene
) -> None:
    bench, _ = play(rule)
    question, text = asked_of(bench), " ".join(form(bench).replace("\\", "").split())
    stage = skill_stage_of(question["phase"], "ask", rule)
    assert re.search(rf"Story 42\W+{question['title']}", text, re.IGNORECASE)
    assert re.search(rf"\bstage:? {stage}\b", text, re.IGNORECASE)
    assert question["artifact"]
    assert question["artifact"] in text
    assert " ".join(question["reason"].splitlines()[0].split())[:60] in text
    advice = question["advice"].removeprefix(f"{question['recommendation']}: ")
    assert re.search(rf"(?:Recommended:|ADVICE) {re.escape(advice)}", text)


# The person's word


def test_an_answer_with_its_token_is_the_persons_with_the_words_behind_it_as_the_note(asking: Bench) -> None:
    given = json.loads(answer(asking, "Retry: there is a key", order(asking, "go", "42")["ask"]["token"]).out)
    assert given["start"][0]["type"] == "baton:planner"
    said = [event for event in asking.state.events if isinstance(event, Answered)][-1]
    assert (said.option, said.note) == ("retry", "there is a key")
    assert said.said == {"how": "dialog", "words": "Retry: there is a key"}


def test_words_that_name_no_option_are_asked_about_again_which_says_so(asking: Bench) -> None:
    asked = order(asking, "go", "42")["ask"]
    again, token = json.loads(answer(asking, "well, hm", asked["token"]).out)["ask"], asked["token"]
    assert (again["about"], "Not taken" in asked["text"]) == ("42", False)
    assert again["text"].startswith("Not taken, as it begins with no option: well, hm\n\nStory 42")
    assert answer(asking, "abandon", token).code == 0
    assert asking.state.stage == "abandoned"


def test_an_option_that_says_nothing_without_a_note_is_asked_about_again(bench: Bench) -> None:
    kettle = begun(bench, TEXT)
    kettle.hand_in("criteria", READ)
    kettle.plan()
    token = order(kettle, "go", "1")["ask"]["token"]
    said = kettle.baton("for-module", "answer", "1", "--token", token, stdin="edit").json["ask"]
    assert said["text"].startswith(
        "Not taken: `edit` without a note of what to change. Type `edit:`, and your note"
    )
    token = said["token"]
    given = kettle.baton("for-module", "answer", "1", "--token", token, stdin="edit: -AC2").json
    assert given["start"][0]["type"] == "baton:implementer"


def test_what_came_of_a_run_is_told_before_the_question_it_leads_to(planning: Bench) -> None:
    planning.meta("blocked", partial_progress={"details": "no access"})
    given = order(planning, "ended", called(planning))
    assert "42 Subtract numbers: plan ended in" in given["show"]
    assert given["ask"]["left"].endswith("`/implement 42` asks again, where the client shows dialogs.")


def test_a_token_holds_for_its_question_alone_and_once(asking: Bench) -> None:
    token = order(asking, "go", "42")["ask"]["token"]
    assert "this token was used, or is of another question" in answer(asking, "retry", "0" * 32).refused
    assert answer(asking, "retry", token).code == 0
    asking.meta("blocked", partial_progress={"details": "still no access"})
    second = order(asking, "ended", called(asking))["ask"]["token"]
    assert "this token was used, or is of another question" in answer(asking, "retry", token).refused
    assert answer(asking, "retry", second).code == 0


def test_a_token_of_an_older_question_is_refused(asking: Bench) -> None:
    old = order(asking, "go", "42")["ask"]["token"]
    answer(asking, "retry", order(asking, "go", "42")["ask"]["token"])
    asking.meta("blocked", partial_progress={"details": "still no access"})
    order(asking, "ended", called(asking))
    assert "this token was used, or is of another question" in answer(asking, "retry", old).refused


def test_only_the_hash_of_a_token_is_kept(asking: Bench) -> None:
    token = order(asking, "go", "42")["ask"]["token"]
    kept = [path for path in (asking.root / ".git/baton").rglob("*") if path.is_file()]
    assert [path for path in kept if token in path.name or token in path.read_text(errors="replace")] == []


def test_in_a_shell_of_the_client_nothing_is_given(asking: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATON_HOOKS", "1")
    assert "only the client's module may call this" in asking.baton("for-module", "go", "42").refused


def test_the_module_sees_the_start_of_a_run_it_is_given(asking: Bench) -> None:
    asking.baton("answer", "42", "retry")
    order(asking, "go", "42")
    assert fold(Journal(asking.journal).records).runs[-1].start_seen_by == "the client's module"
