"""How a process ended is told by its last line, and by whether it began; what it used is as that says."""

import json
from typing import Any

import pytest

from baton.headless.stream import Stream
from baton.usage.transcript import Tokens

INIT = {"type": "system", "subtype": "init", "plugins": [{"name": "baton"}]}
OVER = {"type": "result", "subtype": "success", "is_error": False, "terminal_reason": "completed"}


def stream(*said: object) -> Stream:
    seen = Stream()
    for one in said:
        seen.take(one if isinstance(one, bytes) else json.dumps(one).encode())
    return seen


def answer(name: str, *content: dict[str, Any], **usage: int) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": name, "model": "m", "content": list(content), "usage": usage}}


@pytest.mark.parametrize(("said", "how"), [
    ([INIT, OVER], "ended"),
    ([INIT, {**OVER, "is_error": True, "terminal_reason": "api_error"}], "failed"),
    ([INIT, {**OVER, "is_error": True, "subtype": "error_max_budget_usd"}], "budget"),
    ([INIT, {**OVER, "is_error": True, "subtype": "error_during_execution"}], "ended"),
    ([INIT], "killed"),
    ([], "unstarted"),
    ([{**INIT, "plugins": [{"name": "another"}]}], "unstarted"),
    ([b"error: unknown option", b"[1, 2]", b"\xff{"], "unstarted"),
])  # fmt: skip
def test_its_last_line_says_how_a_process_ended(said: list[object], how: str) -> None:
    assert stream(*said).how == how


def test_an_answer_in_several_lines_is_counted_once() -> None:
    seen = stream(answer("a", input_tokens=3, cache_read_input_tokens=10), answer("a", input_tokens=3), INIT)
    assert seen.tokens == 3
    assert stream(answer("a", input_tokens=3), answer("b", output_tokens=4)).tokens == 7


def test_the_last_line_counts_exactly_and_names_the_cost() -> None:
    used = {"m": {"inputTokens": 6, "outputTokens": 40, "cacheReadInputTokens": 800, "webSearchRequests": 1}}
    seen = stream(answer("a", input_tokens=3), {**OVER, "modelUsage": used, "total_cost_usd": 0.5})
    assert (seen.models, seen.cost) == ({"m": Tokens(1, 6, 40, 800)}, 0.5)
    assert (stream(INIT).models, stream(INIT).cost) == ({}, None)


@pytest.mark.parametrize(("block", "line"), [
    ({"type": "text", "text": "I read\nthe plan"}, "I read the plan"),
    ({"type": "tool_use", "name": "Bash", "input": {"command": "ls -l\npwd"}}, "Bash: ls -l"),
    ({"type": "tool_use", "name": "Task", "input": {}}, "Task"),
    ({"type": "text", "text": "\x1b[2J\u202egone"}, "[U+001B][2J[U+202E]gone"),
])  # fmt: skip
def test_the_last_words_are_one_line_without_hidden_characters(block: dict[str, Any], line: str) -> None:
    assert stream(answer("a", block)).line == line


def test_the_calls_that_were_refused_are_named() -> None:
    denied = [{"tool_name": "Bash", "tool_input": {"command": "npm test"}}, "?"]
    assert stream({**OVER, "permission_denials": denied}).refused == ["Bash: npm test"]
    assert stream(OVER).refused == []


def test_a_line_of_the_clients_module_counts_as_the_last_words() -> None:
    log = {"type": "system", "subtype": "ui_log", "text": "6 new, 3 or more"}
    assert stream(log).line == stream(log, INIT).line == "6 new, 3 or more"
