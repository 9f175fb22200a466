"""A resolver's brief: one file that names what to read, and repeats nothing of what was said."""

import json
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.resolver_result import KIND, WITH_PRIOR, WITHOUT_PRIOR
from baton.feedback.fetch.item import Item
from baton.feedback.plan.cluster_brief import ClusterBrief, cluster_brief
from baton.feedback.plan.round import Unit
from baton.feedback.record.record import PullRequestRecord
from baton.journal.atomic_file import write_durably
from baton.journal.paths import Project
from baton.templates.render import render
from baton.text import clip, on_one_line, quoted, visible

LONGEST_BRIEF = 6_000
LONGEST_NAME = 300
LONGEST_NOTE = 800  # where the list stands in a file of its own
LONGEST_SAID = 1_500
ONCE_MORE = """
## This unit was handed in before, and is started once more

Your tree has the changes of the others, and none of this unit's first change."""
# A long list stands in a file of its own; of its items the first ones are named in the brief.
FIRST_NAMED = 3


class BriefInput(NamedTuple):
    """A unit as its resolver is told of it; `cluster` is what the block of a cluster says."""

    unit: Unit
    record: PullRequestRecord
    cluster: ClusterBrief | None = None
    note: str = ""  # what the user said when they sent it out again


class RenderedBrief(NamedTuple):
    """A brief, and the list it points at where that would make it too long."""

    brief: str
    attachment: str = ""


def brief_path(folder: Path, unit: str) -> Path:
    """Return the place of a unit's brief."""
    return folder / "briefs" / f"{unit}.md"


def write_unit_brief(project: Project, path: Path, content: BriefInput) -> Path:
    """Write a unit's brief, and its list beside it where that is long; returns the brief's path."""
    attachment = path.with_suffix(".list")
    texts = make_brief(content, str(attachment))
    if texts.attachment:
        write_durably(attachment, texts.attachment, project.common)
    write_durably(path, texts.brief, project.common)
    return path


def make_brief(content: BriefInput, attachment: str) -> RenderedBrief:
    """Make a unit's brief, of at most 6 KB; `attachment` is where its list is to be if it is long."""
    listed, content = _list(content), content._replace(note=visible(content.note))
    whole = _rendered(content, listed, content.unit.items, "")
    if len(whole.encode()) <= LONGEST_BRIEF:
        return RenderedBrief(whole)
    full_note = f"\nWhat the user said:\n{content.note}\n" if len(content.note) > LONGEST_NOTE else ""
    content = content._replace(note=clip(content.note, LONGEST_NOTE))
    return RenderedBrief(
        _rendered(content, "", content.unit.items[:FIRST_NAMED], attachment), f"{listed}\n{full_note}"
    )


def _rendered(content: BriefInput, listed: str, items: Sequence[str], attachment: str) -> str:
    unit, pull, area = content.unit, content.record.pull, _code(content.unit.area)
    return render(
        "brief-resolver.md.j2",
        unit=unit.id,
        name=f"pr-{pull.number}",
        where=on_one_line(f"{pull.host}/{pull.repository}"),
        kind=KIND,
        is_cluster=unit.is_cluster,
        area=area if len(area) <= LONGEST_NAME else "its `<area>`",
        prior=bool(unit.prior),
        modes=WITH_PRIOR if unit.prior else WITHOUT_PRIOR,
        listed=listed,
        attachment=on_one_line(attachment),
        count=len(unit.items),
        show=_show(content.record, unit.items) if listed else "",
        show_prior=_show(content.record, unit.prior) if listed and unit.prior else "",
        skeleton=[_skeleton(content.record, name) for name in items],
        rest=len(unit.items) - len(items),
        note=content.note.splitlines(),
    )


def _list(content: BriefInput) -> str:
    """Return the items by id and place, and the block of a cluster."""
    items = {item.id: item for item in content.record.items}
    lines = [_item(items[name]) for name in content.unit.items]
    return "\n".join([*lines, *(["", cluster_brief(content.cluster)] if content.cluster else [])])


def _item(item: Item) -> str:
    line = f", {'lines' if '-' in item.lines else 'line'} {item.lines}" if item.lines else ""
    place = f"{_code(item.path)}{line}" if item.path else "the pull request as a whole"
    outdated = ", outdated: its lines have changed" if item.outdated else ""
    return f"- {on_one_line(item.id)} ({item.surface}, {item.category}{outdated}): {place}"


def _show(record: PullRequestRecord, names: Sequence[str]) -> str:
    return " ".join(["baton pr show", *map(quote, names), "--pr", record.pull.url])


def _skeleton(record: PullRequestRecord, name: str) -> dict[str, str]:
    """Return the known fields of an item's result, as YAML reads them."""
    item = next(item for item in record.items if item.id == name)
    files = json.dumps([item.path] if item.path else [])
    short = files if len(files) <= LONGEST_NAME else "[]"
    return {"id": json.dumps(name), "type": item.surface, "files": short}


def _code(text: str) -> str:
    """Return a text as inline code that it cannot leave."""
    line = on_one_line(text)
    return f"`{line}`" if "`" not in line else json.dumps(line)


def add_restart_reason(project: Project, path: Path, why: str, output: str) -> None:
    """Add to a brief why the unit is started once more; `output` is what a program wrote."""
    text = read_document(path).partition(ONCE_MORE)[0]
    shown = f"\n{quoted('what it says', output[-LONGEST_SAID:])}\n" if output else ""
    write_durably(path, f"{text}{ONCE_MORE}\n\n{visible(why)}\n{shown}", project.common)
