"""A new story: its folder, its file, its journal."""

import os
import re
import secrets
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.findings import faults
from baton.artifacts.story_file import check_story, read_story
from baton.artifacts.strict_yaml import YamlFault
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import folders_in
from baton.git.objects import commit_tree, files_in, tree_of, with_files
from baton.journal.atomic_file import write_durably
from baton.journal.events import SCHEMA_VERSION, Created
from baton.journal.journal import Journal
from baton.journal.lock import hold_lock
from baton.journal.paths import ARTIFACTS, Folder, Project, slug, validate_story_id
from baton.journal.repository import ensure_repository_id, read_stories
from baton.project.settings import read_settings
from baton.sanitize import sanitized
from baton.story.begin.dependencies import check_dependencies
from baton.story.begin.preflight import check_story_folder, clashing_branch, find_problem, names_clash
from baton.text import one_line

FIX = "fix it, then call again"
# What git lets no branch name hold, or no brief could: a story's branch is named after its folder.
NO_BRANCH = re.compile(r"[\x00-\x20\x7f\ud800-\udfff~^:?*\[\\]|\.\.|@\{|\.lock$|\.$")
PLACE_REMEDIES = {
    "story/id-missing": "begin the file with the lines `---`, `id: {id}`, `title: …`, `---`",
    "story/title-missing": "add a line `title: …` between the two lines `---` it begins with",
}


class NewStory(NamedTuple):
    """The user's settings for a new story, beside its source; each may be left out."""

    title: str = ""
    id: str | None = None
    complexity: int | None = None
    language: str = ""
    criteria: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()


@contextmanager
def creation_lock(project: Project) -> Iterator[None]:
    """Hold the locks under which ids are given, stories begin, and their files are written."""
    with hold_lock(project.state / "new.lock", "baton story new"):
        yield


def next_id(project: Project) -> str:
    """Return the next number that no story of this repository has."""
    local = {path.name for path in stories_folder(project).glob("*_*")}
    folders = {name.split("_")[0] for name in local | {path.rpartition("/")[2] for path in _on_base(project)}}
    known = {*project.story_ids(), *folders}
    numbers = [int(story_id) for story_id in known if story_id.isdecimal()]
    return str(max(numbers, default=0) + 1)


def stories_folder(project: Project) -> Path:
    """Return the folder that holds the stories' folders."""
    return project.root / read_settings(Git(project), "").config.dir


def story_folder(project: Project, story_id: str, title: str) -> str:
    """Return the folder of a new story, named from the root."""
    return (stories_folder(project) / f"{story_id}_{slug(title)}").relative_to(project.root).as_posix()


def _on_base(project: Project) -> list[str]:
    """Return the folders of stories that base has, which need not be checked out, named from the root."""
    git = Git(project)
    base, config = read_settings(git, "")
    return folders_in(git, base, config.dir) if base else []


def check_free(project: Project, story_id: str, own: str = "", theirs_too: bool = False) -> None:
    """Refuse an id that another story has, in whichever case: one with a journal, or a folder but for `own`.

    `own` is named from the root. Where it is another tool's, so may be every other folder without a story.md.
    """
    git = Git(project)
    base, config = read_settings(git, "")
    what, remedy = check_story_folder(git, base, config.dir)
    if what:
        raise BatonError(what, str(project.root), remedy)
    for other in project.story_ids():
        if other.casefold() == story_id.casefold() and Journal(project.journal(other)).records:
            remedy = f"`baton next {other}`, or another --id"
            raise BatonError(f"story {other} is there already", str(project.journal(other)), remedy)
    for folder in sorted((project.root / config.dir).glob("*_*")):
        relative = folder.relative_to(project.root).as_posix()
        theirs = theirs_too and not os.path.lexists(folder / "story.md")
        if relative != own and not theirs and _may_be_of(folder, story_id):
            raise _taken(folder, relative, story_id)
    for relative in _on_base(project):
        name, place = relative.rpartition("/")[2], project.root / relative
        theirs = theirs_too and git.blob(base, f"{relative}/story.md") is None
        is_its = name.casefold().startswith(f"{story_id}_".casefold()) and not theirs
        if relative != own and is_its and not place.exists():
            raise BatonError(f"{base} has {relative}", str(project.root), "give another --id")


def _may_be_of(folder: Path, story_id: str) -> bool:
    """Whether a folder is a story's: `4_2_x` may be that of story 4 or of story 4_2; an empty one is no one's."""
    if not folder.name.casefold().startswith(f"{story_id}_".casefold()) or not folder.is_dir():
        return False
    if all(path.name.startswith(".") for path in folder.iterdir()):
        return False
    try:
        own_id = read_story(read_document(folder / "story.md")).id
    except (BatonError, YamlFault):
        return True
    return own_id.casefold() in ("", story_id.casefold())


