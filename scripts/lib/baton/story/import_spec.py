"""An existing spec becomes a story: in place where stories live, as a copy from anywhere else."""

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from baton.artifacts.criteria import criteria_lines
from baton.artifacts.demanded import is_own_form
from baton.artifacts.document import read_document
from baton.artifacts.front_matter import YamlFault, load_yaml, split_front_matter
from baton.artifacts.story_file import check_story, find_title, read_story, source_name
from baton.errors import BatonError
from baton.journal.journal import Journal
from baton.journal.paths import ARTIFACTS, STORY_ID, Folder, Project, slug, validate_story_id
from baton.journal.state import State, fold
from baton.story.create import (
    FIX,
    NewStory,
    check_branch,
    check_free,
    create_journal,
    creation_lock,
    finding_summary,
    next_id,
    stories_folder,
    story_folder,
    write_story,
)
from baton.story.sources import find_made_from
from baton.templates.render import render
from baton.text import one_line

# What is written anew when a text becomes a story.
OWN_FIELDS = ("id", "title", "status", "source")
# What git lets no branch name hold, or no brief could: a story's branch is named after its folder.
NO_BRANCH = re.compile(r"[\x00-\x20\x7f\ud800-\udfff~^:?*\[\\]|\.\.|@\{|\.lock$|\.$")
COPY_REMEDIES = {
    "story/no-criteria": "give them by --criterion, or as a list under `## Acceptance Criteria` in the text",
    "story/front-matter": "leave out what YAML cannot hold",
}
PLACE_REMEDIES = {
    "story/no-criteria": "write them there as a list under `## Acceptance Criteria`",
    "story/id-missing": "begin the file with the lines `---`, `id: {id}`, `title: …`, `---`",
    "story/title-missing": "add a line `title: …` between the two lines `---` it begins with",
}


def adopt_file(project: Project, path: Path, wanted: NewStory, reads: bool = False) -> Folder:
    """Make a story of a spec, a file or a folder with a story.md: in place if it is where stories are.

    `reads` as for `adopt_text`.
    """
    file = _spec_file(project, path)
    relative = _story_folder(project, file)
    owner = find_owner(project, relative)
    name = Path(relative).name
    if relative and not owner and (not wanted.id or name.startswith(f"{wanted.id}_")):
        return _adopt_in_place(project, relative, _read(file), wanted)
    source = _source(project, file)
    active = owner if owner and owner.stage != "abandoned" else None
    found = active or (None if wanted.id else _copy_of(project, file))
    if found and wanted.id in (None, found.created.story):  # a repeated call would make a second one
        what = f"story {found.created.story} was made of it ({found.status})"
        raise BatonError(
            what, source, f"`baton next {found.created.story}` goes on with it; another takes an --id"
        )
    own = owner and project.copy_of(relative, owner.created.story).artifact("story")
    text = _read(own if own and not os.path.lexists(file) else file)
    return adopt_text(project, text, source, wanted, own_id=not owner, reads=reads)


def adopt_text(
    project: Project, text: str, source: str | dict[str, object], wanted: NewStory, own_id: bool = True,
    reads: bool = False,
) -> Folder:  # fmt: skip
    """Make a story of a spec's text: its front matter and criteria are kept, and completed by what is given.

    `reads`: of one that is not in own form, the criteria are read by its planner, and confirmed by the user.
    """
    where = source_name(source)
    fields, body = _parts(text, where)
    named_by = Path(where).stem if reads and where != "stdin" else ""
    title = one_line(wanted.title or str(fields.get("title") or "") or find_title(body) or named_by)
    if not title:
        remedy = "begin the text with a line `# Title`; or give one: `baton story new TITLE --from …`"
        raise BatonError("no title", where, remedy)
    if wanted.criteria and criteria_lines(body) is not None:
        raise BatonError(
            "criteria given twice", where, "keep those of the text, as a list, or those of --criterion"
        )
    kept = {name: value for name, value in fields.items() if name not in (*OWN_FIELDS, "sources")}
    given = {"complexity": wanted.complexity, "language": wanted.language, "depends_on": list(wanted.depends_on)}
    with creation_lock(project):
        named = wanted.id or (str(fields.get("id") or "") if own_id else "")
        chosen = validate_story_id(named) if named else next_id(project)
        kept |= {name: value for name, value in given.items() if value not in (None, "", [])}
        more = dict[str, bytes]()
        if reads and not wanted.criteria and not is_own_form(body):
            place = f"{story_folder(project, chosen, title)}/{ARTIFACTS['source']}"
            more = {ARTIFACTS["source"]: f"{body.strip()}\n".encode(errors="surrogateescape")}
            kept["sources"], body = [place], f"What is wanted is in `{place}`, word for word."
        text = render(
            "adopted-story.md.j2",
            id=chosen,
            title=title,
            source=source,
            fields=kept,
            body=body.strip(),
            criteria=[one_line(one) for one in wanted.criteria],
        )
        return write_story(project, chosen, title, text, where, COPY_REMEDIES, more)


def _parts(text: str, source: str) -> tuple[dict[str, Any], str]:
    if not text.strip():
        remedy = "write what is wanted: `# Title`, and a list under `## Acceptance Criteria`"
        raise BatonError("nothing in it", source, remedy)
    try:
        head, body = split_front_matter(text)
        fields = load_yaml(head) or {}
    except YamlFault as fault:
        raise BatonError(f"unreadable front matter ({fault})", source, FIX) from fault
    if not isinstance(fields, dict):
        raise BatonError("front matter that is no mapping", source, FIX)
    return fields, body


