"""JSON is one value: a key stands once, numbers are numbers, text is text."""

from typing import Any

import pytest

from baton.artifacts.strict_json import DEPTH, JsonFault, load_json
from tables import named_cases


@named_cases("text, value", {
    "null": ("null", None),
    "an object": (' {"a": [1, -2.5, true, "x"]}\n', {"a": [1, -2.5, True, "x"]}),
    "one key in two objects": ('{"a": {"a": 1}, "b": {"a": 2}}', {"a": {"a": 1}, "b": {"a": 2}}),
    "brackets in a text": ('"' + "[{" * 5000 + '"', "[{" * 5000),
    "brackets and quotes in a text": ('"\\"[' + "[" * 5000 + '\\\\"', '"[' + "[" * 5000 + "\\"),
    "a whole surrogate pair": ('"\\ud83c\\udf89 \\u0000"', "🎉 \0"),
    "just deep enough": ("[" * DEPTH + "]" * DEPTH, None),
    "just short enough": ("9" * 18, 10**18 - 1),
    "just short enough below nothing": ("-" + "9" * 18, 1 - 10**18),
})  # fmt: skip
def test_one_value_is_read(text: str, value: Any) -> None:
    loaded = load_json(text)
    assert value is None or loaded == value


@pytest.mark.parametrize(("text", "fault"), [
    ("", "line 1, column 1: Expecting value"),
    ("{", "Expecting property name"),
    ("{} {}", "line 1, column 4: Extra data"),
    ("{}\nx", "line 2, column 1: Extra data"),
    ("{'a': 1}", "Expecting property name"),
    ('{"a": 1,}', ""),
    ('{"a": 1, "a": 1}', "`a` stands twice"),
    ('[{"a": {"b": 1, "b": 2}}]', "`b` stands twice"),
    ("NaN", "`NaN` is not a JSON number"),
    ("[Infinity]", "`Infinity` is not a JSON number"),
    ("[-Infinity]", "`-Infinity` is not a JSON number"),
    ("[1e999]", "`1e999` is too large a number"),
    ("[-1e999]", "`-1e999` is too large a number"),
    ("1" * 5000, "a number of 5000 digits"),
    ("-" + "1" * 19, "a number of 19 digits"),
    ('"\\ud83c"', "half of a surrogate pair"),
    ('{"\\udf89": 1}', "half of a surrogate pair"),
    ('"a\nb"', "Invalid control character"),
    ("[" * (DEPTH + 1) + "]" * (DEPTH + 1), "nested deeper than 64 levels"),
    ("[" * 100_000, "nested deeper than 64 levels"),
    ('{"a":' * 100_000, "nested deeper than 64 levels"),
    ('["' + "]" * 100_000 + '", ' + "[" * 100_000, "nested deeper than 64 levels"),
    ('["\\"' + "]" * 100_000 + '", ' + "[" * 100_000, "nested deeper than 64 levels"),
    ("]" * 100_000 + "[" * 100_000, "Expecting value"),
    ('"' * 100_001, "Extra data"),
    ('\\"' * 100_000, "Expecting value"),
    ('"' + '\\"' * 100_000, "Unterminated string"),
], ids=lambda value: value[:30] if isinstance(value, str) else None)  # fmt: skip
def test_anything_else_is_a_fault_in_one_line(text: str, fault: str) -> None:
    with pytest.raises(JsonFault) as caught:
        load_json(text)
    assert fault in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
