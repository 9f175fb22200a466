"""What a run left and did not hand in: a file it only wrote into its tree, or a hand-in that was refused."""

import os

from baton.artifacts.document import decode, read_document
from baton.artifacts.findings import faults
from baton.artifacts.kinds import check_artifact
from baton.artifacts.metadata import read_metadata
from baton.errors import BatonError
from baton.journal.events import Adopted, HandedIn, Rejected
from baton.journal.run import LEARNED, RETURN, ROLES, WRITTEN, Run
from baton.story.run.begin_run import tree_of_run
from baton.story.run.resume_context import place_of
from baton.story.session.session import StorySession
from baton.story.session.story_files import accept_text, digest_of, kept_as_accepted, text_of

NOT_HANDED_IN = "the run before wrote `{}` and did not hand it in: it was read all the same"
REFUSED = "the last `{}` of the run before was refused, and is taken as it stands: {}"


def take_last_words(story: StorySession, run: Run) -> None:
    """Take as handed in what an ended run left otherwise: metadata, a handoff these name, a memory delta."""
    _take_metadata(story, run)
    for kind in [kind for kind in ROLES[run.role].hands_in if kind in LEARNED]:
        text, why = last_word(story, run, kind)
        if text:
            path = place_of(story, run, kind, story.folder.root)
            digest = accept_text(story, path, text)
            story.note(HandedIn(run.id, kind, story.folder.relative_to_root(path), digest, taken=why))


def last_word(story: StorySession, run: Run, kind: str) -> tuple[str, str]:
    """Return a run's last text of a kind, and why it counts though it was refused or only written."""
    is_delta = kind == "memory-delta"
    name = story.folder.relative_to_root(story.folder.artifact(kind)) if is_delta else _named_handoff(story, run)
    since = story.state.events[story.state.events.index(run.dispatched) :]
    handed = [
        event
        for event in since
        if isinstance(event, HandedIn | Rejected) and event.artifact == kind and event.sha256
    ]
    last = handed[-1] if handed else None
    adopted = [("diff", "--name-only", event.before, event.head) for event in since if isinstance(event, Adopted)]
    if isinstance(last, HandedIn) or (is_delta and any(story.git.do(*words, "--", name) for words in adopted)):
        return "", ""  # what others committed in its place holds
    text, why = _written(story, run, name, is_delta), NOT_HANDED_IN.format(name)
    # Metadata that name a handoff come after one that was refused.
    if isinstance(last, Rejected) and (is_delta or not text):
        text = decode(kept_as_accepted(story, last.sha256, story.folder.path), kind)
        why = REFUSED.format(kind, "; ".join(last.findings))
    return text, why


def _named_handoff(story: StorySession, run: Run) -> str:
    """Return the path of the handoff that the run's metadata name."""
    if not (text := text_of(story, RETURN)):
        return ""
    metadata = read_metadata(text, run.role)
    return metadata.handoff_path or next(
        (artifact.path for artifact in metadata.artifacts if artifact.type == "handoff"), ""
    )


def _written(story: StorySession, run: Run, name: str, counts: bool = False) -> str:
    """Return a file that a run wrote into its tree; nothing for one that lay there before.

    Of one that cannot be read nothing is returned, or why, where the file `counts` however it is.
    """
    tree = tree_of_run(story, run)
    path = tree.root / name if name and tree else None
    if not (tree and path and os.path.lexists(path) and path.parent.resolve().is_relative_to(tree.root.resolve())):
        return ""
    try:
        text = read_document(path)
    except BatonError as error:
        return f"{error.what}\n" if counts else ""
    taken = [
        event for event in story.state.events if isinstance(event, HandedIn) and event.sha256 == digest_of(text)
    ]
    if not text.strip() or any((story.folder.root / event.path).exists() for event in taken):
        return ""
    return text if text.encode() != story.git.blob(run.dispatched.head, name) else ""


def _take_metadata(story: StorySession, run: Run) -> None:
    """Take the metadata that a run wrote; not what lay there before, or names another run."""
    if run.has_reported:
        return
    relative = f"{story.folder.relative}/{WRITTEN}"
    text = _written(story, run, relative)
    if not text or faults(check_artifact(RETURN, text, relative)):
        return
    metadata = read_metadata(text, run.role)
    if metadata.session_id not in ("", run.id):
        return
    digest = accept_text(story, story.folder.artifact(RETURN), text)
    story.note(HandedIn(run.id, RETURN, relative, digest, metadata.final, taken=NOT_HANDED_IN.format(relative)))
