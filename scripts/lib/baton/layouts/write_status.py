"""A story's new state in the files of the tool it is from, written as that tool writes it."""

import json
import re
from collections.abc import Mapping

from baton.artifacts.outline import read_sections
from baton.layouts.find_specs import FIELD, read_index
from baton.layouts.layout import Index, SpecLayout, heading_pattern, story_id


def write_status(
    layout: SpecLayout, index: Index, path: str, text: str, known: str, values: Mapping[str, str]
) -> str:
    """Return an index with the story's state as `index.write` has it; as it is where it is over there, or unknown.

    `values` are what `{time}` and `{session}` stand for.
    """
    entry = dict(read_index(layout, index, path, text)).get(known)
    if not index.write or entry is None or entry.status in layout.over:
        return text
    fields = {name: form.format_map(values) for name, form in index.write.items()}
    if path.endswith(".json"):
        return _in_json(layout, index, text, known, fields)
    if path.endswith(".md"):
        return _in_markdown(layout, index, text, known, fields["status"])
    return _in_yaml(layout, index, text, known, fields)


def _in_json(layout: SpecLayout, index: Index, text: str, known: str, fields: Mapping[str, str]) -> str:
    """Write as `jq` does: two spaces, nothing escaped that need not be."""
    value = json.loads(text)
    names = {"status": index.fields["status"][0]}
    for row in value[index.list] if index.list else value:
        if isinstance(row, dict) and any(
            story_id(layout, str(row.get(one, ""))) == known for one in index.fields["id"]
        ):
            row.update({names.get(name, name): word for name, word in fields.items()})
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _in_yaml(layout: SpecLayout, index: Index, text: str, known: str, fields: Mapping[str, str]) -> str:
    """Replace the values of lines within the story's item; every other line stays as it is."""
    lines, inside = text.splitlines(keepends=True), False
    names = {index.fields["status"][0] if name == "status" else name: word for name, word in fields.items()}
    for at, line in enumerate(lines):
        if found := re.match(
            rf"\s*-\s+{re.escape(index.fields['id'][0])}:\s*[\"']?([\w.-]+)[\"']?\s*(?:#.*)?$", line
        ):
            inside = story_id(layout, found[1]) == known
        field = re.match(r"(\s+(\w+):[ \t]+)\S+(.*)$", line, re.S)
        if inside and field and field[2] in names:
            lines[at] = f"{field[1]}{names[field[2]]}{field[3]}"
    return "".join(lines)


def _in_markdown(layout: SpecLayout, index: Index, text: str, known: str, word: str) -> str:
    """Replace the mark in the story's own entry, and wherever a list names the story with a mark right behind."""
    lines, pattern = text.split("\n"), heading_pattern(index.entry)
    field = re.compile(FIELD.format(name=re.escape(index.fields["status"][0])), re.I)
    for section in read_sections(text):
        found = pattern.fullmatch(section.title)
        if found and story_id(layout, found["id"]) == known:
            line = next((one for one in section.body if field.fullmatch(one.text.strip())), None)
            if line:
                lines[line.number - 1] = re.sub(r"\[[^\[\]]*\]", f"[{word}]", line.text, count=1)
    listed = re.compile(rf"^(\W*0*{re.escape(known)}\W* )\[[A-Z][A-Z _]*\]")
    return "\n".join(listed.sub(rf"\g<1>[{word}]", line) for line in lines)
