"""A story whose journal is not here, as in a fresh clone: begun from its file and its plan."""

from baton.artefacts.document import read_document
from baton.artefacts.front_matter import YamlFault
from baton.artefacts.kinds import is_valid
from baton.artefacts.plan import Plan, read_plan
from baton.artefacts.story_file import read_story
from baton.drive.adopt import adopt_file
from baton.drive.create import NewStory, stories_folder
from baton.errors import BatonError
from baton.story.places import Folder, Project

UNKNOWN = (
    "begun from the marks of its plan: what earlier runs counted, asked or deferred is in no journal here; "
    "`baton answer` can replan it at its next question"
)


def take_up(project: Project, story_id: str) -> None:
    """Begin the journal of a story that has none, if it has a plan beside its file."""
    places = sorted(stories_folder(project).glob(f"{story_id}_*/story.md"))
    folders = [Folder(project.root, one.parent.relative_to(project.root).as_posix(), story_id) for one in places]
    own = [one for one in folders if plan_left(one).phases and _is_of(one)]
    if len(own) == 1:
        adopt_file(project, own[0].path, NewStory("", None, None, "", (), ""))


def plan_left(folder: Folder) -> Plan:
    """Give the valid plan that lies in a story's folder; one without phases when there is none."""
    path = folder.artefact("plan")
    text = read_document(path) if path.exists() else ""
    return read_plan(text) if is_valid("plan", text) else Plan(())


def _is_of(folder: Folder) -> bool:
    try:
        return read_story(read_document(folder.artefact("story"))).id == folder.story
    except (BatonError, YamlFault):
        return False
