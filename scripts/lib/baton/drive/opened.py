"""A story that is being driven: its files, its journal, its state, its project's settings."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from baton.artefacts.config import Config, Language
from baton.artefacts.front_matter import YamlFault
from baton.artefacts.kinds import read_document
from baton.artefacts.story_file import Story, read_story
from baton.drive.settings import iterations_in_environment, read_settings
from baton.errors import BatonError
from baton.outside.git import Git
from baton.story.events import Event
from baton.story.journal import Journal
from baton.story.lock import held
from baton.story.places import Folder, Project, checked_id
from baton.story.state import State, fold


@dataclass
class OpenStory:
    """Everything one step of a story needs; made while holding the story's lock."""

    project: Project
    git: Git
    folder: Folder
    journal: Journal
    state: State
    base: str
    config: Config

    def note(self, event: Event) -> None:
        """Journal an event and fold it in."""
        self.journal.append(event)
        self.state = fold(self.journal.records)

    @property
    def id(self) -> str:
        return self.state.created.story

    def story(self) -> Story:
        """Read `story.md`, with what a person deferred since; a BatonError when it is gone or unreadable."""
        path = self.folder.artefact("story")
        try:
            known = read_story(read_document(path))
        except YamlFault as fault:
            raise BatonError(
                f"unreadable front matter ({fault})", str(path), "mend it, then call again"
            ) from fault
        granted = tuple(one for one in known.criteria if one in self.state.deferred)
        left = tuple(one for one in known.criteria if one not in granted)
        return known._replace(criteria=left, deferred=known.deferred + granted)

    @property
    def untracked_before(self) -> list[str]:
        """The files git did not track when the story began: the user's."""
        return self.state.started.untracked if self.state.started else []

    @property
    def language(self) -> Language:
        """What is special to the story's language, as it was when the story began: it chooses commands."""
        started = self.state.started
        named = started.language if started else self.story().language
        return self.config.languages.get(named.lower(), Language())

    @property
    def commands(self) -> dict[str, str]:
        """The project's commands, with those of the story's language in place of the general ones."""
        return {**self.config.commands, **self.language.commands}

    def limit(self, budget: str) -> int:
        """Give the configured size of a budget, before any grants."""
        if budget == "iterations":
            return self.state.flags.max_iterations or iterations_in_environment() or self.config.max_iterations
        return self.config.retries[budget]


def read_journal(project: Project, story_id: str) -> Journal:
    """Read a story's journal; a BatonError when there is no such story."""
    journal = Journal(project.journal(checked_id(story_id)))
    if not journal.records:
        known = ", ".join(project.story_ids()[:20])
        remedy = f"call again with one of: {known}" if known else "a person makes one with `baton story new`"
        stories = project.root / read_settings(Git(project), "")[1].dir
        specs = sorted(stories.glob(f"{story_id}_*/story.md"))
        if specs:
            where = specs[0].parent.relative_to(project.root).as_posix()
            remedy = f"its spec is there: a person begins it with `baton story new --from {shlex.quote(where)}`"
        raise BatonError(f"no story {story_id}", str(project.root), remedy)
    created = fold(journal.records[:1]).created
    if created.story != story_id:
        raise BatonError(
            f"a journal of story {created.story}", str(journal.path), "put it back where it was copied from"
        )
    return journal


@contextmanager
def opened(project: Project, story_id: str, purpose: str) -> Iterator[OpenStory]:
    """Open a story for a step that may write: locked until the block ends."""
    checked_id(story_id)
    if not project.journal(story_id).exists():
        read_journal(project, story_id)
    with held(project.state / story_id / "lock", purpose):
        journal = read_journal(project, story_id)
        state = fold(journal.records)
        git = Git(project)
        started = state.started
        base, config = read_settings(git, started.base if started else "")
        folder = Folder(project.root, state.created.folder, story_id)
        yield OpenStory(project, git, folder, journal, state, base, config)
