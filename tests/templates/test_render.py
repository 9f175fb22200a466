"""Templates get data as values only; what they write is read back as it was."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from baton.artifacts.strict_yaml import load_yaml
from baton.templates.render import indented, one_line, render, yaml_string

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(TEXTS)
def test_any_text_written_as_yaml_is_read_back(text: str) -> None:
    assert load_yaml(f"key: {yaml_string(text)}\n") == {"key": text}


@pytest.mark.parametrize("value", [True, None, 7, ["a", {"b": "ü"}], {"k: v": "\u2028"}])
def test_any_value_written_as_yaml_is_read_back(value: Any) -> None:
    assert load_yaml(yaml_string(value)) == value


def test_what_people_write_stays_readable() -> None:
    assert yaml_string("日本 ü \U0001f600") == '"日本 ü \U0001f600"'


def test_a_value_that_was_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("summary.md.j2", id="42")


def test_a_value_is_never_read_as_a_template() -> None:
    said = render("summary.md.j2", id="{{ 7 * 7 }}", title="{% raw %}", entries=[], closed=0, total=0)
    assert said.startswith("# Story {{ 7 * 7 }}: {% raw %}\n")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
def test_quoted_text_begins_no_line_whatever_ends_its_lines(end: str) -> None:
    assert one_line(f"a{end}## b") == "a ## b"
    assert indented(f"a{end}## b{end}- c") == "a\n  ## b\n  - c"