# Where a spec is


def _spec_file(project: Project, path: Path) -> Path:
    """Return the file a path means: for a folder, and for a story's that is on its branch alone, its story.md."""
    if os.path.isdir(path):
        if not os.path.lexists(path / "story.md") and not _story_folder(project, path / "story.md"):
            raise BatonError("no story.md in this folder", str(path), "give the path of the spec itself")
        return path / "story.md"
    if not os.path.lexists(path) and _story_folder(project, path / "story.md"):
        return path / "story.md"
    return path


def _story_folder(project: Project, file: Path) -> str:
    """Return the folder, from the root, of the story whose story.md this is by its place; nothing for others."""
    folder = Path(os.path.realpath(file.parent))
    root = Path(os.path.realpath(project.root))
    prefix, mark, _ = folder.name.partition("_")
    here = folder.parent == Path(os.path.realpath(stories_folder(project))) and folder.is_relative_to(root)
    is_one = file.name == "story.md" and here and mark and STORY_ID.match(prefix)
    return folder.relative_to(root).as_posix() if is_one else ""


def _read(file: Path) -> str:
    if not os.path.lexists(file):
        remedy = "give the path of a spec; the words of a new story come on stdin: `baton story new --from -`"
        raise BatonError("no such file", str(file), remedy)
    return read_document(file)


def _source(project: Project, file: Path) -> str:
    """Name a spec in a file that others will read: by its path from the root; one from elsewhere by its name."""
    real = Path(os.path.realpath(file))
    root = Path(os.path.realpath(project.root))
    name = real.relative_to(root).as_posix() if real.is_relative_to(root) else file.name
    return name.encode(errors="surrogateescape").decode(errors="replace")


# Whose it is


def find_owner(project: Project, relative: str) -> State | None:
    """Return the story whose folder this is by its journal; None when no journal says so."""
    parts = Path(relative).name.split("_")
    for count in range(1, len(parts)):
        story_id = "_".join(parts[:count])
        records = Journal(project.journal(story_id)).records if STORY_ID.match(story_id) else []
        state = fold(records) if records else None
        if state and state.created.folder == relative:
            return state
    return None


def story_made_of(project: Project, path: Path) -> str:
    """Return the id of the story that a spec is, or was made into; empty for none, and for an abandoned one."""
    file = _spec_file(project, path)
    found = find_owner(project, _story_folder(project, file)) or _copy_of(project, file)
    return found.created.story if found and found.stage != "abandoned" else ""


def _copy_of(project: Project, file: Path) -> State | None:
    """Return the story that was made of a file of this repository, unless it was abandoned."""
    source = _source(project, file)
    inside = os.path.realpath(project.root / source) == os.path.realpath(file)
    return find_made_from(project, source) if inside else None


def find_spec_problem(relative: str, text: str) -> tuple[str, str]:
    """Say what keeps a spec from being a story in its place, and how to fix it; two empty strings for nothing."""
    name = Path(relative).name
    if findings := check_story(text, relative):
        what = "; ".join(map(finding_summary, findings))
        return what, PLACE_REMEDIES.get(findings[0].rule, FIX).format(id=name.partition("_")[0])
    story = read_story(text)
    validate_story_id(story.id)
    if not one_line(story.title):
        return "a `title:` without a character to show", FIX
    if not name.startswith(f"{story.id}_"):
        return f"its `id:` is {story.id}, its folder is {name}", f"name the folder {story.id}_{slug(story.title)}"
    if story.status == "complete":
        return f"story {story.id} is complete by its `status:`", "to do it again, copy it: add --id ID"
    if NO_BRANCH.search(name):
        return f"no branch can be named after the folder {name}", f"name the folder {story.id}_{slug(story.title)}"
    return "", ""


def _adopt_in_place(project: Project, relative: str, text: str, wanted: NewStory) -> Folder:
    """Begin a story whose file is in its place; the file stays as it is."""
    where = f"{relative}/story.md"
    if wanted._replace(id=None) != NewStory():
        remedy = f"change the file, and call `baton story new --from {shlex.quote(where)}`"
        raise BatonError("more is given than the file, which stays as it is", where, remedy)
    what, remedy = find_spec_problem(relative, text)
    if what:
        raise BatonError(what, where, remedy)
    story = read_story(text)
    with creation_lock(project):
        check_free(project, story.id, relative)
        folder = Folder(project.root, relative, story.id)
        check_branch(project, folder)
        files = {one.relative_to(folder.path).as_posix(): one.read_bytes() for one in _plain_files(folder.path)}
        create_journal(project, folder, one_line(story.title), files)
    return folder


def adopt_branch(project: Project, folder: Folder, branch: str, files: Mapping[str, bytes]) -> None:
    """Begin a story whose branch is there, from its files as the branch has them."""
    text = files["story.md"].decode(errors="surrogateescape")
    what, remedy = find_spec_problem(folder.relative, text)
    if what:
        raise BatonError(what, f"{folder.relative}/story.md on {branch}", remedy)
    with creation_lock(project):
        create_journal(project, folder, one_line(read_story(text).title), files, branch)


def _plain_files(folder: Path) -> list[Path]:
    return [one for one in sorted(folder.rglob("*")) if one.is_file() and not one.is_symlink()]
