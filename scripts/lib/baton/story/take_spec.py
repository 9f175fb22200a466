"""A story of another tool becomes one of baton's: beside it, and nothing of it is moved or written."""

from collections.abc import Mapping, Sequence
from shlex import quote

from baton.artifacts.criteria import read_criteria
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.paths import Folder, Project, slug, validate_story_id
from baton.layouts.list_specs import spec_reader
from baton.layouts.look_at_specs import Spec, section_texts
from baton.layouts.read_phases import as_written, closed_text, sections_of
from baton.project.settings import read_settings
from baton.story.create import NewStory, creation_lock, write_story
from baton.templates.render import render
from baton.text import one_line

# In the order in which a run reads them: what the run before left first.
ORDER = ("handoff", "summary", "report", "plan", "story", "criteria", "design", "research")
MOST_INPUTS = 40
CLARIFY = "write it there, or give each criterion by --criterion"


def take_spec(project: Project, spec: Spec, wanted: NewStory, write_back: bool = False) -> Folder:
    """Make a story of another tool's; a BatonError where it is over there, or without criteria."""
    found, kept = spec.found, tuple(map(one_line, wanted.criteria)) or spec.criteria
    title = one_line(wanted.title) or spec.title
    if spec.fault:
        raise spec.fault
    if found.is_over and not wanted.id:
        remedy = f"to do it again: `baton story new --from {quote(found.home)} --id ID`"
        raise BatonError(f"story {found.id} is {found.entry.status}", found.entry.file or found.home, remedy)
    if not wanted.criteria and spec.missing:
        raise BatonError(f"no {spec.missing[0]}", found.home, CLARIFY)
    if write_back and not any(one.write for one in found.layout.indexes):
        where = f"the layout {found.layout.name}"
        raise BatonError("no file with states to write back to", where, "leave --write-back out")
    chosen = validate_story_id(wanted.id or found.id)
    places, copies = _inputs(project, spec, f"{chosen}_{slug(title)}")
    own = read_criteria(spec.text)
    words = spec.text if own in ([], list(kept)) else ""
    text = render(
        "adopted-story.md.j2",
        id=chosen, title=title, source=found.home, body=_body(words, list(places.values())),
        fields=_fields(project, spec, wanted, chosen, places, write_back), criteria=[] if words and own else kept,
    )  # fmt: skip
    files = {**copies, **_plan_file(project, spec, chosen)}
    with creation_lock(project):
        return write_story(project, chosen, title, text, found.home, {}, files, found.home)


def _fields(
    project: Project, spec: Spec, wanted: NewStory, chosen: str, places: Mapping[str, str], write_back: bool
) -> dict[str, object]:
    """Return what the front matter says beside id, title and source; nothing that says nothing."""
    found, inputs = spec.found, list(places.values())
    fields = {
        "complexity": wanted.complexity,
        "language": wanted.language,
        "depends_on": [*wanted.depends_on, *(one for one in found.entry.depends_on if project.has_story(one))],
        "layout": found.layout.name,
        "their_id": "" if found.id == chosen else found.id,
        "inputs": inputs,
        "criteria_in": [places[one] for one in spec.criteria_in if one in places],
        "handoff": inputs[0] if found.newest("handoff") else "",
        "write_back": write_back,
    }
    return {name: value for name, value in fields.items() if value or (value == 0 and name == "complexity")}


def _body(words: str, inputs: Sequence[str]) -> str:
    listed = "".join(f"- `{one}`\n" for one in inputs)
    told = f"## Taken from\n\nAnother tool's documents, to be read and never changed:\n\n{listed}"
    return f"{closed_text(words)}\n\n{told if inputs else ''}".strip()


def _inputs(project: Project, spec: Spec, folder: str) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the path a run finds each document by, and a copy of each that base has not as it is here."""
    git = Git(project)
    base, config = read_settings(git, "")
    named = [one for kind in ORDER for one in spec.found.documents.get(kind, ())]
    named += [one for kind, paths in spec.found.documents.items() if kind not in ORDER for one in paths]
    places, copies = dict[str, str](), dict[str, bytes]()
    for name in list(dict.fromkeys(named))[:MOST_INPUTS]:
        data = (project.root / name).read_bytes()
        is_there = git.blob(base, name) == data
        copies |= {} if is_there else {f"before/{name}": data}
        places[name] = name if is_there else f"{config.dir}/{folder}/before/{name}"
    return places, copies


def _plan_file(project: Project, spec: Spec, story_id: str) -> dict[str, bytes]:
    """Return the plan with its phases as they are held to be; none where the spec has no phases."""
    if not spec.phases:
        return {}
    path = spec.found.newest("plan")
    values = {"title": spec.title, "path": path, "notes": spec.notes, "phases": spec.phases}
    sections = sections_of(section_texts(spec_reader(project), spec), path)
    plan = render("taken-plan.md.j2", **values, sections=sections, whole=True)
    if not as_written(plan, spec.phases):  # its text holds what reads as a phase
        plan = render("taken-plan.md.j2", **values, sections=sections_of({}, path), whole=False)
    return {f"{story_id}.execution-plan.md": plan.encode(errors="surrogateescape")}
