"""A story that is being driven: its files, its journal, its state, its project's settings."""

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from baton.artifacts.config import Command, Config, Language, commands_of, commands_to_confirm
from baton.errors import BatonError
from baton.git.command import Git, run_git
from baton.journal.atomic_file import remove_temporary_files
from baton.journal.events import Created, EffectDone, Event
from baton.journal.journal import Journal, Record, set_aside, utc_now
from baton.journal.lock import hold_lock
from baton.journal.paths import Folder, Papers, Project, validate_story_id
from baton.journal.repository import known_repositories
from baton.journal.state import State, apply_record, fold
from baton.project.settings import Settings, iterations_in_environment, read_confirmed, read_settings

if TYPE_CHECKING:
    from baton.artifacts.story_file import Story


# How base and the configuration on it are found, by what a started story began from.
ReadSettings = Callable[[Git, str, str], tuple[str, Config]]
# The modes that end on GitHub.
DELIVERED = ("pr", "merge")


class StorySession(NamedTuple):
    """Everything one step of a story needs; made while holding the story's lock.

    `project` is where baton was called; `folder` the program's own copy of the story's folder; `client` the
    session of the client that is given the step.
    """

    project: Project
    git: Git
    folder: Folder
    journal: Journal
    state: State
    settings: Settings
    read_only: bool = False
    client: str = ""

    def note(self, event: Event) -> None:
        """Journal an event and fold it in."""
        assert not self.read_only, "what only looks writes nothing"
        apply_record(self.state, self.journal.append(event))

    def as_if(self, event: Event) -> "StorySession":
        """Return the story as it would be after an event, to look at."""
        records = [*self.journal.records, Record(self.journal.seq + 1, utc_now(), event)]
        return self._replace(state=fold(records), read_only=True)

    @property
    def base(self) -> str:
        """The branch the story started from, and is merged into."""
        return self.settings.found[0]

    @property
    def config(self) -> Config:
        """The project's settings on its base branch."""
        return self.settings.found[1]

    def git_works(self) -> bool:
        """Whether git works here at all: else there is no point in asking about what it refuses."""
        return run_git(self.project.root, "rev-parse", "--git-dir").code == 0

    @property
    def to_production(self) -> bool:
        """Whether base is a production branch; one that is set as `base` never is."""
        return self.base != self.config.base and self.config.is_production(self.base)

    @property
    def id(self) -> str:
        return self.state.created.story

    def story(self) -> "Story":
        """Read `story.md`, with what the user deferred since; a BatonError when it is gone or unreadable."""
        from baton.artifacts.story_file import load_story  # a call that only waits reads no story

        known = load_story(self.folder.artifact("story"))
        if not known.is_confirmed:  # in a form that was read when the story began
            known = known._replace(criteria=self.state.criteria)
        granted = tuple(criterion for criterion in known.criteria if criterion in self.state.deferred)
        left = tuple(criterion for criterion in known.criteria if criterion not in granted)
        return known._replace(criteria=left, deferred=known.deferred + granted)

    def accepted(self, kind: str, text: str) -> bool:
        """Whether exactly this was accepted when a run handed it in: then it needs no second look."""
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
        taken = (run.handed_in[kind].sha256 for run in self.state.runs if kind in run.handed_in)
        return digest in taken

    @property
    def papers(self) -> Papers:
        """The story's papers among the files of a commit; none where they stay out of git."""
        return self.folder.papers if self.config.artifacts == "commit" else Papers()

    @property
    def branch(self) -> str:
        """The story branch, which only the user ever checks out."""
        return self.state.started.branch if self.state.started else self.folder.branch

    def tip(self) -> str:
        """The commit the story branch is at; empty when there is no such branch."""
        return self.git.branch_commit(self.branch)

    @property
    def language(self) -> Language:
        """The settings of the story's language, as it was when the story began: they choose commands."""
        started = self.state.started
        named = started.language if started else self.story().language
        return self.config.languages.get(named.lower(), Language())

    @property
    def commands(self) -> list[Command]:
        """The project's commands, as they are for the story's language."""
        return commands_of(self.config, self.language)

    @property
    def to_confirm(self) -> list[Command]:
        """The lines the user is asked to confirm: the commands, and the one that notifies."""
        return commands_to_confirm(self.config, self.language)

    @property
    def mode(self) -> str:
        """The mode of integration; empty while nobody chose one."""
        return self.config.mode or read_confirmed(self.project).mode

    @property
    def is_delivered(self) -> bool:
        """Whether the story ends on GitHub."""
        return self.mode in DELIVERED

    @property
    def pull_url(self) -> str:
        """The URL of the pull request that was opened for the story; empty for none."""
        done = (event for event in reversed(self.state.events) if isinstance(event, EffectDone))
        return next((event.commit for event in done if event.effect == "pull-request"), "")

    @property
    def remote_base(self) -> str:
        """The name of base on GitHub: as here, unless it was renamed there since."""
        names = (step.evidence for step in reversed(self.state.checked) if step.rule == "push/base-renamed")
        return next(names, self.base)

    @property
    def base_ref(self) -> str:
        """The ref under which the remote's base is kept, as it was last fetched."""
        return f"refs/baton/{self.id}/base"

    def base_commit(self) -> str:
        """The commit the story is integrated with: of the base branch here, or of the remote's."""
        fetched = self.git.commit_of(self.base_ref) if self.is_delivered else ""
        return fetched or self.git.branch_commit(self.base)

    def limit(self, budget: str) -> int:
        """Return the configured size of a budget, before any grants."""
        if budget == "iterations":
            return self.state.flags.max_iterations or iterations_in_environment() or self.config.max_iterations
        return self.config.retries[budget]