def check_spec(relative: str, text: str, where: str) -> None:
    """Refuse a spec that cannot be a story in its place, the folder `relative`; a BatonError is at `where`."""
    what, remedy = find_spec_problem(relative, text)
    if what:
        raise BatonError(what, where, remedy)


def find_spec_problem(relative: str, text: str) -> tuple[str, str]:
    """Say what keeps a spec from being a story in its place, and how to fix it; two empty strings for nothing."""
    name = Path(relative).name
    if findings := faults(check_story(text, relative)):
        what = "; ".join(finding.message for finding in findings)
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


def _taken(folder: Path, relative: str, story_id: str) -> BatonError:
    if not os.path.lexists(folder / "story.md"):
        return BatonError("something else than a story is there", str(folder), "move it, or give another --id")
    remedy = f"`baton story new --from {shlex.quote(relative)}` takes it up; or give another --id"
    return BatonError(f"story {story_id} is there already", str(folder), remedy)


def check_branch(project: Project, folder: Folder) -> None:
    """Refuse a story whose branch would be that of another, as of `a` named `B c` beside `a-b` named `c`."""
    specs = stories_folder(project).glob("*_*/story.md")
    others = {spec.parent.relative_to(project.root).as_posix() for spec in specs}
    others |= {state.created.folder for state in read_stories(project).states}  # they may lie on another branch
    for other in sorted(others - {folder.relative}):
        if names_clash(folder.branch, Folder(project.root, other, "").branch):
            what = f"its branch would be {folder.branch}, which is that of {other}"
            raise BatonError(what, f"story {folder.story}", "give another --id, or another title")


def write_story(
    project: Project,
    story_id: str,
    title: str,
    text: str,
    where: str,
    more: Mapping[str, bytes],
    theirs: str,
) -> Folder:
    """Write the file of a new story and begin it; a fault in it is a BatonError at `where`.

    `more` are other files of its folder; `theirs` is the folder of another tool that it was made of.
    """
    check_free(project, story_id, theirs, theirs_too=bool(theirs))
    if findings := faults(check_story(text, "story.md")):
        raise BatonError(findings[0].message, where, FIX)
    relative = story_folder(project, story_id, title)
    folder = Folder(project.root, relative, story_id)
    if os.path.lexists(folder.artifact("story")):
        raise _taken(folder.path, relative, story_id)
    check_branch(project, folder)
    create_journal(project, folder, title, {"story.md": text.encode(errors="surrogateescape"), **more})
    return folder


def create_journal(
    project: Project, folder: Folder, title: str, files: Mapping[str, bytes], branch: str = ""
) -> None:
    """Make the journal of a story, its own copy of its files, and its branch; `branch` names one that is there."""
    text = files[ARTIFACTS["story"]].decode(errors="surrogateescape")
    check_dependencies(project, folder.story, read_story(text).depends_on)
    git = Git(project)
    base, config = read_settings(git, "")
    what, remedy = find_problem(git, base)
    if what:
        raise BatonError(what, str(project.root), remedy)
    start = git.commit_of(branch) if branch else git.branch_commit(base)
    if not branch and (other := clashing_branch(git, folder.branch)):
        free = shlex.quote(f"{other.replace('/', '-')}-before")
        remedy = f"rename it: `git branch --move {shlex.quote(other)} {free}`"
        what = f"the branch {other} is where story {folder.story} would make {folder.branch}"
        raise BatonError(what, str(project.root), remedy)
    if config.artifacts == "commit":  # what is committed in its folder stays there
        files = {**files_in(git, start, folder.relative), **files}
    copy = project.copy_of(folder.relative, folder.story)
    for name, data in files.items():
        write_durably(copy.path / name, data, project.common)
    own = {} if config.artifacts == "local" else {f"{folder.relative}/{name}": raw for name, raw in files.items()}
    whole = with_files(git, start, own)
    message = sanitized(f"story {folder.story}: {title}")
    tip = start if whole == tree_of(git, start) else commit_tree(git, whole, [start], message)
    Journal(project.journal(folder.story)).append(
        Created(
            version=SCHEMA_VERSION,
            repository=ensure_repository_id(project),
            story=folder.story,
            title=title,
            folder=folder.relative,
            session=f"sess_{int(time.time())}_{secrets.token_hex(3)}",
            tip=tip,
        )
    )
    # Cut short here, the first step of the story makes it.
    if not git.branch_commit(folder.branch):
        _make_branch(git, folder, tip)


def _make_branch(git: Git, folder: Folder, tip: str) -> None:
    done = git.ask("update-ref", "--no-deref", "-m", "baton", f"refs/heads/{folder.branch}", tip, "", no=(1, 128))
    if done.code != 0:
        what = f"story {folder.story} is there, and git could not make its branch {folder.branch} ({done.said})"
        raise BatonError(what, str(git.project.root), f"fix that; then `baton next {folder.story}` makes it")
