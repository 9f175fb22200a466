"""What the stories of a repository were made of: a file, an issue, a spec of another tool."""

from pathlib import Path

from baton.artifacts.document import read_document
from baton.artifacts.front_matter import YamlFault, load_yaml, split_front_matter
from baton.artifacts.story_file import source_name
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.paths import Project
from baton.journal.repository import read_stories
from baton.journal.state import State
from baton.project.settings import read_settings


def find_made_from(project: Project, source: str) -> State | None:
    """Return the story whose file says that it was made of a source, unless it was abandoned."""
    known = [one for one in read_stories(project).states if one.stage != "abandoned"]
    return next((one for one in known if _source_in(_own_file(project, one)) == source), None)


def read_sources(project: Project) -> dict[str, str]:
    """Return the id of each story that was made of something, by what that was; a journal it need not have."""
    folder = project.root / read_settings(Git(project), "")[1].dir
    files = sorted(folder.glob("*_*/story.md"))
    found = {_source_in(path): path.parent.name.partition("_")[0] for path in files}
    states = [one for one in read_stories(project).states if one.stage != "abandoned"]
    found |= {_source_in(_own_file(project, one)): one.created.story for one in states}
    return {source: story_id for source, story_id in found.items() if source}


def _own_file(project: Project, state: State) -> Path:
    return project.copy_of(state.created.folder, state.created.story).artifact("story")


def _source_in(path: Path) -> str:
    """Return what a story's file says it was made of; nothing when it says nothing or cannot be read."""
    try:
        fields = load_yaml(split_front_matter(read_document(path))[0])
    except (BatonError, YamlFault):
        return ""
    return source_name(fields.get("source")) if isinstance(fields, dict) else ""
