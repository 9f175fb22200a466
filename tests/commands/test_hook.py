"""What the client calls: stdin is read to its end, and stdout is JSON or nothing."""

import json

import pytest

from bench import Bench, call


def test_a_hook_prints_one_json_object(planning: Bench) -> None:
    said = call("hook", "session-start", stdin=json.dumps({"cwd": str(planning.root)}))
    output = json.loads(said.out)["hookSpecificOutput"]
    assert (said.code, said.out.count("\n"), said.err) == (0, 1, "")
    assert (output["hookEventName"], set(output)) == ("SessionStart", {"hookEventName", "additionalContext"})


@pytest.mark.parametrize("data", [b"\xff\xfe{}", b"\xef\xbb\xbf"], ids=["no UTF-8", "nothing"])
def test_bytes_that_are_no_json_are_one_line(data: bytes, bench: Bench) -> None:
    said = call("hook", "user-prompt-submit", stdin=data)
    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)
