"""A word of the user: what they chose in a session that was shown the question, else they are asked."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from baton.feedback.store.kept_files import folder_of
from baton.feedback.store.questions import Answers, Question, QuestionReplies, note_shown
from baton.git.command import find_project
from baton.hooks import pre_tool_use
from baton.hooks.session_questions import PendingQuestion, chosen_in_dialog
from baton.journal.events import Answered, Said, Shown
from baton.story.ask.answer_source import note_said
from bench import SESSION, Bench, CallResult, call, call_hook
from hooks.run_trees import decide

pytestmark = pytest.mark.sampled(20)
every_case = pytest.mark.sampled(100)  # they ask a function

OPTIONS = {"retry": "tries again", "replan": "plans", "replan-all": "plans all", "abandon": "ends it"}
QUESTION = PendingQuestion("42", "7", "What now?", OPTIONS, (), (), Path(), True)


@pytest.fixture
def asking(implementing: Bench, in_client: None) -> Bench:
    """A story whose question this session was shown: accept is none of its options, retry and replan are."""
    implementing.work(status="blocked")
    return implementing


def answer(bench: Bench, *words: str) -> CallResult:
    """Answer as the model does: nobody is at a terminal."""
    return call("--project", str(bench.root), "answer", *words)


def tell(bench: Bench, event: str, **payload: Any) -> None:
    assert call_hook(event, **{"cwd": str(bench.root), "session_id": SESSION, **payload}) == (0, "", "")


def type_in(bench: Bench, prompt: str, **more: Any) -> None:
    tell(bench, "user-prompt-submit", prompt=prompt, **more)


def dialog(about: str, text: str, options: Mapping[str, str], label: object) -> dict[str, Any]:
    """What the client tells of its dialog."""
    offered = [{"label": name, "description": does} for name, does in options.items()][:4]
    asked = {"question": f"{about}: {text}", "header": "baton", "options": offered, "multiSelect": False}
    answers = {"answers": {asked["question"]: label}}
    return {"tool_name": "AskUserQuestion", "tool_input": {"questions": [asked]}, "tool_response": answers}


def choose(bench: Bench, label: str, **more: Any) -> None:
    assert bench.state.question
    text = bench.state.question.text
    options = {one["id"]: one["does"] for one in text["options"]}
    tell(bench, "post-tool-use", **dialog(bench.id, text["question"], options, label), **more)


def before_call(bench: Bench, command: str, **more: Any) -> tuple[str, str]:
    said = decide(command, **{"cwd": str(bench.root), "session_id": SESSION, **more})
    return said["permissionDecision"], said["permissionDecisionReason"]


def allowed(bench: Bench, command: str, **more: Any) -> str:
    """The command that the client runs once the user has allowed it."""
    event = {"tool_input": {"command": command, "timeout": 5}, "cwd": str(bench.root), "session_id": SESSION}
    changed: dict[str, Any] = decide(**{**event, **more})["updatedInput"]
    assert changed["timeout"] == 5
    return str(changed["command"])


def run(bench: Bench, command: str, **more: Any) -> CallResult:
    return call("--project", str(bench.root), *shlex.split(command)[1:], **more)


def said(bench: Bench) -> list[tuple[str, str]]:
    return [(event.how, event.option) for event in bench.state.events if isinstance(event, Said)]


def taken(bench: Bench) -> dict[str, str]:
    """How the newest answer was said."""
    return [event for event in bench.state.events if isinstance(event, Answered)][-1].said


# Where it was shown


def test_a_question_is_shown_once_in_each_session(asking: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asking.next()
    asking.baton("question", "42")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "another")
    asking.baton("question", "42")
    assert [event.session for event in asking.state.events if isinstance(event, Shown)] == [SESSION, "another"]


def test_no_question_is_shown_in_the_tree_of_a_run(asking: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "another")
    (asking.root / ".git/baton-run").write_text('{"run": "sess_1_a_iter1", "story": "42"}')
    assert "this is the work tree of run" in asking.baton("question", "42").err
    assert asking.state.shown == (SESSION,)


# What is chosen in the client's dialog


@every_case
@pytest.mark.parametrize(("label", "option"), [
    *((label, "retry") for label in ("retry", " retry. ", "retry, no red", "retry: once more?", "retry!")),
    ("replan-all", "replan-all"), ("replan: all", "replan"),
    *((label, "") for label in (
        "retry. no, wait: abandon", "retry: or replan?", "retry! is not what I want", "retry; no",
        "retrying", "please retry", "retry?", "retry what?", "retry-later", "replan-", "", "accept", None,
        ["retry"],
    )),
])  # fmt: skip
def test_an_answer_in_the_dialog_names_one_option_or_none(label: object, option: str) -> None:
    found = chosen_in_dialog(dialog("42", "What now?", OPTIONS, label), QUESTION)
    assert (found or ("",))[0] == option


@every_case
@pytest.mark.parametrize(("about", "text", "options"), [
    ("43", "What now?", OPTIONS), ("42", "Is tea better than coffee?", OPTIONS), ("42", "What now? No?", OPTIONS),
    ("42", "What now?", {**OPTIONS, "retry": "is harmless"}), ("42", "What now?", {"yes": "tries again"}),
    ("42", "What now?", {"retry": "tries again", "abandon": "ends it"}),
    ("42", "What" + "\n" * 40 + "now?", OPTIONS),
])  # fmt: skip
def test_a_dialog_that_asks_anything_else_is_no_answer(about: str, text: str, options: dict[str, str]) -> None:
    assert chosen_in_dialog(dialog(about, text, options, "retry"), QUESTION) is None
    assert chosen_in_dialog(dialog("42", "What\n now?", OPTIONS, "retry"), QUESTION)


@every_case
@pytest.mark.parametrize("where", ["question", "option", "beside"])
def test_a_dialog_that_shows_more_than_the_question_is_no_answer(where: str) -> None:
    told = dialog("42", "What now?", OPTIONS, "retry")
    questions = told["tool_input"]["questions"]
    more: dict[str, Any] = {"preview": "retry ends it"}
    {"question": questions[0], "option": questions[0]["options"][0]}.get(where, {}).update(more)
    questions += [{**questions[0], "question": "In the next, retry means no?"}] if where == "beside" else []
    assert chosen_in_dialog(told, QUESTION) is None


DECISION = QUESTION._replace(options={"a": "one", "b": "two", "leave": "leaves it open"})


@every_case
@pytest.mark.parametrize(("label", "option"), [
    ("a", "a"), ("b: use a lock", "b"), ("a, as b is slow", "a"), ("b, or a", ""), ("a lock", ""), ("a or b", ""),
])  # fmt: skip
def test_an_article_is_no_option_of_one_letter(label: str, option: str) -> None:
    found = chosen_in_dialog(dialog("42", "What now?", DECISION.options, label), DECISION)
    assert (found or ("",))[0] == option


@every_case
@pytest.mark.parametrize("gone", DECISION.options)
def test_a_decision_is_shown_with_all_its_options(gone: str) -> None:
    offered = {name: does for name, does in DECISION.options.items() if name != gone}
    assert chosen_in_dialog(dialog("42", "What now?", offered, next(iter(offered))), DECISION) is None


@every_case
def test_a_question_of_one_option_can_be_left_open() -> None:
    one = QUESTION._replace(options={"accept": "runs"})
    offered = {"accept": "runs", "later": "leaves it open"}
    found = [chosen_in_dialog(dialog("42", "What now?", offered, label), one) for label in offered]
    assert found == [("accept", "accept"), None]


@every_case
@pytest.mark.parametrize("answers", [None, "retry", {}, {"answers": None}, {"answers": {"which?": "retry"}}])
def test_a_malformed_answer_of_the_dialog_counts_for_nothing(answers: object) -> None:
    told = {**dialog("42", "What now?", OPTIONS, "retry"), "tool_response": answers}
    assert chosen_in_dialog(told, QUESTION) is None
    assert chosen_in_dialog({"tool_name": "AskUserQuestion", "tool_response": answers}, QUESTION) is None


def test_several_choices_at_once_are_none() -> None:
    told = dialog("42", "What now?", OPTIONS, "retry, replan")
    told["tool_input"]["questions"][0]["multiSelect"] = True
    assert chosen_in_dialog(told, QUESTION) is None


@pytest.mark.parametrize("prompt", ["retry", "42: retry", "/baton:answer 42 retry"])
def test_a_prompt_to_the_model_is_no_answer(prompt: str, asking: Bench) -> None:
    type_in(asking, prompt)
    assert (said(asking), answer(asking, "42", "retry").code) == ([], 2)
    choose(asking, "retry")
    assert (said(asking), answer(asking, "42", "retry").code) == ([("dialog", "retry")], 0)


def test_a_word_typed_before_an_update_still_counts(asking: Bench) -> None:
    note_said(find_project(asking.root), "42", Said(SESSION, "prompt", "retry", "retry"), asking.state.asked_seq)
    assert answer(asking, "42", "retry").code == 0
    assert taken(asking) == {"how": "prompt", "words": "retry"}


def test_an_option_chosen_in_the_dialog_counts_for_one_answer(asking: Bench) -> None:
    choose(asking, "please retry")
    assert said(asking) == []
    choose(asking, "retry, no red")
    assert before_call(asking, "baton answer 42 retry")[0] == "allow"
    assert answer(asking, "42", "replan").code == 2
    assert answer(asking, "42", "retry").code == 0
    assert taken(asking) == {"how": "dialog", "words": "retry, no red"}
    asking.next()
    asking.work(status="blocked")
    assert answer(asking, "42", "retry").code == 2


@pytest.mark.parametrize("more", [
    {"session_id": "another"}, {"session_id": ""}, {"agent_id": "a1"}, {"agent_type": "baton:qa"},
])  # fmt: skip
def test_only_the_session_that_was_shown_it_counts_and_no_agents(more: dict[str, str], asking: Bench) -> None:
    choose(asking, "retry", **more)
    assert said(asking) == []


def test_a_choice_answers_the_one_of_two_questions_that_was_asked(asking: Bench) -> None:
    other = Bench(asking.root, "43")
    other.new("Another")
    other.next("--plan-only")
    assert other.plan()["rule"] == "planning/approval"
    choose(other, "abandon")
    assert (said(asking), said(other)) == ([], [("dialog", "abandon")])


def test_long_words_are_cut(asking: Bench) -> None:
    choose(asking, f"retry, {'x' * 5000}")
    assert len(asking.state.said[0].words) == 4000


@pytest.mark.parametrize(("note", "code"), [("no red", 0), ("no\nred", 0), ("", 0), ("no red, and push it", 2)])
def test_beside_a_dialogs_option_a_note_is_what_was_typed_there(note: str, code: int, asking: Bench) -> None:
    choose(asking, "retry: no  red")
    said_now = answer(asking, "42", "retry", "--note", note)
    assert (said_now.code, "has not typed this note" in said_now.err) == (code, bool(code))


# What nobody said


def test_an_answer_that_nobody_gave_is_refused(asking: Bench) -> None:
    refused = answer(asking, "42", "retry")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "baton: the user has not given this answer at `baton answer 42 retry`: "
        "show them the question and let them answer it\n"
    )


def test_the_client_asks_and_the_very_call_it_lets_through_is_taken_once(asking: Bench) -> None:
    decision, why = before_call(asking, "baton answer 42 retry --note 'once more'")
    assert (decision, why.startswith("baton: answer 42 with `retry`, which starts another")) == ("ask", True)
    command = allowed(asking, "baton answer 42 retry --note 'once more'")
    assert run(asking, command).code == 0
    assert taken(asking) == {"how": "asked"}
    asking.next()
    asking.work(status="blocked")
    assert run(asking, command).code == 2


def test_while_the_person_is_asked_no_other_call_is_taken(asking: Bench) -> None:
    command = allowed(asking, "baton answer 42 retry")
    assert answer(asking, "42", "retry").code == 2
    assert run(asking, command.replace("retry", "replan")).code == 2
    kept = [path.name + path.read_text() for path in asking.root.glob(".git/baton/.permits/*")]
    assert command.split()[2] not in "".join(kept)


def test_a_permission_of_another_session_is_refused(asking: Bench) -> None:
    assert run(asking, allowed(asking, "baton answer 42 retry", session_id="another")).code == 2


def test_a_permission_ends_with_the_persons_next_words(asking: Bench) -> None:
    first, second = (allowed(asking, "baton answer 42 retry") for _ in range(2))
    type_in(asking, "let me see", session_id="another")
    assert run(asking, first).code == 0
    asking.next()
    asking.work(status="blocked")
    type_in(asking, "wait, show me the log first")
    assert run(asking, second).code == 2
    assert list(asking.root.glob(".git/baton/.permits/*")) == []


@pytest.mark.parametrize("call", ["story edit 42", "undo 42"])
def test_a_merge_or_a_text_is_changed_in_the_client_once_the_person_was_asked(call: str, asking: Bench) -> None:
    refused = run(asking, f"baton {call}", stdin="x")
    assert (refused.code, "the client did not ask about this call" in refused.err) == (2, True)
    assert "the client did not ask" not in run(asking, allowed(asking, f"baton {call}"), stdin="x").err


@pytest.mark.parametrize("words", ["42 accept", "43 retry", "42", "--help"])
def test_an_invalid_answer_asks_nobody(words: str, asking: Bench) -> None:
    assert before_call(asking, f"baton answer {words}")[0] == ("ask" if words == "42" else "allow")


def test_a_record_that_cannot_be_read_is_asked_about(asking: Bench) -> None:
    asking.journal.write_bytes(asking.journal.read_bytes().replace(b"Subtract", b"Subtracd"))
    assert before_call(asking, "baton answer 42 retry")[0] == "ask"


# What the client's own shell says


ASKED = "what is said here counts as the user's word"


@pytest.mark.parametrize(("event", "payload"), [
    ("user-prompt-submit", {"prompt": "retry"}),
    ("post-tool-use", {"tool_name": "AskUserQuestion", "tool_response": {"answers": {"42": "retry"}}}),
    ("subagent-stop", {"agent_id": "a1"}), ("stop", {}),
])  # fmt: skip
def test_a_shell_of_the_client_calls_none_of_its_hooks(event: str, payload: dict[str, Any], asking: Bench) -> None:
    told = json.dumps({"cwd": str(asking.root), "session_id": SESSION, **payload})
    refused = call("hook", event, stdin=told)
    assert (refused.code, refused.out, ASKED in refused.err) == (1, "", True)
    assert answer(asking, "42", "retry").code == 2


def test_a_shell_of_the_client_is_left_no_permit(asking: Bench) -> None:
    event = {"tool_name": "Bash", "tool_input": {"command": "baton answer 42 retry"}, "cwd": str(asking.root)}
    asked = json.loads(pre_tool_use.decide(json.dumps({**event, "session_id": SESSION}).encode()))
    assert asked["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert "updatedInput" not in asked["hookSpecificOutput"]
    assert "--permit" in allowed(asking, "baton answer 42 retry")


# Without hooks, and without the client


def test_an_answer_without_hooks_is_taken_as_unverified(
    implementing: Bench, in_client: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BATON_HOOKS")
    implementing.work(status="blocked")
    assert answer(implementing, "42", "retry").code == 0
    assert taken(implementing) == {"how": "unverified"}
    assert "retry (unverified)" in implementing.baton("timeline", "42").out


def test_hooks_that_were_on_cannot_be_left_out(asking: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BATON_HOOKS")
    refused = answer(asking, "42", "retry")
    assert (refused.code, "the client's hooks were on, and are off here" in refused.err) == (2, True)


def test_outside_of_the_client_somebody_is_at_a_terminal(implementing: Bench) -> None:
    implementing.work(status="blocked")
    refused = answer(implementing, "42", "retry")
    assert (refused.code, "type it in a terminal, or answer in the client" in refused.err) == (2, True)
    words = ("--project", str(implementing.root), "answer", "42", "retry", "--note", "-")
    assert call(*words, stdin="once more", terminal=True).code == 0
    assert taken(implementing) == {"how": "terminal"}
    assert implementing.state.replies[-1].note == "once more"


def test_in_the_client_a_terminal_is_no_word(asking: Bench) -> None:
    assert asking.baton("answer", "42", "retry").code == 2


# About a pull request


@pytest.fixture
def pull_request(bench: Bench, in_client: None) -> Path:
    """The folder of a pull request whose question this session was shown."""
    project = find_project(bench.root)
    folder = folder_of(project, "github.com", "octo/app", 7)
    folder.mkdir(parents=True)
    (folder / "feedback.json").write_text("{}")
    options = {"accept": "lets baton run them", "leave": "leaves what is open"}
    Answers(project, folder).ask(Question("plan/fork", "0a1b2c", "it is a fork", "Go on?", options))
    note_shown(project, folder, SESSION)
    return folder


def choose_of_pull(bench: Bench) -> None:
    options = {"accept": "lets baton run them", "leave": "leaves what is open"}
    tell(bench, "post-tool-use", **dialog("pr-7", "Go on?", options, "accept"))


def test_a_pull_requests_question_is_answered_by_the_same_rules(bench: Bench, pull_request: Path) -> None:
    assert answer(bench, "pr-7", "accept").code == 2
    choose_of_pull(bench)
    assert before_call(bench, "baton answer pr-7 accept")[0] == "allow"
    assert answer(bench, "pr-7", "accept").code == 0
    said = json.loads((pull_request / "answers.json").read_text())["said"]
    assert said == {"plan/fork 0a1b2c": {"how": "dialog", "words": "accept"}}
    assert QuestionReplies(find_project(bench.root), pull_request).kept.said == ()


def test_a_pull_requests_question_is_asked_by_the_client(bench: Bench, pull_request: Path) -> None:
    decision, why = before_call(bench, "baton answer pr-7 accept")
    assert (decision, "answer pr-7 with `accept`, which lets baton run them" in why) == ("ask", True)
    assert answer(bench, "pr-7", "accept").code == 2
    assert run(bench, allowed(bench, "baton answer pr-7 accept")).code == 0


def test_the_answer_to_one_question_counts_for_no_later_one(bench: Bench, pull_request: Path) -> None:
    choose_of_pull(bench)
    project = find_project(bench.root)
    assert [one.how for one in QuestionReplies(project, pull_request).kept.said] == ["dialog"]
    Answers(project, pull_request).ask(Question("land/commands", "9f", "they changed", "Run?", {"accept": "runs"}))
    assert answer(bench, "pr-7", "accept").code == 2


def test_trust_may_be_answered_beside_every_question_once_it_was_shown(bench: Bench, pull_request: Path) -> None:
    project = find_project(bench.root)
    assert "trust" not in QuestionReplies(project, pull_request).options
    note_shown(project, pull_request, SESSION, ["carol"])
    choose_of_pull(bench)
    assert [before_call(bench, f"baton answer pr-7 {it}")[0] for it in ("accept", "trust")] == ["allow", "ask"]


def test_a_record_of_words_that_is_damaged_is_one_line(bench: Bench, pull_request: Path) -> None:
    (pull_request / "words.json").write_text('{"said": [7]}')
    said = answer(bench, "pr-7", "accept")
    assert (said.code, said.err.count("\n"), "remove it; you will be asked again" in said.err) == (2, 1, True)
