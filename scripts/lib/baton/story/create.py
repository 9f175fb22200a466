"""A new story: its folder, its file, its journal."""

import os
import secrets
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.criteria import criteria_lines
from baton.artifacts.document import read_document
from baton.artifacts.findings import Finding
from baton.artifacts.front_matter import YamlFault
from baton.artifacts.story_file import check_story, read_story
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.objects import commit_tree, files_in, tree_of, with_files
from baton.journal.atomic_file import write_durably
from baton.journal.events import SCHEMA_VERSION, Created
from baton.journal.journal import Journal
from baton.journal.lock import hold_lock
from baton.journal.paths import ARTIFACTS, Folder, Project, slug, validate_story_id
from baton.journal.repository import ensure_repository_id, read_stories
from baton.layouts.list_specs import foreign_ids
from baton.project.settings import read_settings
from baton.sanitize import sanitized
from baton.story.dependencies import check_dependencies
from baton.story.preflight import check_story_folder, clashing_branch, find_problem, names_clash
from baton.templates.render import render
from baton.text import one_line

FIX = "fix it, then call again"
REMEDIES = {
    "story/no-criteria": "give at least one --criterion, or `## Acceptance Criteria` in the description",
    "story/front-matter": "leave out what YAML cannot hold",
}
NOTHING: Mapping[str, bytes] = {}


class NewStory(NamedTuple):
    """What the user says of a new story; of a spec, nothing need be said."""

    title: str = ""
    id: str | None = None
    complexity: int | None = None
    language: str = ""
    criteria: tuple[str, ...] = ()
    body: str = ""
    depends_on: tuple[str, ...] = ()


def create_story(project: Project, wanted: NewStory) -> Folder:
    """Write a new story from its title and criteria; returns its folder."""
    title = one_line(wanted.title)
    if not title:
        raise BatonError("no title", "`baton story new`", 'say one: `baton story new "Dark mode" --criterion …`')
    if wanted.criteria and criteria_lines(wanted.body) is not None:
        remedy = "keep those of the description or those of --criterion"
        raise BatonError("criteria given twice", "`baton story new`", remedy)
    with creation_lock(project):
        story_id = validate_story_id(wanted.id) if wanted.id else next_id(project)
        text = render(
            "story.md.j2",
            id=story_id,
            title=title,
            complexity=wanted.complexity,
            language=wanted.language,
            depends_on=wanted.depends_on,
            created=datetime.now(UTC).strftime("%Y-%m-%d"),
            body=wanted.body.strip(),
            criteria=[one_line(one) for one in wanted.criteria],
        )
        return write_story(project, story_id, title, text, "the new story", REMEDIES)


@contextmanager
def creation_lock(project: Project) -> Iterator[None]:
    """Hold the locks under which ids are given, stories begin, and their files are written."""
    with hold_lock(project.state / "new.lock", "baton story new"):
        yield


def next_id(project: Project) -> str:
    """The next number no story of this repository has."""
    here = {one.name for one in stories_folder(project).glob("*_*")}
    folders = {name.split("_")[0] for name in here | {one.rpartition("/")[2] for one in _on_base(project)}}
    known = {*project.story_ids(), *folders, *foreign_ids(project)}
    numbers = [int(one) for one in known if one.isdecimal()]
    return str(max(numbers, default=0) + 1)


def stories_folder(project: Project) -> Path:
    """The folder that holds the stories' folders."""
    return project.root / read_settings(Git(project), "")[1].dir


def story_folder(project: Project, story_id: str, title: str) -> str:
    """Return the folder of a new story, named from the root."""
    return (stories_folder(project) / f"{story_id}_{slug(title)}").relative_to(project.root).as_posix()


def _on_base(project: Project) -> list[str]:
    """Return the folders of stories that base has, which need not be checked out, named from the root."""
    git = Git(project)
    base, config = read_settings(git, "")
    if not base:
        return []
    return git.do("ls-tree", "-d", "-z", "--name-only", base, "--", f"{config.dir}/").split("\0")[:-1]


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
        name, there = relative.rpartition("/")[2], project.root / relative
        theirs = theirs_too and git.blob(base, f"{relative}/story.md") is None
        is_its = name.casefold().startswith(f"{story_id}_".casefold()) and not theirs
        if relative != own and is_its and not there.exists():
            raise BatonError(f"{base} has {relative}", str(project.root), "give another --id")


def _may_be_of(folder: Path, story_id: str) -> bool:
    """Whether a folder is a story's: `4_2_x` may be that of story 4 or of story 4_2; an empty one is no one's."""
    if not folder.name.casefold().startswith(f"{story_id}_".casefold()) or not folder.is_dir():
        return False
    if all(one.name.startswith(".") for one in folder.iterdir()):
        return False
    try:
        found = read_story(read_document(folder / "story.md")).id
    except (BatonError, YamlFault):
        return True
    return found.casefold() in ("", story_id.casefold())


def _taken(folder: Path, relative: str, story_id: str) -> BatonError:
    if not os.path.lexists(folder / "story.md"):
        return BatonError("something else than a story is there", str(folder), "move it, or give another --id")
    remedy = f"`baton story new --from {shlex.quote(relative)}` takes it up; or give another --id"
    return BatonError(f"story {story_id} is there already", str(folder), remedy)


def check_branch(project: Project, folder: Folder) -> None:
    """Refuse a story whose branch would be that of another, as of `a` named `B c` beside `a-b` named `c`."""
    specs = stories_folder(project).glob("*_*/story.md")
    others = {one.parent.relative_to(project.root).as_posix() for one in specs}
    others |= {one.created.folder for one in read_stories(project).states}  # they may lie on another branch
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
    remedies: Mapping[str, str],
    more: Mapping[str, bytes] = NOTHING,
    own: str = "",
) -> Folder:
    """Write the file of a new story and begin it; what it lacks is an error at `where` with one of `remedies`.

    `more` are other files of its folder; `own` is another tool's folder of the same story.
    """
    check_free(project, story_id, own, theirs_too=bool(own))
    if findings := check_story(text, "story.md"):
        raise BatonError(finding_summary(findings[0]), where, remedies.get(findings[0].rule, FIX))
    relative = story_folder(project, story_id, title)
    folder = Folder(project.root, relative, story_id)
    if os.path.lexists(folder.artifact("story")):
        raise _taken(folder.path, relative, story_id)
    check_branch(project, folder)
    create_journal(project, folder, title, {"story.md": text.encode(errors="surrogateescape"), **more})
    return folder


def finding_summary(finding: Finding) -> str:
    """Say what a finding about a story says, without the advice that an error's remedy gives."""
    return finding.message.partition(": ")[0] if finding.rule == "story/no-criteria" else finding.message


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
    own = {} if config.artifacts == "local" else {f"{folder.relative}/{name}": one for name, one in files.items()}
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
