"""Return metadata that a run wrote into the story's folder of its tree, and did not hand in."""

from baton.artifacts.document import read_document
from baton.artifacts.findings import faults
from baton.artifacts.kinds import check_artifact
from baton.artifacts.metadata import read_metadata
from baton.errors import BatonError
from baton.journal.events import HandedIn
from baton.journal.run import RETURN, WRITTEN, Run
from baton.story.run_work import tree_of_run
from baton.story.session import StorySession
from baton.story.story_files import accept_text


def take_written_metadata(story: StorySession, run: Run) -> None:
    """Take as handed in what an ended run only wrote; not what lay there before, or names another run."""
    tree = tree_of_run(story, run)
    if tree is None or any(one.final for one in run.handed_in.values()):
        return
    relative = f"{story.folder.relative}/{WRITTEN}"
    path = tree.root / relative
    try:
        text = read_document(path) if path.is_file() and not path.is_symlink() else ""
    except BatonError:
        return
    before = story.git.blob(run.dispatched.head, relative)
    if not text or text.encode() == before or faults(check_artifact(RETURN, text, relative)):
        return
    metadata = read_metadata(text, run.role)
    if metadata.session_id not in ("", run.id):
        return
    digest = accept_text(story, story.folder.artifact(RETURN), text)
    story.note(HandedIn(run.id, RETURN, relative, digest, metadata.final))
