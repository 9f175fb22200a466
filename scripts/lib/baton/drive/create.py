"""A new story: its folder, its file, its journal."""

import re
import secrets
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from baton.artefacts.front_matter import YamlFault, load_yaml, split_front_matter
from baton.artefacts.kinds import read_document
from baton.artefacts.outline import find_section, read_sections
from baton.artefacts.story_file import CRITERIA, check_story, read_story
from baton.drive.gate import keep_work_files_out_of_git
from baton.drive.render import render
from baton.drive.settings import read_settings
from baton.errors import BatonError
from baton.outside.git import Git
from baton.story.durable import write_durably
from baton.story.events import SCHEMA_VERSION, Created
from baton.story.journal import Journal
from baton.story.lock import held
from baton.story.places import Folder, Project, checked_id, slug

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
    title = _one_line(wanted.title)
    if not title:
        raise BatonError("no title", "`baton story new`", 'say one: `baton story new "Dark mode" --criterion …`')
    if wanted.criteria and find_section(read_sections(wanted.body), *CRITERIA):
        remedy = "keep those of the description or those of --criterion"
        raise BatonError("criteria given twice", "`baton story new`", remedy)
    with held(project.state / "new.lock", "baton story new"):
        story_id = checked_id(wanted.id) if wanted.id else _next_id(project)
        text = render(
            "story.md.j2",
            id=story_id,
            title=title,
            complexity=wanted.complexity,
            language=wanted.language,
            created=datetime.now(timezone.utc).strftime("%Y-%m-%d"),
            body=wanted.body.strip(),
            criteria=[_one_line(one) for one in wanted.criteria],
        )
        return _write(project, story_id, title, text)


def _one_line(text: str) -> str:
    """Give a text without line breaks and control characters."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", text).split())


def adopt_story(project: Project, text: str, source: str, title: str, story_id: str | None) -> Folder:
    """Make a story of an existing spec: its own front matter and criteria, completed by what is given."""
    try:
        head, body = split_front_matter(text)
        fields = load_yaml(head) or {}
    except YamlFault as fault:
        raise BatonError(f"unreadable front matter ({fault})", source, "mend it, then call again") from fault
    if not isinstance(fields, dict):
        raise BatonError("front matter that is no mapping", source, "mend it, then call again")
    heading = re.search(r"(?m)^#\s+(.+?)\s*$", body)
    title = _one_line(title or str(fields.get("title") or "") or (heading[1] if heading else ""))
    if not title:
        raise BatonError("no title", source, "begin the text with a line `# Title`")
    with held(project.state / "new.lock", "baton story new"):
        named = story_id or str(fields.get("id") or "")
        chosen = checked_id(named) if named else _next_id(project)
        kept = {name: value for name, value in fields.items() if name not in ("id", "title", "status", "source")}
        text = render("adopted-story.md.j2", id=chosen, title=title, source=source, fields=kept, body=body.strip())
        return _write(project, chosen, title, text)


def _next_id(project: Project) -> str:
    """The next number no story of this repository has."""
    folders = {one.name.split("_")[0] for one in _stories(project).glob("*_*")}
    numbers = [int(one) for one in {*project.story_ids(), *folders} if one.isdecimal()]
    return str(max(numbers, default=0) + 1)


def _stories(project: Project) -> Path:
    """The folder that holds the stories' folders."""
    return project.root / read_settings(Git(project), "")[1].dir


def _is_of(folder: Path, story_id: str) -> bool:
    """Whether a story's folder is this story's: `4_2_x` may be that of story 4 or of story 4_2."""
    try:
        return read_story(read_document(folder / "story.md")).id in ("", story_id)
    except (BatonError, YamlFault):
        return True


def _write(project: Project, story_id: str, title: str, text: str) -> Folder:
    stories = _stories(project)
    taken = [folder for folder in sorted(stories.glob(f"{story_id}_*")) if _is_of(folder, story_id)]
    if taken or project.journal(story_id).exists():
        where = str(taken[0]) if taken else str(project.journal(story_id))
        raise BatonError(f"story {story_id} is there already", where, f"`baton next {story_id}`, or another --id")
    findings = check_story(text, "story.md")
    if findings:
        remedy = REMEDIES.get(findings[0].rule, "mend it, then call again")
        raise BatonError(findings[0].message, "the new story", remedy)
    relative = (stories / f"{story_id}_{slug(title)}").relative_to(project.root).as_posix()
    folder = Folder(project.root, relative, story_id)
    write_durably(folder.artefact("story"), text)
    keep_work_files_out_of_git(folder)
    Journal(project.journal(story_id)).append(
        Created(
            version=SCHEMA_VERSION,
            repository=str(project.common),
            story=story_id,
            title=title,
            folder=folder.relative,
            session=f"sess_{int(time.time())}_{secrets.token_hex(3)}",
        )
    )
    return folder
