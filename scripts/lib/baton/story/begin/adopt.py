"""Stories of what lies at a path: a story.md in its place among the stories as it is, all else as a source."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from baton.artifacts.demanded import is_own_form
from baton.artifacts.document import read_document
from baton.artifacts.kinds import is_valid
from baton.artifacts.story_file import read_story
from baton.artifacts.strict_yaml import load_yaml, split_front_matter
from baton.errors import BatonError
from baton.journal.journal import Journal
from baton.journal.paths import ARTIFACTS, STORY_ID, Folder, Project
from baton.journal.state import State, fold
from baton.story.begin.create import (
    NewStory,
    check_branch,
    check_free,
    check_spec,
    create_journal,
    creation_lock,
    stories_folder,
)
from baton.story.begin.find_source import StorySource, file_source, path_inside, source_key
from baton.story.begin.source import OF_SOURCES, find_made_from, make_story, story_with_sources
from baton.text import one_line


def adopt_path(project: Project, path: Path, wanted: NewStory, part: str = "", write_back: bool = False) -> Folder:
    """Make a story of what lies at a path; a BatonError where one was made of it, unless another id is wanted."""
    file = _story_file(project, path)
    relative = story_place(project, file)
    owner = find_owner(project, relative)
    has_its_id = not wanted.id or Path(relative).name.startswith(f"{wanted.id}_")
    if relative and os.path.lexists(file) and not owner and has_its_id:
        if wanted._replace(id=None) != NewStory() or part or write_back:
            remedy = f"change the file, and call `baton story new --from {shlex.quote(f'{relative}/story.md')}`"
            raise BatonError("more is given than the file, which stays as it is", f"{relative}/story.md", remedy)
        return adopt_in_place(project, relative)
    begun = find_begun(project, path, part)
    if begun and wanted.id in (None, begun.created.story):  # a repeated call would make a second one
        story_id = begun.created.story
        remedy = f"`baton next {story_id}` goes on with it; another takes an --id"
        where = path_inside(project, path) or str(path)
        raise BatonError(f"story {story_id} was made of it ({begun.status})", where, remedy)
    source = _abandoned_source(project, owner) if owner else file_source(project, file, part, write_back)
    return make_story(project, source, wanted)


def find_begun(project: Project, path: Path, part: str = "") -> State | None:
    """Return the story that a path (or the `part` of it in words) is, or was made into; None for none."""
    owner = find_owner(project, story_place(project, _story_file(project, path)))
    if owner and owner.stage != "abandoned":
        return owner
    names = [path_inside(project, place) for place in dict.fromkeys((_story_file(project, path), path))]
    states = (find_made_from(project, source_key(name, part)) for name in names if name)
    return next(filter(None, states), None)


def _story_file(project: Project, path: Path) -> Path:
    """Return the file that a path means: for a story's folder its story.md, which may be on its branch only."""
    file = path / "story.md"
    return file if os.path.lexists(file) or find_owner(project, story_place(project, file)) else path


def _abandoned_source(project: Project, state: State) -> StorySource:
    """Return a source for an abandoned story: its story.md, or where that has no criteria yet, its own source.

    One whose criteria were read from others' files is still a story of these: no run is to change them.
    """
    folder = project.copy_of(state.created.folder, state.created.story)
    text, place = read_document(folder.artifact("story")), f"{state.created.folder}/story.md"
    known = read_story(text)
    if known.is_confirmed and known.sources:
        fields = load_yaml(split_front_matter(text)[0])
        origin = {name: fields[name] for name in OF_SOURCES if name in fields}
        return StorySource(fields.get("source", place), text, title=known.title, origin=origin)
    if not known.sources:
        return StorySource(place, text, title=known.title)
    if folder.artifact("source").exists():
        return StorySource(place, read_document(folder.artifact("source")), title=known.title)
    return file_source(project, project.root / known.origin, known.part, known.write_back)


def story_place(project: Project, file: Path) -> str:
    """Return the story folder, from the root, in which a story.md lies; empty for any other file."""
    folder = Path(os.path.realpath(file.parent))
    root = Path(os.path.realpath(project.root))
    prefix, mark, _ = folder.name.partition("_")
    in_place = folder.parent == Path(os.path.realpath(stories_folder(project))) and folder.is_relative_to(root)
    is_story = file.name == "story.md" and in_place and mark and STORY_ID.match(prefix)
    return folder.relative_to(root).as_posix() if is_story else ""


def find_owner(project: Project, relative: str) -> State | None:
    """Return the story that has this folder by its journal; None when no journal says so."""
    parts = Path(relative).name.split("_")
    for count in range(1, len(parts)):
        story_id = "_".join(parts[:count])
        records = Journal(project.journal(story_id)).records if STORY_ID.match(story_id) else []
        state = fold(records) if records else None
        if state and state.created.folder == relative:
            return state
    return None


def adopt_in_place(project: Project, relative: str) -> Folder:
    """Begin the story whose story.md is in its place, which stays as it is.

    Where that is not in baton's own form, the story's copy of it points to its text, in which the planner reads.
    """
    where = f"{relative}/{ARTIFACTS['story']}"
    text = read_document(project.root / where)
    check_spec(relative, text, where)
    story = read_story(text)
    with creation_lock(project):
        check_free(project, story.id, relative)
        folder = Folder(project.root, relative, story.id)
        check_branch(project, folder)
        paths = (path for path in sorted(folder.path.rglob("*")) if path.is_file() and not path.is_symlink())
        files = {path.relative_to(folder.path).as_posix(): path.read_bytes() for path in paths}
        plan = files.get(ARTIFACTS["plan"].format(id=story.id), b"").decode(errors="surrogateescape")
        if not (is_own_form(split_front_matter(text)[1]) or is_valid("plan", plan) or story.sources):
            files |= _files_with_source(text, f"{relative}/{ARTIFACTS['source']}")
        create_journal(project, folder, one_line(story.title), files)
    return folder


def _files_with_source(text: str, place: str) -> dict[str, bytes]:
    """Return, by name, a story.md that points to its former text, and the file with that text."""
    body = split_front_matter(text)[1].strip()
    texts = {ARTIFACTS["story"]: story_with_sources(text, [place]), ARTIFACTS["source"]: f"{body}\n"}
    return {name: content.encode(errors="surrogateescape") for name, content in texts.items()}


def adopt_branch(project: Project, folder: Folder, branch: str, files: Mapping[str, bytes]) -> None:
    """Begin a story whose branch exists, from its files on that branch."""
    text = files["story.md"].decode(errors="surrogateescape")
    check_spec(folder.relative, text, f"{folder.relative}/story.md on {branch}")
    with creation_lock(project):
        create_journal(project, folder, one_line(read_story(text).title), files, branch)
