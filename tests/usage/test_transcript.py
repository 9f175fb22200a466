"""What a transcript says was used, whatever its lines are like."""

import json
import os
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.usage import transcript
from baton.usage.transcript import Failure, Tokens, Usage, commands_of, read_transcript, read_usage
from usage.transcripts import AGENT, answer, refusal, write

OPUS = "claude-opus-5-5"
LINES = st.builds(
    lambda request, second, model, output: answer(request, second, model=model, output_tokens=output).encode(),
    st.sampled_from("abc"), st.integers(0, 59), st.sampled_from([OPUS, "claude-haiku-5-5"]), st.integers(0, 99),
)  # fmt: skip
REFUSED = refusal("rate_limit", 429, "You've hit your session limit · resets 3pm").encode()
NOISE = st.sampled_from([b"", b'{"usage"', b'{"type": "user", "usage": 1}', b'["usage"]', REFUSED])


def usage_of(*lines: str | bytes, agent: str = AGENT, after: str = "") -> Usage:
    return read_usage([line.encode() if isinstance(line, str) else line for line in lines], agent, after)


@given(st.lists(LINES | NOISE, max_size=12).flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))))
def test_neither_order_nor_repetition_changes_anything(lines: tuple[list[bytes], list[bytes]]) -> None:
    some, other = lines
    assert usage_of(*some) == usage_of(*other) == usage_of(*some, *other)


def test_of_the_lines_of_a_request_the_largest_numbers_count() -> None:
    early = answer("r1", output_tokens=1, cache_read_input_tokens=900)
    found = usage_of(early, answer("r1", 5, output_tokens=70), answer("r2", 9))
    assert found.models == {OPUS: Tokens(2, 20, 90, 1200, 80)}
    assert found.seconds == 9


def test_without_a_request_id_the_message_id_tells_requests_apart() -> None:
    lines = [json.dumps({**json.loads(answer(name)), "requestId": None}) for name in ("a", "a", "b")]
    assert usage_of(*lines).models[OPUS].requests == 2


def test_how_long_what_is_written_to_the_cache_is_kept_is_read_where_it_is_said() -> None:
    kept = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 10}
    assert usage_of(answer("r", cache_creation=kept)).models[OPUS] == Tokens(1, 10, 20, 300, 40, 30, 10)


def test_another_agents_lines_count_for_nobody_else() -> None:
    lines = answer("a"), answer("b", agent="another"), answer("c", agent="")
    assert usage_of(*lines).models[OPUS].requests == 1
    assert usage_of(*lines, agent="").models[OPUS].requests == 1


def test_a_conversation_is_counted_from_where_it_was() -> None:
    before, now = answer("a", 1, agent=""), answer("b", 2, agent="")
    found = usage_of(before, answer("a", 3, agent=""), now, agent="", after="2026-11-24T08:20:01.349Z")
    assert (found.models[OPUS].requests, found.newest) == (1, "2026-11-24T08:20:02.349Z")


@pytest.mark.parametrize("count", [-1, True, "9", None, 1.5, [1], 10**30])
def test_what_is_no_count_is_none_and_a_huge_one_is_bounded(count: object) -> None:
    assert usage_of(answer("r", input_tokens=count)).models[OPUS].input == (10**12 if count == 10**30 else 0)


def test_a_name_that_is_no_models_is_not_repeated() -> None:
    assert list(usage_of(answer("r", model="x\n\x1b[31mPASS")).models) == ["unknown"]


@pytest.mark.parametrize("damage", [b'{"usage": {', b'"usage"\xff\xfe', b'{"usage": ' + b"[" * 100_000])
def test_a_line_that_cannot_be_read_is_counted_and_hides_no_other(damage: bytes, tmp_path: Path) -> None:
    found = read_transcript(str(write(tmp_path / "t", damage, answer("r"))), AGENT)
    assert found is not None
    assert (found.damaged, found.models[OPUS].requests) == (1, 1)


def test_lines_too_long_or_not_yet_whole_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "LONGEST_LINE", 1000)
    path = write(tmp_path / "t", answer("a"), answer("b", more="x" * 5000), answer("c"))
    path.write_bytes(path.read_bytes() + answer("d").encode()[:400])
    found = read_transcript(str(path), AGENT)
    assert found == usage_of(answer("a"), answer("c"))


@pytest.mark.parametrize("make", [
    lambda path: None, lambda path: path.mkdir(), lambda path: os.mkfifo(path),
    lambda path: path.symlink_to(path),
], ids=["missing", "a folder", "a pipe", "a circle of links"])  # fmt: skip
def test_what_is_no_file_is_unknown(make: object, tmp_path: Path) -> None:
    path = tmp_path / "t"
    make(path)  # type: ignore[operator]
    assert read_transcript(str(path), AGENT) is None
    assert read_transcript("\0", AGENT) is None


@pytest.mark.parametrize("text", [b"", b"\xff\xfe\x00" * 99, b"hello\n" * 99, b"[]\n{}\nnull\n1\n"])
def test_a_file_of_another_kind_holds_no_usage(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(text)
    assert read_transcript(str(tmp_path / "t"), AGENT) == Usage({})


def test_the_refusal_a_transcript_ends_with_is_told() -> None:
    limits = {"status": "rejected", "resetsAt": 1795512028}
    ended = usage_of(answer("a"), refusal("rate_limit", 429, "You've hit it", quotaLimits=limits))
    assert ended.failure == Failure("rate_limit", 429, 1795512028, "You've hit it")
    assert list(ended.models) == [OPUS]


def test_a_refusal_after_which_it_went_on_is_none() -> None:
    assert usage_of(refusal("overloaded", 529, "Overloaded", 3), answer("a", 4)).failure is None


def test_of_a_long_transcript_only_the_answers_are_parsed(tmp_path: Path) -> None:
    filler = json.dumps({"type": "user", "message": {"content": "x" * 14_000}})
    lines = (line for n in range(100) for line in (answer(f"r{n}"), answer(f"r{n}"), filler))
    path = write(tmp_path / "t", *lines)
    with mock.patch.object(json, "loads", wraps=json.loads) as loads:
        found = read_transcript(str(path), AGENT)
    assert found is not None
    assert (found.models[OPUS].requests, loads.call_count) == (100, 200)


def test_an_unreadable_record_is_not_one_without_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.jsonl").write_text("{}\n")
    assert commands_of(str(tmp_path / "t.jsonl")) == []

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("builtins.open", refuse)
    assert commands_of(str(tmp_path / "t.jsonl")) is None
