"""The source of a story (a text, an issue, or files that others wrote), and the story that is made of it.

A text in baton's own form has one plain list of criteria. Of any other the planner reads them, and the user
confirms them.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from baton.artifacts.demanded import find_demanded, is_own_form
from baton.artifacts.document import read_document
from baton.artifacts.file_name import is_nameable
from baton.artifacts.story_file import OWN_FIELDS, find_title, source_name
from baton.artifacts.strict_yaml import YamlFault, load_yaml, split_front_matter
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.paths import ARTIFACTS, STORY_ID, Folder, Project, validate_story_id
from baton.journal.repository import read_stories
from baton.journal.state import State
from baton.project.settings import read_settings
from baton.secrets.scan import secrets_in
from baton.story.begin.create import FIX, NewStory, creation_lock, next_id, story_folder, write_story
from baton.story.begin.find_source import StorySource, is_generic, write_back_criterion
from baton.templates.render import render
from baton.text import one_line

OF_SOURCES = ("sources", "beside", "part", "write_back")
MOST_BYTES, MOST_BESIDE = 400_000, 12


def find_made_from(project: Project, source: str) -> State | None:
    """Return the story whose file says that it was made of a source, unless it was abandoned."""
    known = [state for state in read_stories(project).states if state.stage != "abandoned"]
    return next((state for state in known if source and _source_in(project, state) == source), None)


def make_story(project: Project, source: StorySource, wanted: NewStory) -> Folder:
    """Make a story of its source and of what is wanted beside; returns its folder."""
    fields, body = _parts(source)
    title = _title(source, wanted, fields, body)
    is_own, criteria = _is_own(source, body, wanted), list(map(one_line, wanted.criteria))
    _check_write_back(project, source)
    front = _front(source, wanted, fields, is_own)
    with creation_lock(project):
        is_theirs = source.name != "stdin" or bool(source.origin)  # with an origin, it is an abandoned story's
        story_id = _id_of(project, wanted, str(fields.get("id") or ""), is_theirs=is_theirs)
        folder, more = story_folder(project, story_id, title), dict[str, bytes]()
        if is_own:
            criteria += [write_back_criterion(source.files[0])] if source.write_back else []
            front |= source.origin
        else:
            sources, more = _kept(project, source, folder, _with_list(body, criteria))
            front |= _origin(project, source, sources)
            body, criteria = pointer_text(sources, source.part), []
        text = render(
            "adopted-story.md.j2", id=story_id, title=title, source=source.name, fields=front, body=body.strip(),
            criteria=criteria,
        )  # fmt: skip
        return write_story(project, story_id, title, text, source.where, more, source.home)


def pointer_text(sources: Sequence[str], part: str) -> str:
    """Return the body of a story.md whose criteria are still to be read."""
    listed = ", ".join(f"`{path}`" for path in sources)
    only = f"; of that only what these words name: {part}" if part else ""
    return f"What is wanted is in {listed}, word for word{only}."


def story_with_sources(text: str, sources: Sequence[str]) -> str:
    """Return a story.md without criteria, which are to be read in these texts."""
    head, body = split_front_matter(text)
    fields = {**load_yaml(head), "sources": list(sources)}
    front = {name: value for name, value in fields.items() if name not in OWN_FIELDS}
    return render(
        "adopted-story.md.j2", id=fields.get("id"), title=fields.get("title") or find_title(body), fields=front,
        source=fields.get("source") or sources[0], body=pointer_text(sources, str(fields.get("part") or "")),
        criteria=[],
    )  # fmt: skip


# What it is read as


def _parts(source: StorySource) -> tuple[Mapping[str, Any], str]:
    """Split a text into front matter and words; another's that is no YAML is words."""
    if len(source.files) < 2 and not source.text.strip():
        remedy = "write what is wanted: `# Title`, and a list under `## Acceptance Criteria`"
        raise BatonError("nothing in it", source.where, remedy)
    try:
        head, body = split_front_matter(source.text)
        fields = load_yaml(head) or {}
    except YamlFault as fault:
        if source.files:
            return {}, source.text
        raise BatonError(f"unreadable front matter ({fault})", source.where, FIX) from fault
    if isinstance(fields, dict):
        return fields, body
    if source.files:
        return {}, source.text
    raise BatonError("front matter that is not a mapping", source.where, FIX)


def _title(source: StorySource, wanted: NewStory, fields: Mapping[str, Any], body: str) -> str:
    """Return the wanted title, or the text's own; where that is generic, that of its file or folder."""
    heading = find_title(body)
    named = source.title if is_generic(heading) or source.part else ""
    title = one_line(wanted.title or str(fields.get("title") or "") or named or heading or source.title)
    if not title:
        remedy = "begin the text with a line `# Title`; or give one: `baton story new TITLE --from …`"
        raise BatonError("no title", source.where, remedy)
    return title


