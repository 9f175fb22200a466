"""Compare how the project's commands go on a commit with how they go on the one it was made from."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.claims import is_below
from baton.artifacts.config import Command
from baton.artifacts.file_name import is_test
from baton.checks.failures import is_named
from baton.checks.job import Checks, baselines, story_checks
from baton.checks.result import Outcome
from baton.git.command import Git
from baton.git.paper_trees import same_code
from baton.journal.events import Answered
from baton.journal.paths import Papers, Project
from baton.journal.state import KEEP_DUE
from baton.rules.budgets import FIX_RUNS
from baton.rules.failure_origin import Need, Ran, Triage, triage
from baton.story.checks.check_results import CREDENTIAL, read_ran
from baton.story.session.session import StorySession, base_commit_of, commands_for, papers_of
from baton.text import join_words

# What is judged by its result; a set-up only makes them run.
STEPS = ("build", "test", "prepush")
SHOWN = 12
NEEDS: tuple[Need, ...] = ("base", "again", "base again", "third", "base third")
TOLD = ("on base", "once more", "once more on base", "a third time", "a third time on base")
WORDS: dict[Need, str] = dict(zip(NEEDS, TOLD, strict=True))
AGAIN = ("integrate", "start")  # what an answer leads to by which commands are run again


class Weighed(NamedTuple):
    """A command that was run on the story's head: how it went there, and whose failure that is."""

    command: Command
    outcome: Outcome
    triage: Triage
    logs: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        """The result this gives the step the command belongs to."""
        return "credential" if self.triage.why == CREDENTIAL else self.triage.provenance

    @property
    def told(self) -> str:
        """The failures and why they count as they do; then the end of the output, and where the whole is."""
        names = join_words(sorted(self.triage.failed), SHOWN) or f"`{self.outcome.name}` fails"
        summary = "; ".join(part for part in (names, self.triage.why) if part)
        how = f"First `{self.outcome.name}` ended with {self.outcome.code}, its output with"
        where = ", ".join([str(self.outcome.log), *self.logs])
        return f"{summary}\n{how}:\n{self.outcome.shown}\nWhole output: {where}"


class Subject(NamedTuple):
    """A story or a pull request to run commands for: which, where results go, what a commit is compared with."""

    project: Project
    place: Path
    commands: Sequence[Command]
    limit: int  # the seconds a command may take
    tries: int  # how often the user asked for them to be run again
    owner: str  # the story or the pull request whose check tree is used
    base: str  # what the commit it is held against is called
    base_of: Callable[[str], str]
    changed: Callable[[str], list[str]]  # the files a commit changes, since then
    exclusive: bool = False  # whether the commands of another story wait meanwhile
    apart: Papers | None = None  # the story's own: they make no difference to how the commands go
    asks_flaky: bool = False  # whether the user wants to be asked about a flaky test

    @property
    def general(self) -> list[Command]:
        """The commands that are run whatever is changed."""
        return [command for command in self.commands if command.step != "prepush"]

    def affected(self, commit: str) -> list[Command]:
        """Return the prepush commands of the folders below which a commit changes something."""
        commands = [command for command in self.commands if command.step == "prepush"]
        names = self.changed(commit) if commands else []
        return [command for command in commands if any(is_below(name, command.path) for name in names)]

    def run(self, place: Path, commit: str, commands: Sequence[Command], salt: str = "") -> Checks:
        """Return a run of commands on a commit, its results kept at a place."""
        apart = None if place == baselines(self.project) else self.apart
        tried = f"{self.tries}{salt}"
        return Checks(self.project, place, commit, commands, self.limit, tried, self.owner, apart, self.exclusive)


def subject_of(story: StorySession) -> Subject:
    """Return what a story's commits are held to: its commands, against the commit it forked from."""
    return Subject(
        project=story.project,
        place=story_checks(story.project, story.id),
        commands=commands_for(story),
        limit=story.settings().config.command_timeout_s,
        tries=tries(story),
        owner=story.id,
        apart=papers_of(story),
        exclusive=story.settings().config.exclusive,
        asks_flaky=story.settings().config.flaky == "ask",
        base=story.settings().base,
        base_of=lambda commit: story.git.fork_point(commit, base_commit_of(story)),
        changed=lambda commit: story.git.changed(base_commit_of(story), commit),
    )


class Running(NamedTuple):
    """Commands that are run, or were: their purpose, and which need of the comparison they meet."""

    purpose: str
    checks: Checks
    meets: Need = ""

    @property
    def told(self) -> str:
        """Their progress in words, which differ at every call."""
        progress = self.checks.progress(time.time())
        return f"{self.purpose}, {self.checks.commit[:12]}: {progress}; output in {self.checks.folder}"


def tries(story: StorySession) -> int:
    """Count the reasons to run the commands again: the user's word, and a fix that left the code as it was."""
    retries = (event for event in story.state.events if isinstance(event, Answered) and event.then in AGAIN)
    asked = sum(retry.option == "retry" and retry.rule not in KEEP_DUE for retry in retries)
    fixes = [run for run in story.state.runs if run.dispatched.rule in FIX_RUNS and run.archived]
    ends = [(fix.dispatched.head, fix.commit or fix.dispatched.head) for fix in fixes]
    return asked + sum(same_code(story.git, *end, papers_of(story)) for end in ends)


