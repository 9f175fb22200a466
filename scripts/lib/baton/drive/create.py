"""A new story: its folder, its file, its journal."""

import re
import secrets
import shlex
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from baton.artefacts.criteria import criteria_lines
from baton.artefacts.findings import Finding
from baton.artefacts.front_matter import YamlFault
from baton.artefacts.kinds import read_document
from baton.artefacts.story_file import check_story, read_story
from baton.drive.gate import keep_out_of_git
from baton.drive.render import render
from baton.drive.settings import read_settings
from baton.errors import BatonError
from baton.outside.git import Git
from baton.story.durable import write_durably
from baton.story.events import SCHEMA_VERSION, Created
from baton.story.journal import Journal
from baton.story.lock import held
from baton.story.places import Folder, Project, checked_id, slug

MEND = "mend it, then call again"
REMEDIES = {
    "story/no-criteria": "give at least one --criterion, or `## Acceptance Criteria` in the description",
    "story/front-matter": "leave out what YAML cannot hold",
}


class NewStory(NamedTuple):
    """What a person says of a new story."""

    title: str
    id: str | None
    complexity: int | None
    language: str
    criteria: tuple[str, ...]
    body: str


def create_story(project: Project, wanted: NewStory) -> Folder:
    """Write a new story from its title and criteria; gives its folder."""
    title = one_line(wanted.title)
    if not title:
        raise BatonError("no title", "`baton story new`", 'say one: `baton story new "Dark mode" --criterion …`')
    if wanted.criteria and criteria_lines(wanted.body) is not None:
        remedy = "keep those of the description or those of --criterion"
        raise BatonError("criteria given twice", "`baton story new`", remedy)
    with creating(project):
        story_id = checked_id(wanted.id) if wanted.id else next_id(project)
        text = render(
            "story.md.j2",
            id=story_id,
            title=title,
            complexity=wanted.complexity,
            language=wanted.language,
            created=datetime.now(timezone.utc).strftime("%Y-%m-%d"),
            body=wanted.body.strip(),
            criteria=[one_line(one) for one in wanted.criteria],
        )
        return write_story(project, story_id, title, text, "the new story", REMEDIES)


def creating(project: Project) -> AbstractContextManager[None]:
    """Hold the lock under which ids are given and stories begin."""
    return held(project.state / "new.lock", "baton story new")


def one_line(text: str) -> str:
    """Give a text without line breaks and control characters."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", text).split())


def next_id(project: Project) -> str:
    """The next number no story of this repository has."""
    folders = {one.name.split("_")[0] for one in stories_folder(project).glob("*_*")}
    numbers = [int(one) for one in {*project.story_ids(), *folders} if one.isdecimal()]
    return str(max(numbers, default=0) + 1)


def stories_folder(project: Project) -> Path:
    """The folder that holds the stories' folders."""
    return project.root / read_settings(Git(project), "")[1].dir


def check_free(project: Project, story_id: str, own: str = "") -> None:
    """Refuse an id that another story has: one with a journal, or a folder but for `own`, named from the root."""
    if Journal(project.journal(story_id)).records:
        where, remedy = str(project.journal(story_id)), f"`baton next {story_id}`, or another --id"
        raise BatonError(f"story {story_id} is there already", where, remedy)
    for folder in sorted(stories_folder(project).glob(f"{story_id}_*")):
        relative = folder.relative_to(project.root).as_posix()
        if relative != own and _is_of(folder, story_id):
            remedy = f"`baton story new --from {shlex.quote(relative)}` takes it up; or give another --id"
            raise BatonError(f"story {story_id} is there already", str(folder), remedy)


def _is_of(folder: Path, story_id: str) -> bool:
    """Whether a story's folder is this story's: `4_2_x` may be that of story 4 or of story 4_2."""
    try:
        return read_story(read_document(folder / "story.md")).id in ("", story_id)
    except (BatonError, YamlFault):
        return True


def write_story(
    project: Project, story_id: str, title: str, text: str, where: str, remedies: Mapping[str, str]
) -> Folder:
    """Write the file of a new story and begin it; what it lacks is an error at `where` with one of `remedies`."""
    check_free(project, story_id)
    if findings := check_story(text, "story.md"):
        raise BatonError(lack_of(findings[0]), where, remedies.get(findings[0].rule, MEND))
    relative = (stories_folder(project) / f"{story_id}_{slug(title)}").relative_to(project.root).as_posix()
    folder = Folder(project.root, relative, story_id)
    write_durably(folder.artefact("story"), text)
    begin(project, folder, title)
    return folder


def lack_of(finding: Finding) -> str:
    """Say what a finding about a story says, without the advice that an error's remedy gives."""
    return finding.message.partition(": ")[0] if finding.rule == "story/no-criteria" else finding.message


def begin(project: Project, folder: Folder, title: str) -> None:
    """Make the journal of a story whose file is in its place: from here on it is a story."""
    keep_out_of_git(folder, read_settings(Git(project), "")[1].artefacts)
    Journal(project.journal(folder.story)).append(
        Created(
            version=SCHEMA_VERSION,
            repository=str(project.common),
            story=folder.story,
            title=title,
            folder=folder.relative,
            session=f"sess_{int(time.time())}_{secrets.token_hex(3)}",
        )
    )
