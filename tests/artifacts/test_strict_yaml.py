"""YAML is plain data: strings stay strings, a key stands once, nothing grows or calls."""

from typing import Any

import pytest

from baton.artifacts.strict_yaml import LENGTH, YamlFault, load_yaml, split_front_matter


@pytest.mark.parametrize(("text", "value"), [
    ("", None),
    ("# only a remark", None),
    ("a: 1", {"a": 1}),
    ("a: [1, -2, 0]", {"a": [1, -2, 0]}),
    ("a: true\nb: False", {"a": True, "b": False}),
    ("a: ~\nb:", {"a": None, "b": None}),
    ("a: yes\nb: on", {"a": "yes", "b": "on"}),
    ("a: 007\nb: 0x1F\nc: 1_000\nd: +1\ne: -0", {"a": "007", "b": "0x1F", "c": "1_000", "d": "+1", "e": "-0"}),
    ("a: 1.5\nb: -0.25", {"a": 1.5, "b": -0.25}),
    ("a: 1.50\nb: 1.10\nc: 1.", {"a": "1.50", "b": "1.10", "c": "1."}),
    ("a: 1e3\nb: .nan\nc: -.inf\nd: 1.5e+300", {"a": "1e3", "b": ".nan", "c": "-.inf", "d": "1.5e+300"}),
    ("a: " + "1" * 400 + ".5", {"a": "1" * 400 + ".5"}),
    ("a: 2026-01-02\nb: 12:30:00", {"a": "2026-01-02", "b": "12:30:00"}),
    ("a: '1'\nb: \"true\"", {"a": "1", "b": "true"}),
    ("1: x\ntrue: y", {"1": "x", "true": "y"}),
    ("<<: x", {"<<": "x"}),
    ("a: " + "1" * 30, {"a": "1" * 30}),
    ("a: |\n  b\n  c\n", {"a": "b\nc\n"}),
    ("a: \"\\ud83c\\udf89 🎉\"".replace("\\ud83c\\udf89", "\\U0001F389"), {"a": "🎉 🎉"}),
])  # fmt: skip
def test_plain_data_is_read_as_it_was_written(text: str, value: Any) -> None:
    loaded = load_yaml(text)
    assert loaded == value
    assert repr(loaded) == repr(value)


@pytest.mark.parametrize(("text", "fault"), [
    ("a: 1\nb: 2\na: 3", "line 3: `a` stands twice"),
    ("1: x\n'1': y", "line 2: `1` stands twice"),
    ("b: {a: 1, a: 2}", "line 1: `a` stands twice"),
    ("a: &x 1\nb: *x", "line 1: anchors and aliases are not read"),
    ("\na: *x", "line 2: anchors and aliases are not read"),
    ("a: &x [*x]", "line 1: anchors and aliases"),
    ("a: !!str 1", "line 1: tags are not read"),
    ("a: !!python/object/apply:os.system [id]", "line 1: tags are not read"),
    ("a: ! x", "line 1: tags are not read"),
    ("? [a]\n: b", "line 1: a key that is not plain text"),
    ("? {a: b}\n: c", "line 1: a key that is not plain text"),
    ("[" * 33, "line 1: nested too deeply"),
    ("[" * 49_000, "line 1: nested too deeply"),
    ("- " * 24_000, "line 1: nested too deeply"),
    ("a: 'b", "line 1: found unexpected end of stream"),
    ("a: b: c", "line 1: mapping values are not allowed here"),
    ("a: 1\n---\nb: 2", "but found another document"),
    ("a: \x07", "unacceptable character"),
    ("a: \ud83c", "unacceptable character"),
    ('a: "\\ud83c"', "line 1: half of a surrogate pair"),
    ('"\\ud83c": a', "line 1: half of a surrogate pair"),
    ("a" * (LENGTH + 1), "longer than 50,000 characters"),
], ids=lambda value: value[:40] if isinstance(value, str) else None)  # fmt: skip
def test_anything_else_is_a_fault_in_one_line(text: str, fault: str) -> None:
    with pytest.raises(YamlFault) as caught:
        load_yaml(text)
    assert fault in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_nested_anchors_are_refused_before_they_expand() -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    with pytest.raises(YamlFault, match="anchors"):
        load_yaml("a0: &a0 lol\n" + levels)


def test_depth_that_is_needed_is_read() -> None:
    assert load_yaml("[" * 32 + "]" * 32) is not None


@pytest.mark.parametrize(("text", "head", "rest"), [
    ("---\na: 1\n---\nb\n", "a: 1\n", "b\n"),
    ("---  \n---\nb", "", "b"),
    ("b\n---\na: 1\n---\n", "", "b\n---\na: 1\n---\n"),
    ("", "", ""),
    ("---\na: 1\n---\nb\n---\nc\n", "a: 1\n", "b\n---\nc\n"),
])  # fmt: skip
def test_front_matter_is_what_stands_between_the_first_two_marks(text: str, head: str, rest: str) -> None:
    assert split_front_matter(text) == (head, rest)


@pytest.mark.parametrize("text", ["---\na: 1\n", "---", "---\na: 1\n ---\n", "---\na: 1\n----\n"])
def test_front_matter_that_is_not_closed_is_a_fault(text: str) -> None:
    with pytest.raises(YamlFault, match="not closed"):
        split_front_matter(text)