def weigh(subject: Subject, head: str) -> list[Weighed] | Running:
    """Run the project's commands on a commit, and whatever must be run to tell whose a failure is."""
    due = [*subject.general, *subject.affected(head)]
    if not runs_something(due):
        return []
    checks = subject.run(subject.place, head, due)
    outcomes = checks.begin()
    if outcomes is None:
        return Running("the commands run on the new commit", checks)
    went = _of_story(subject, checks, read_ran(checks, outcomes))
    return _weigh(subject, checks, {outcome.name: outcome for outcome in outcomes}, went)


def _of_story(subject: Subject, checks: Checks, went: dict[str, Ran]) -> dict[str, Ran]:
    """Mark the failures that only name a file that the story changed, and those of tests that it changed."""
    if not any(ran.failed for ran in went.values()):
        return went
    changed, git = frozenset(subject.changed(checks.commit)), Git(subject.project)
    tests = [name for name in changed if is_test(name)]
    texts = [f"{name}\n{(git.blob(checks.commit, name) or b'').decode(errors='replace')}" for name in tests]
    return {
        name: ran._replace(
            vague=ran.failed & changed,
            own=frozenset(failure for failure in ran.failed if any(is_named(failure, text) for text in texts)),
        )
        for name, ran in went.items()
    }


def _weigh(
    subject: Subject, checks: Checks, outcomes: Mapping[str, Outcome], went: Mapping[str, Ran]
) -> list[Weighed] | Running:
    known: dict[Need, dict[str, Ran]] = defaultdict(dict)
    logs: dict[str, list[str]] = defaultdict(list)
    commands = [command for command in checks.commands if command.step != "setup"]
    while True:
        verdicts = {
            command.name: triage(went[command.name], *(known[need].get(command.name) for need in NEEDS))
            for command in commands
        }
        needs = {name: verdict.need for name, verdict in verdicts.items() if verdict.need}
        if not needs:
            verdicts = {name: _asked(subject, verdict) for name, verdict in verdicts.items()}
            return [
                Weighed(command, _shown(command, outcomes), verdicts[command.name], tuple(logs[command.name]))
                for command in commands
            ]
        more = _on_base(subject, checks, needs) or _once_more(subject, checks, needs)
        ended = more.checks.begin()
        if ended is None:
            return more
        known[more.meets] |= _of_story(subject, more.checks, read_ran(more.checks, ended))
        for outcome in ended:
            logs[outcome.name].append(f"{WORDS[more.meets]} {outcome.log}")


def _asked(subject: Subject, verdict: Triage) -> Triage:
    """Return a verdict as the project settles it: a flaky test may be asked about."""
    asks = subject.asks_flaky and verdict.provenance == "flaky"
    return verdict._replace(provenance="unclear") if asks else verdict


def _shown(command: Command, outcomes: Mapping[str, Outcome]) -> Outcome:
    """Return a command's outcome, or that of what kept it from being run."""
    return outcomes.get(command.name) or list(outcomes.values())[-1]


def _on_base(subject: Subject, checks: Checks, needs: Mapping[str, Need]) -> Running | None:
    """Return the run on base that is needed: of build and test, else of all up to the last one in need."""
    need = next((need for need in NEEDS if need.startswith("base") and need in needs.values()), None)
    if not need:
        return None
    wanted, salt = [name for name in needs if needs[name] == need], need.removeprefix("base")
    general = [command for command in subject.general if command.name in wanted]
    due = subject.general if general else _up_to(checks.commands, wanted)
    purpose = f"the commands run {WORDS[need].removesuffix('base')}{subject.base}, to compare with"
    return Running(purpose, baseline_of(subject, subject.base_of(checks.commit), due, salt), need)


def _once_more(subject: Subject, checks: Checks, needs: Mapping[str, str]) -> Running:
    """Return another run on the commit of what failed there and not on base, and of all before it."""
    need: Need = "again" if "again" in needs.values() else "third"
    due = _up_to(checks.commands, [name for name, wanted in needs.items() if wanted == need])
    once_more = subject.run(checks.folder.parent, checks.commit, due, f" {need}")
    return Running(f"what failed runs {WORDS[need]} on the new commit", once_more, need)


def _up_to(commands: Sequence[Command], wanted: Collection[str]) -> list[Command]:
    """Return the commands up to the last one that is wanted: each may rest on what those before it made."""
    last = max(index for index, command in enumerate(commands) if command.name in wanted)
    return list(commands[: last + 1])


def first_run(subject: Subject, commit: str, due: Sequence[Command], salt: str = "") -> Checks:
    """Return the first run of commands on a commit of base, whoever it is for."""
    place, how = baselines(subject.project), (subject.limit, salt, subject.owner)
    return Checks(subject.project, place, commit, due, *how, exclusive=subject.exclusive)


def baseline_of(subject: Subject, commit: str, due: Sequence[Command], salt: str = "") -> Checks:
    """Return the run of commands on a commit of base: the known one, unless it told nothing and is retried."""
    first = first_run(subject, commit, due, salt)
    known = first.outcomes()
    tells = known is None or not any(ran.mute for ran in read_ran(first, known).values())
    # Each story tries again for itself: what another was told may be of another day.
    return first if tells else subject.run(baselines(subject.project), commit, due, f" {subject.owner}{salt}")


def runs_something(commands: Collection[Command]) -> bool:
    """Whether there is a command whose result counts, and not a set-up alone."""
    return any(command.step != "setup" for command in commands)


def unset_commands(story: StorySession) -> list[str]:
    """Return why a step had nothing to run; for prepush only where the project configures it."""
    unset = [step for step in story.state.checked if step.rule.endswith("/unset")]
    reasons = [step.reason for step in unset if story.settings().config.prepush or step.rule != "prepush/unset"]
    return list(dict.fromkeys(reasons))
