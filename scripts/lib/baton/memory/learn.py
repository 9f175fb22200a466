"""What the user accepted, put into the texts of memory: confirmed, replaced or added, each once."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from baton.artifacts.memory_entries import MemoryEntry
from baton.memory.lines import add_line, replace_line, story_line
from baton.memory.matches import MemoryLine, covers, find_matches
from baton.memory.place import MemoryPlace, begin_file, with_index
from baton.text import clip

QUOTED = 160


class Accepted(NamedTuple):
    """An entry as it was accepted: the text that is to be written, and on which day."""

    entry: MemoryEntry
    text: str
    day: str


class Learned(NamedTuple):
    """What became of an entry: `confirmed`, `replaced` or `added`, where, and what stood there before."""

    how: str
    where: str
    text: str
    before: str = ""


def learn(
    place: MemoryPlace, files: Mapping[str, str], accepted: Sequence[Accepted], story_id: str
) -> tuple[dict[str, str], list[Learned]]:
    """Return the texts of memory that change, and what became of each entry."""
    now, came = dict(files), list[Learned]()
    for one in accepted:
        came.append(_learn(place, now, one, story_id))
    return {path: text for path, text in now.items() if text != files.get(path)}, came


def _learn(place: MemoryPlace, now: dict[str, str], one: Accepted, story_id: str) -> Learned:
    held = find_matches(one.entry, now, but=f"(story {story_id})")
    kind, line = one.entry.kind, story_line(one.text, story_id)
    if kind == "confirmed" and held and one.text == one.entry.text:
        return Learned("confirmed", held[0].place, held[0].text.strip())
    if found := with_replaced(place, now, one.entry, held, line):
        now[held[0].path] = found
        return Learned("replaced", held[0].place, line, held[0].text.strip())
    if kind == "contradicted" and held:
        line = story_line(f"{one.text} {_against(held)}", story_id)
    path = place.home_of(one.entry.category, story_id)
    before = now.get(path) or begin_file(place, path, story_id, one.day)
    now[path] = add_line(before, line, path)
    now.update(with_index(place, now, path, story_id, one.day))
    return Learned("added", path, line)


def with_replaced(
    place: MemoryPlace, texts: Mapping[str, str], entry: MemoryEntry, held: Sequence[MemoryLine], line: str = "x"
) -> str | None:
    """Return the file with a line in place of the one an entry contradicts, if it says most of it; or None."""
    if entry.kind != "contradicted" or len(held) != 1 or not place.may_replace(held[0].path):
        return None
    return replace_line(texts[held[0].path], held[0].line, line) if covers(entry, held[0].text) else None


def _against(held: Sequence[MemoryLine]) -> str:
    """Say which lines of memory no longer hold, by what they say: their numbers change."""
    return "; ".join(f"(contradicts {one.path}: “{clip(one.text.strip(), QUOTED)}”)" for one in held)
