"""A story whose journal is not here, as in a fresh clone: begun from its branch, or from its file and its plan."""

from pathlib import Path

from baton.artifacts.document import read_document
from baton.artifacts.front_matter import YamlFault
from baton.artifacts.kinds import is_valid
from baton.artifacts.plan import Plan, read_plan
from baton.artifacts.story_file import read_story
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.objects import files_in
from baton.journal.paths import ARTIFACTS, Folder, Project
from baton.project.settings import read_settings
from baton.story.create import NewStory, stories_folder
from baton.story.import_spec import adopt_branch, adopt_file
from baton.story.session import branch_of

UNKNOWN = (
    "begun from the marks of its plan: what earlier runs counted, asked or deferred is in no journal here; "
    "`baton answer` can replan it at its next question"
)


def take_up(project: Project, story_id: str) -> None:
    """Begin the journal of a story that has none: from its branch, or from a folder in which it has a plan."""
    git = Git(project)
    if branch := branch_of(git, story_id):
        commit = git.commit_of(branch)
        stories = read_settings(git, "")[1].dir
        names = git.do("ls-tree", "-d", "-z", "--name-only", commit, "--", f"{stories}/").split("\0")
        found = [name for name in names if name.startswith(f"{stories}/{story_id}_")]
        files = files_in(git, commit, found[0]) if len(found) == 1 else {}
        if ARTIFACTS["story"] in files:
            adopt_branch(project, Folder(project.root, found[0], story_id), branch, files)
        return
    places = sorted(stories_folder(project).glob(f"{story_id}_*/story.md"))
    folders = [Folder(project.root, one.parent.relative_to(project.root).as_posix(), story_id) for one in places]
    own = [one for one in folders if plan_left(_text(one.artifact("plan"))).phases and _is_of(one)]
    if len(own) == 1:
        adopt_file(project, own[0].path, NewStory("", None, None, "", (), ""))


def plan_left(text: str) -> Plan:
    """Return the plan in a text that is a valid one; one without phases for every other."""
    return read_plan(text) if is_valid("plan", text) else Plan(())


def _text(path: Path) -> str:
    return read_document(path) if path.exists() else ""


def _is_of(folder: Folder) -> bool:
    try:
        return read_story(read_document(folder.artifact("story"))).id == folder.story
    except (BatonError, YamlFault):
        return False
