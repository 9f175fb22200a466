"""A story opened: its journal read and repaired, its lock held, its session made."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from shlex import quote

from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.atomic_file import remove_temporary_files
from baton.journal.events import Created
from baton.journal.journal import Journal, set_aside
from baton.journal.lock import hold_lock
from baton.journal.paths import Project, validate_story_id
from baton.journal.repository import known_repositories
from baton.journal.state import fold
from baton.project.settings import Settings, read_settings
from baton.story.session.session import StorySession

# How base and the configuration on it are found, by what a started story began from.
ReadSettings = Callable[[Git, str, str], Settings]


def read_journal(project: Project, story_id: str) -> Journal:
    """Read a story's journal; a BatonError for no such story."""
    if journal := find_journal(project, validate_story_id(story_id)):
        return journal
    raise _no_such_story(project, story_id)


def find_journal(project: Project, story_id: str) -> Journal | None:
    """Return a story's journal, None for no such story; one that was copied here from elsewhere is refused."""
    journal = Journal(project.journal(story_id))
    if not journal.records:
        return None
    _check_owner(project, journal)
    return journal


def _no_such_story(project: Project, story_id: str) -> BatonError:
    from baton.git.history import find_story_branch, folders_in  # most calls find their story

    known = ", ".join([other for other in project.story_ids() if other != story_id][:20])
    remedy = f"call again with one of: {known}" if known else "make one with `baton story new`"
    folder = read_settings(Git(project), "").config.dir
    specs = sorted((project.root / folder).glob(f"{story_id}_*/story.md"))
    if specs:
        where = specs[0].parent.relative_to(project.root).as_posix()
        remedy = f"its spec is there: begin it with `baton story new --from {quote(where)}`"
    elif own := find_story_branch(Git(project), story_id):
        remedy = f"its branch is there: `baton next {story_id}` goes on with it"
        if not any(name.startswith(f"{folder}/{story_id}_") for name in folders_in(Git(project), own, folder)):
            remedy = f"{own} is named like its branch, and holds no story: give the story another id"
    return BatonError(f"no story {story_id}", str(project.root), remedy)


def _check_owner(project: Project, journal: Journal) -> None:
    """Refuse a journal that was copied here from another story or another repository."""
    created, story_id = journal.records[0].event, journal.path.parent.name
    assert isinstance(created, Created)
    known, what = known_repositories(project), ""
    if created.story != story_id:
        what = f"a journal of story {created.story}"
    elif created.repository and known and created.repository not in known:
        what = "a journal of another repository"
    if what:
        remedy = f"put it back where it was copied from, or {set_aside(story_id)}"
        raise BatonError(what, str(journal.path), remedy)


def look_at(project: Project, story_id: str, read: ReadSettings = read_settings) -> StorySession:
    """Return a story as it stands, its settings read by `read`: nothing is locked, and nothing may be written."""
    return _session_of(project, read_journal(project, story_id), read)._replace(read_only=True)


def _session_of(project: Project, journal: Journal, read: ReadSettings = read_settings) -> StorySession:
    state, git = fold(journal.records), Git(project)
    started = state.started
    settings = cache(lambda: read(git, *((started.base, started.base_commit) if started else ("", ""))))
    folder = project.copy_of(state.created.folder, state.created.story)
    return StorySession(project, git, folder, journal, state, settings)


@contextmanager
def open_story(project: Project, story_id: str, purpose: str, client: str = "") -> Iterator[StorySession]:
    """Open a story for a step that may write: locked until the block ends."""
    if not project.has_story(validate_story_id(story_id)):  # else its lock would make it a folder
        raise _no_such_story(project, story_id)
    with hold_lock(project.state / story_id / "lock", purpose):
        journal = _repair_journal(project, read_journal(project, story_id))
        story = _session_of(project, journal)._replace(client=client)
        remove_temporary_files(story.folder.path, project.common)
        yield story


def _repair_journal(project: Project, journal: Journal) -> Journal:
    """Repair a journal's last line where a crash cut it off."""
    remove_temporary_files(journal.path.parent, project.common)
    if journal.torn:
        remedy = "a crash cut it short before it counted; it is repaired, and nothing else is lost"
        print(f"baton: {BatonError('an incomplete last line', str(journal.path), remedy)}", file=sys.stderr)
        journal.fix()
    return journal
