"""A story's new state in the files of the tool it is from: its own values change, every other character stays."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from baton.artifacts.front_matter import Member, find_members
from baton.artifacts.outline import read_outline, read_sections
from baton.errors import BatonError
from baton.layouts.find_specs import FIELD, IndexEntry, read_index
from baton.layouts.layout import Index, SpecLayout, heading_pattern, story_id

DECODER = json.JSONDecoder()
BLANKS = re.compile(r"[ \t\r\n]*")
# What YAML reads as text without quotes.
BARE = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z][\w-]*|\d{4}-\d\d-\d\dT[\d:]+Z", re.I)
# The marks a status may have, as `[PLANNED]` but no link, the surest first.
MARKS = (
    re.compile(r"\A(?P<mark>\[[A-Za-z][A-Za-z _-]*\])(?![\[(])"),
    re.compile(r".*(?P<mark>\[[A-Z][A-Z _-]*\])(?![\[(])"),
    re.compile(r"\A(?P<word>[A-Za-z][\w-]*(?: [A-Za-z][\w-]*)*)"),
)


def write_status(
    layout: SpecLayout, index: Index, path: str, text: str, known: str, values: Mapping[str, str]
) -> str:
    """Return an index with the story's state as `index.write` has it; as it is where that cannot be done surely.

    So it stays where the story is unknown, listed twice or over. `values` are what `{time}` and `{session}` say.
    """
    fields = {name: form.format_map(values) for name, form in index.write.items()}
    try:
        before = states_in(layout, index, path, text)
        own = [entry for one, entry in before if one == known]
        if not fields or len(own) != 1 or own[0].status in layout.over:
            return text
        changed = (_in_markdown if index.entry else _in_mapping)(layout, index, path, text, known, fields)
        after = states_in(layout, index, path, changed)
    except (BatonError, RecursionError):
        return text
    return changed if _without_state(after, known) == _without_state(before, known) else text


def states_in(layout: SpecLayout, index: Index, path: str, text: str) -> list[tuple[str, IndexEntry]]:
    """Return the stories a file lists, whatever its lines end with; a BatonError for one that cannot be read."""
    return list(read_index(layout, index, path, text.replace("\r\n", "\n")))


def _without_state(entries: list[tuple[str, IndexEntry]], known: str) -> list[tuple[str, IndexEntry]]:
    return [(one, entry._replace(status="") if one == known else entry) for one, entry in entries]


def _in_mapping(
    layout: SpecLayout, index: Index, path: str, text: str, known: str, fields: Mapping[str, str]
) -> str:
    """Replace the story's values, and add those that it has not; a value of several lines stays, and so all."""
    is_json = path.endswith(".json")
    rows = list(_json_rows(text, index.list) if is_json else find_members(text, index.list))
    row = next((one for one in rows if _id_of(layout, index, one) == known), [])
    members, names = {one.name: one for one in row}, index.fields["status"]
    status = next((one for one in names if one in members and members[one].value), "")
    status = status or next((one for one in names if one in members), names[0])
    wanted = {status if name == "status" else name: word for name, word in fields.items()}
    there = [members[name] for name in wanted if name in members]
    is_written = status in members and members[status].value == fields["status"]
    if is_written or not row or not all(_is_short(text, one) for one in there):
        return text
    new = [(_form(name, is_json), _form(word, is_json)) for name, word in wanted.items() if name not in members]
    edits = [(one.value_start, one.value_end, _value(text, one, wanted[one.name], is_json)) for one in there]
    for start, end, word in sorted([*edits, _added(text, row, new)], reverse=True):
        text = text[:start] + word + text[end:]
    return text


def _id_of(layout: SpecLayout, index: Index, row: list[Member]) -> str:
    values = {one.name: one.value for one in row}
    return story_id(layout, next(filter(None, map(values.get, index.fields.get("id", ()))), ""))


def _is_short(text: str, member: Member) -> bool:
    return member.value is not None and "\n" not in text[member.value_start : member.value_end]


def _form(word: str, is_json: bool) -> str:
    return word if not is_json and BARE.fullmatch(word) else json.dumps(word, ensure_ascii=False)