def read_journal(project: Project, story_id: str) -> Journal:
    """Read a story's journal; a BatonError for no such story."""
    journal = Journal(project.journal(validate_story_id(story_id)))
    if not journal.records:
        from baton.git.history import find_story_branch  # most calls find their story

        known = ", ".join([other for other in project.story_ids() if other != story_id][:20])
        remedy = f"call again with one of: {known}" if known else "make one with `baton story new`"
        folder = read_settings(Git(project), "")[1].dir
        specs = sorted((project.root / folder).glob(f"{story_id}_*/story.md"))
        if specs:
            where = specs[0].parent.relative_to(project.root).as_posix()
            remedy = f"its spec is there: begin it with `baton story new --from {quote(where)}`"
        elif own := find_story_branch(Git(project), story_id):
            listed = Git(project).do("ls-tree", "-d", "-z", "--name-only", own, "--", f"{folder}/")
            remedy = f"its branch is there: `baton next {story_id}` goes on with it"
            if f"\0{folder}/{story_id}_" not in f"\0{listed}":
                remedy = f"{own} is named like its branch, and holds no story: give the story another id"
        raise BatonError(f"no story {story_id}", str(project.root), remedy)
    check_owner(project, journal, story_id)
    return journal


def check_owner(project: Project, journal: Journal, story_id: str) -> None:
    """Refuse a journal that was copied here from another story or another repository."""
    created = journal.records[0].event
    assert isinstance(created, Created)
    remedy = f"put it back where it was copied from, or {set_aside(story_id)}"
    if created.story != story_id:
        raise BatonError(f"a journal of story {created.story}", str(journal.path), remedy)
    known = known_repositories(project)
    if created.repository and known and created.repository not in known:
        raise BatonError("a journal of another repository", str(journal.path), remedy)


def look_at(project: Project, story_id: str, read: ReadSettings = read_settings) -> StorySession:
    """Return a story as it stands, its settings read by `read`: nothing is locked, and nothing may be written."""
    return _open(project, read_journal(project, story_id), read_only=True, read=read)


def _open(
    project: Project, journal: Journal, read_only: bool = False, read: ReadSettings = read_settings
) -> StorySession:
    state, git = fold(journal.records), Git(project)
    started = state.started
    settings = Settings(lambda: read(git, *((started.base, started.base_commit) if started else ("", ""))))
    folder = project.copy_of(state.created.folder, state.created.story)
    return StorySession(project, git, folder, journal, state, settings, read_only)


@contextmanager
def open_story(project: Project, story_id: str, purpose: str) -> Iterator[StorySession]:
    """Open a story for a step that may write: locked until the block ends."""
    validate_story_id(story_id)
    if not project.has_story(story_id):
        read_journal(project, story_id)
    with hold_lock(project.state / story_id / "lock", purpose):
        story = _open(project, _repair_journal(project, read_journal(project, story_id)))
        remove_temporary_files(story.folder.path, project.common)
        yield story


def _repair_journal(project: Project, journal: Journal) -> Journal:
    """Repair a journal's last line where a crash cut it off."""
    remove_temporary_files(journal.path.parent, project.common)
    if journal.torn:
        remedy = "a crash cut it short before it counted; it is put right, and nothing else is lost"
        print(f"baton: {BatonError('an incomplete last line', str(journal.path), remedy)}", file=sys.stderr)
        journal.fix()
    return journal
