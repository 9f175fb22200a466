"""A story that is being driven: its files, its journal, its state; and what everybody asks of it."""

from collections.abc import Callable
from typing import NamedTuple

from baton.artifacts.config import Command, Language, commands_of, commands_to_confirm
from baton.git.command import Git
from baton.journal.events import Answered, EffectDone, Event
from baton.journal.journal import Journal, Record, utc_now
from baton.journal.paths import Folder, Papers, Project
from baton.journal.run import events_since_anew
from baton.journal.state import State, apply_record, fold
from baton.project.settings import Settings, iterations_in_environment, read_confirmed

# The modes that end on GitHub.
DELIVERED = ("pr", "merge")


class StorySession(NamedTuple):
    """Everything one step of a story needs; made while holding the story's lock.

    `project` is where baton was called; `folder` the program's own copy of the story's folder; `settings` reads
    base and its configuration when it is first called, for a call that only waits needs neither git nor YAML;
    `client` is the session of the client that is given the step.
    """

    project: Project
    git: Git
    folder: Folder
    journal: Journal
    state: State
    settings: Callable[[], Settings]
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
    def id(self) -> str:
        return self.state.created.story

    @property
    def branch(self) -> str:
        """The story branch, which only the user ever checks out."""
        return self.state.started.branch if self.state.started else self.folder.branch


def tip_of(story: StorySession) -> str:
    """Return the commit the story branch is at; empty when there is no such branch."""
    return story.git.branch_commit(story.branch)


def base_ref_of(story: StorySession) -> str:
    """Return the ref under which the remote's base is kept, as it was last fetched."""
    return f"refs/baton/{story.id}/base"


def base_commit_of(story: StorySession) -> str:
    """Return the commit the story is integrated with: of the base branch here, or of the remote's."""
    fetched = story.git.commit_of(base_ref_of(story)) if is_delivered(story) else ""
    return fetched or story.git.branch_commit(story.settings().base)


def remote_base_of(story: StorySession) -> str:
    """Return the name of base on GitHub: as here, unless it was renamed there since."""
    names = (step.evidence for step in reversed(story.state.checked) if step.rule == "push/base-renamed")
    return next(names, story.settings().base)


def pull_url_of(story: StorySession) -> str:
    """Return the URL of the pull request that was opened for the story; empty for none."""
    done = (event for event in reversed(events_since_anew(story.state.events)) if isinstance(event, EffectDone))
    return next((event.commit for event in done if event.effect == "pull-request"), "")


def mode_of(story: StorySession) -> str:
    """Return the mode of integration; empty while nobody chose one."""
    given = (event for event in story.state.events if isinstance(event, Answered))
    own = [event.option for event in given if event.rule == "start/github" and event.option in ("local", "branch")]
    return own[-1] if own else story.settings().config.mode or read_confirmed(story.project).mode


def is_delivered(story: StorySession) -> bool:
    """Whether a story ends on GitHub."""
    return mode_of(story) in DELIVERED


def to_production(story: StorySession) -> bool:
    """Whether base is a production branch; one that is set as `base` never is."""
    base, config = story.settings()
    return base != config.base and config.is_production(base)


def language_of(story: StorySession) -> Language:
    """Return the settings of the story's language, as it was when the story began: they choose commands."""
    languages, started = story.settings().config.languages, story.state.started
    if started:
        return languages.get(started.language.lower(), Language())
    from baton.artifacts.story_file import load_story  # a call that only waits reads no story

    return languages.get(load_story(story.folder.artifact("story")).language.lower(), Language())


def commands_for(story: StorySession) -> list[Command]:
    """Return the project's commands, as they are for the story's language."""
    return commands_of(story.settings().config, language_of(story))


def lines_to_confirm(story: StorySession) -> list[Command]:
    """Return the lines the user is asked to confirm: the commands, and the one that notifies."""
    return commands_to_confirm(story.settings().config, language_of(story))


def papers_of(story: StorySession) -> Papers:
    """Return the story's papers among the files of a commit; none where they stay out of git."""
    return story.folder.papers if story.settings().config.artifacts == "commit" else Papers()


def limit_of(story: StorySession, budget: str) -> int:
    """Return the configured size of a budget, before any grants."""
    config = story.settings().config
    if budget == "iterations":
        return story.state.flags.max_iterations or iterations_in_environment() or config.max_iterations
    return config.retries[budget]