def _value(text: str, member: Member, word: str, is_json: bool) -> str:
    """Return what stands for a value: behind a bare `status:` there is no blank yet."""
    return f"{' ' * (text[member.value_start - 1] == ':' and not is_json)}{_form(word, is_json)}"


def _added(text: str, row: list[Member], new: list[tuple[str, str]]) -> tuple[int, int, str]:
    """Return where members are put in, spaced as the last one is: behind it, or below the line of the first."""
    first = next(one for one in row if one.value and _is_short(text, one))
    last = row[-1]
    if first.column >= 0:
        end = text.find("\n", first.value_end)
        end = len(text) if end < 0 else end - (text[end - 1] == "\r")
        line = "\r\n" if "\r\n" in text else "\n"
        return end, end, "".join(f"{line}{' ' * first.column}{name}: {word}" for name, word in new)
    before = re.search(r"\s*\Z", text[: last.start])
    colon = re.search(r"\s*:\s*\Z", text[last.start : last.value_start])
    blank, between = before[0] if before else "", colon[0] if colon else ": "
    return last.value_end, last.value_end, "".join(f",{blank}{name}{between}{word}" for name, word in new)


def _json_rows(text: str, key: str) -> Iterator[list[Member]]:
    """Return the members of each object in the list below a key, or in the list that the JSON is."""
    at = _skip(text, 0)
    if text[at : at + 1] == "{":
        at = next((one.value_start for one in reversed(list(_members(text, at))) if one.name == key), len(text))
    while text[at : at + 1] in ("[", ","):
        at = _skip(text, at + 1)
        if text[at : at + 1] == "{":
            yield list(_members(text, at))
        at = _skip(text, DECODER.raw_decode(text, at)[1]) if text[at : at + 1] != "]" else at


def _members(text: str, at: int) -> Iterator[Member]:
    """Read the members of the JSON object that begins here."""
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        name, end = DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, end) + 1)
        value, end = DECODER.raw_decode(text, start)
        yield Member(name, _plain(value), at, start, end)
        at = _skip(text, _skip(text, end) + 1)


def _plain(value: Any) -> str | None:
    return None if isinstance(value, (list, dict)) else "" if value is None else str(value)


def _skip(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at


def _in_markdown(
    layout: SpecLayout, index: Index, path: str, text: str, known: str, fields: Mapping[str, str]
) -> str:
    """Replace the mark in the story's own entry, and wherever a list names the story with a mark right behind."""
    lines, word, pattern = text.split("\n"), fields["status"], heading_pattern(index.entry)
    listed = re.compile(rf"^(\W*0*{re.escape(known)}\W* )\[[A-Z][A-Z _]*\]")
    outline = read_outline(text.replace("\r\n", "\n"))
    for line in (one for one in outline if not one.fenced):
        lines[line.number - 1] = listed.sub(lambda found: f"{found[1]}[{word}]", lines[line.number - 1])
    for section in read_sections(text.replace("\r\n", "\n")):
        found = pattern.fullmatch(section.title)
        if found and story_id(layout, found["id"]) == known:
            numbers = [one.number - 1 for one in section.body if not one.fenced]
            at, start = next(_places(index, lines, numbers), (0, len(lines[0])))
            lines[at] = lines[at][:start] + _marked(lines[at][start:], word)
    return "\n".join(lines)


def _places(index: Index, lines: list[str], numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Return the lines that say a story's state, and where in them, the first name's before the next one's."""
    for name in index.fields["status"]:
        pattern = re.compile(FIELD.format(name=re.escape(name)), re.I)
        for at in numbers:
            line = lines[at].rstrip()
            if (found := pattern.fullmatch(line.strip())) and found["value"]:
                yield at, len(line) - len(found["value"])


def _marked(value: str, word: str) -> str:
    """Return a status with another mark, or another word where it has no mark."""
    for pattern in MARKS:
        if found := pattern.match(value):
            start, end = found.span(1)
            return f"{value[:start]}{word if 'word' in pattern.groupindex else f'[{word}]'}{value[end:]}"
    return value
