"""What could be begun of the specs that other tools keep in this repository: read where they are."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.criteria import read_criteria
from baton.artifacts.document import read_document
from baton.artifacts.front_matter import YamlFault, load_yaml, split_front_matter
from baton.artifacts.kinds import check_artifact
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.paths import Project
from baton.layouts.find_specs import FoundSpec, find_specs, find_title, name_of
from baton.layouts.headings import find_items, find_text, find_texts
from baton.layouts.layout import SpecLayout, read_layouts
from baton.layouts.read_phases import FoundPhase, hold_against_git, read_phases
from baton.project.settings import read_settings
from baton.text import one_line

UNCLEAR = "[NEEDS CLARIFICATION"
MOST_FILES = 50_000
DOUBTS = ("plan/unknown-mark", "plan/unbracketed-mark", "plan/open-fence", "plan/nested-fence")


class Spec(NamedTuple):
    """A story of another tool as baton would begin it; `missing` says what keeps it from that."""

    found: FoundSpec
    title: str
    text: str
    criteria: tuple[str, ...]
    proposed: tuple[str, ...]
    phases: tuple[FoundPhase, ...]
    notes: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def closed(self) -> int:
        return sum(one.closed for one in self.phases)

    @property
    def where(self) -> str:
        """Say at which phase it would begin."""
        if self.found.is_over:
            return f"{self.found.entry.status} there"
        if not self.phases:
            return "planning"
        first = next((at for at, one in enumerate(self.phases, 1) if not one.closed), 0)
        return f"phase {first} of {len(self.phases)}" if first else "every phase closed"


def list_specs(project: Project, path: str = "") -> list[Spec]:
    """Return the stories of every layout that is here, or below one folder; a BatonError where none is."""
    git = Git(project)
    base, config = read_settings(git, "")
    layouts = read_layouts(config.layouts)
    found = [
        one for layout in layouts for root in _roots(project, layout, path) for one in _find(project, layout, root)
    ]
    if path and not found:
        known = ", ".join(one.name for one in layouts)
        remedy = f"baton reads these layouts: {known}; another is a table under `layouts:` in .baton.yaml"
        raise BatonError("no story of another tool", path, remedy)
    names = _base_files(git, base)
    return [_look_at(project, git, base, names, one) for one in found]


def find_spec(project: Project, name: str) -> Spec | None:
    """Return the story of another tool that has this id, or whose folder or document a path is; None for none."""
    git = Git(project)
    base, config = read_settings(git, "")
    for layout in read_layouts(config.layouts):
        for root in _roots(project, layout):
            for found in _find(project, layout, root):
                if name == found.id or _is_its(found, name):
                    return _look_at(project, git, base, _base_files(git, base), found)
    return None


def _is_its(found: FoundSpec, path: str) -> bool:
    own = {one for paths in found.documents.values() for one in paths}
    return path.rstrip("/") in (found.home, found.home.rpartition("/")[2]) or path in own


def _roots(project: Project, layout: SpecLayout, path: str = "") -> list[str]:
    """Return the roots of a layout that are here: below the path that is asked for, or that path itself."""
    wanted = path.strip("/")
    roots = [one for one in layout.roots if not wanted or f"{one}/".startswith(f"{wanted}/")]
    return [one for one in roots or ([wanted] if wanted else []) if _is_folder(project.root, one)]


def _is_folder(top: Path, name: str) -> bool:
    """Whether a path is a folder that no link leads away from."""
    real = os.path.realpath(top / name)
    return os.path.isdir(real) and real == os.path.join(os.path.realpath(top), name)


def _find(project: Project, layout: SpecLayout, root: str) -> list[FoundSpec]:
    names = [one for _, one in zip(range(MOST_FILES), _files(project.root, root), strict=False)]
    return find_specs(layout, root, names, lambda name: read_document(project.root / name))


def _files(top: Path, root: str) -> Iterator[str]:
    for folder, folders, files in os.walk(top / root):
        folders.sort()
        paths = [Path(folder, one) for one in sorted(files) if one.isprintable()]
        yield from (one.relative_to(top).as_posix() for one in paths if one.is_file() and not one.is_symlink())


def _base_files(git: Git, base: str) -> list[str]:
    return git.do("ls-tree", "-r", "-z", "--name-only", base, "--").split("\0")[:-1] if base else []


def _look_at(project: Project, git: Git, base: str, names: Sequence[str], found: FoundSpec) -> Spec:
    story, plan = (_text(project, found.newest(kind)) for kind in ("story", "plan"))
    more = [_text(project, one) for one in found.documents.get("criteria", ())]
    headings = found.layout.headings
    criteria = _first_items([[story, *more], [found.entry.text], [plan]], headings.get("criteria", ()))
    unclear = [one for one in criteria if UNCLEAR in one]
    phases, notes = hold_against_git(
        read_phases(found.layout, plan),
        names,
        lambda path: bool(git.do("log", "-1", "--format=%H", base, "--", path)),
    )
    plan_path = found.newest("plan")
    if plan_path and git.blob(base, plan_path) != (project.root / plan_path).read_bytes():
        notes.append(f"{plan_path} is not committed on {base} as it is here: taken as it is here")
    notes += [
        f"{plan_path}, {one.where}: {one.message}"
        for one in check_artifact("plan", plan, plan_path)
        if one.rule in DOUBTS
    ]
    if plan_path and not phases:
        notes.append(f"{plan_path} names no phase: planning begins anew, and is told of it")
    return Spec(
        found=found,
        title=one_line(found.entry.title or _title(story) or name_of(found)),
        text=_words(found, story, criteria),
        criteria=tuple(criteria),
        proposed=tuple(find_items(plan, headings.get("proposed", ()))),
        phases=tuple(phases),
        notes=tuple(notes),
        missing=tuple([f"clarification: {one}" for one in unclear] if criteria else ["acceptance criteria"]),
    )


def _text(project: Project, path: str) -> str:
    return read_document(project.root / path) if path else ""


def _title(text: str) -> str:
    """Return a document's title: from its front matter, or its first heading."""
    try:
        head, body = split_front_matter(text)
        fields = load_yaml(head)
    except YamlFault:
        return find_title(text)
    return str(fields.get("title") or "") if isinstance(fields, dict) and fields.get("title") else find_title(body)


def _words(found: FoundSpec, story: str, criteria: Sequence[str]) -> str:
    """Return what is wanted: the whole document if baton reads its criteria alike, else its parts."""
    try:
        body = split_front_matter(story)[1]
    except YamlFault:
        body = story
    if story and read_criteria(body) == list(criteria):
        return body.strip()
    return found.entry.text or find_texts(body, found.layout.headings.get("text", ()))


def _first_items(groups: Sequence[Sequence[str]], titles: Sequence[str]) -> list[str]:
    """Return the criteria of the first texts that have any."""
    for texts in groups:
        if found := [one for text in texts for one in find_items(text, titles)]:
            return list(dict.fromkeys(map(one_line, found)))
    return []


def section_texts(project: Project, spec: Spec) -> dict[str, str]:
    """Return what the plan, or else the story, says under the headings every plan of baton has."""
    texts = [_text(project, spec.found.newest(kind)) for kind in ("plan", "story")]
    fields = ("edge_cases", "test_checkpoints", "risks")
    titles = spec.found.layout.headings
    return {
        one: next(filter(None, (find_text(text, titles.get(one, ())) for text in texts)), "") for one in fields
    }