def _front(source: StorySource, wanted: NewStory, fields: Mapping[str, Any], is_own: bool) -> dict[str, object]:
    """Return the fields of the front matter; those of another's file that is still to be read stay there."""
    own = fields if is_own or not source.files else {}
    kept = {name: value for name, value in own.items() if name not in (*OWN_FIELDS, *OF_SOURCES)}
    given = {"complexity": wanted.complexity, "language": wanted.language, "depends_on": list(wanted.depends_on)}
    kept |= {name: value for name, value in given.items() if value not in (None, "", [])}
    return kept | ({"write_back": True} if source.write_back else {})


def _is_own(source: StorySource, body: str, wanted: NewStory) -> bool:
    """Whether the criteria hold as they stand: those given beside a text that has none, or one list of its own."""
    if source.part or len(source.files) > 1:
        return False
    return not find_demanded(body) if wanted.criteria else is_own_form(body)


def _check_write_back(project: Project, source: StorySource) -> None:
    """Refuse --write-back where no file is on base: a run could write to none."""
    git = Git(project)
    base = read_settings(git, "").base
    if source.write_back and not any(base and git.blob(base, file) is not None for file in source.files):
        what = f"--write-back, and {base or 'base'} has no file of it that an agent could be named"
        raise BatonError(what, source.where, "commit it, or leave --write-back out")


def _with_list(body: str, criteria: list[str]) -> str:
    listed = "".join(f"- {criterion}\n" for criterion in criteria)
    return f"{body.rstrip()}\n\n## Acceptance Criteria\n\n{listed}" if criteria else body


def _id_of(project: Project, wanted: NewStory, own: str, *, is_theirs: bool) -> str:
    """Return the id of a new story; one that a file names counts where it can be an id, and no story has it."""
    if wanted.id:
        return validate_story_id(wanted.id)
    if own and not (is_theirs and (not STORY_ID.match(own) or project.has_story(own))):
        return validate_story_id(own)
    return next_id(project)


# Where its words are kept


def _kept(project: Project, source: StorySource, folder: str, body: str) -> tuple[list[str], dict[str, bytes]]:
    """Return where the planner finds each text, and a copy of those that base does not have as they are."""
    if not source.files:
        return [f"{folder}/{ARTIFACTS['source']}"], {ARTIFACTS["source"]: _bytes(f"{body.strip()}\n")}
    git = Git(project)
    base = read_settings(git, "").base
    places, copies = list[str](), dict[str, bytes]()
    for name in source.files:
        data = (project.root / name).read_bytes()
        is_there = bool(base) and git.blob(base, name) == data
        places.append(name if is_there else f"{folder}/source/{name}")
        copies |= {} if is_there else {f"source/{name}": data}
        if not is_there and (secrets := secrets_in(data.decode(errors="replace"), os.environ)):
            what = f"what looks like a secret ({secrets[0].kind}), and would be copied"
            raise BatonError(what, f"{name}:{secrets[0].line}", "take it out, or name other files")
    if sum(map(len, copies.values())) > MOST_BYTES:
        what = f"more than {MOST_BYTES // 1000} KB that {base} does not have"
        raise BatonError(what, source.where, "commit them, or name fewer files")
    return places, copies


def _origin(project: Project, source: StorySource, sources: list[str]) -> dict[str, object]:
    """Return the fields of the front matter for texts that are still to be read."""
    beside = _beside(project, source) if len(source.files) == 1 else []
    fields = {"sources": sources, "beside": beside, "part": source.part}
    return {name: value for name, value in fields.items() if value}


def _beside(project: Project, source: StorySource) -> list[str]:
    """Return the files of its kind beside the one file, on base; none where they are many."""
    git, path = Git(project), Path(source.files[0])
    if not (base := read_settings(git, "").base):
        return []  # the story is refused for that
    listed = git.ask("ls-tree", "-z", "--name-only", base, "--", f"{source.home}/" if source.home != "." else "./")
    names = [name for name in listed.out.split("\0") if Path(name).suffix == path.suffix and name != str(path)]
    names = [name for name in names if is_nameable(name)]
    return names if len(names) <= MOST_BESIDE else []


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _source_in(project: Project, state: State) -> str:
    """Return the source that a story's own file names; empty when it names none or cannot be read."""
    path = project.copy_of(state.created.folder, state.created.story).artifact("story")
    try:
        fields = load_yaml(split_front_matter(read_document(path))[0])
    except (BatonError, YamlFault):
        return ""
    return source_name(fields.get("source")) if isinstance(fields, dict) else ""
