"""The project's commands on a pull request's head: what is asked before they run, and what came of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from baton.artifacts.config import Command, Config, Language, commands_digest, commands_of
from baton.errors import BatonError
from baton.feedback.fetch.pull_feedback import PullRequest
from baton.feedback.plan.pull_head import cannot_push, default_branch
from baton.feedback.plan.round_question import round_question
from baton.feedback.store.questions import Answers, Question
from baton.git.command import Git
from baton.github.address import known_remotes
from baton.project.protected_files import filter_protected
from baton.project.settings import read_confirmed
from baton.story.checks.compare_checks import Weighed
from baton.text import plural, visible

MOST_SHOWN = 5
KNOWN = {"preexisting": "failed as before", "flaky": "is flaky"}
LEAVE = "leave"  # no consent: it is asked again when somebody begins again
# What tells of logins and settings elsewhere than below HOME.
LEADS_HOME = (
    "XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR SSH_AUTH_SOCK GNUPGHOME NETRC "
    "GH_CONFIG_DIR GIT_CONFIG_GLOBAL KUBECONFIG DOCKER_CONFIG DOCKER_HOST AWS_CONFIG_FILE "
    "AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_CONFIG AZURE_CONFIG_DIR CARGO_HOME NPM_CONFIG_USERCONFIG "
    "PIP_CONFIG_FILE DBUS_SESSION_BUS_ADDRESS GRADLE_USER_HOME COMPOSER_HOME BUNDLE_USER_HOME BUNDLE_USER_CONFIG"
)


def question_at_plan(git: Git, answers: Answers, pull: PullRequest, config: Config) -> Question | None:
    """Return the question to ask before agents are started; None when all are answered."""
    why, remedy = cannot_push(pull)
    if not why:
        asked = question_at_land(git, answers, pull, config)
        return asked._replace(then="plan") if asked else None
    if answers.given("plan/push", pull.head_oid):
        return None
    return round_question("plan/push", pull.head_oid, {"why": why, "remedy": remedy}, then="plan")


def question_at_land(git: Git, answers: Answers, pull: PullRequest, config: Config) -> Question | None:
    """Return the question to ask before commands run and anything is pushed; None when all are answered."""
    asked = _questions(git, pull, config)
    return next(
        (question for question in asked if answers.given(question.rule, question.about) in ("", LEAVE)), None
    )


def keeps_home(answers: Answers, pull: PullRequest, config: Config) -> bool:
    """Whether commands and commit hooks may see the user's home folder."""
    return not pull.is_strange or answers.given("land/stranger", _about(pull, config)) == "accept-home"


def _questions(git: Git, pull: PullRequest, config: Config) -> Iterator[Question]:
    if pull.is_strange:
        yield _stranger(git, pull, config)
    elif digest := _unconfirmed(git, config):
        yield round_question("land/commands", digest, {"commands": _commands(config)})
    if not pull.cross_repository and (config.is_production(pull.head) or pull.head == default_branch(git, pull)):
        yield round_question("land/production", pull.head, {"branch": visible(pull.head)})


def _stranger(git: Git, pull: PullRequest, config: Config) -> Question:
    changed = git.changed(_base_of(git, pull), pull.head_oid)
    ours = filter_protected(changed)
    commands = _commands(config)
    values = {
        "author": visible(pull.author.login),
        "changed": plural(len(changed), "file"),
        "among": f", among them {', '.join(map(visible, ours[:MOST_SHOWN]))}" if ours else "",
        "use": f"run on that code: {commands}" if commands else "let agents work on that code",
    }
    files = "\n".join([*ours, *(name for name in changed if name not in ours)])
    return round_question("land/stranger", _about(pull, config), values, evidence=files)


def _about(pull: PullRequest, config: Config) -> str:
    return f"{pull.head_oid} {commands_digest(required_commands(config))}".strip()


def _unconfirmed(git: Git, config: Config) -> str:
    """Return the digest of the commands when nobody has confirmed them on this machine; else empty."""
    digest = commands_digest(required_commands(config))
    return digest if digest and digest not in read_confirmed(git.project).commands else ""


def _commands(config: Config) -> str:
    return ", ".join(f"{command.name}: {command.line}" for command in required_commands(config))


def _base_of(git: Git, pull: PullRequest) -> str:
    """Return the ref of the base branch in this repository; a BatonError where there is none."""
    known = (remote.name for remote in known_remotes(git) if remote.repository.lower() == pull.repository.lower())
    places = [*(f"refs/remotes/{name}/{pull.base}" for name in known), f"refs/heads/{pull.base}"]
    base = next((place for place in places if git.commit_of(place)), "")
    if not base:
        remedy = "fetch it from the repository the pull request is of, then call again"
        raise BatonError(f"the base branch {pull.base} is not known here", str(git.project.root), remedy)
    return base


class ValidationResult(NamedTuple):
    """The outcome of the commands: failures since the round, those nothing can be said of, and known ones."""

    introduced: tuple[Weighed, ...] = ()
    unclear: tuple[Weighed, ...] = ()
    known: tuple[Weighed, ...] = ()  # they failed before, too
    ran: int = 0

    @property
    def failures(self) -> tuple[Weighed, ...]:
        """The failures that are not known from before."""
        return (*self.introduced, *self.unclear)

    @property
    def passed(self) -> bool:
        """Whether there are commands, and all of them passed."""
        return self.ran > 0 and not self.failures and not self.known

    def summary(self) -> str:
        """Return the outcome in a line."""
        if not self.ran:
            return "no build or test command is known"
        if self.failures:
            return "; ".join(
                f"`{failure.command.name}` ({failure.triage.provenance}: {failure.triage.why})"
                for failure in self.failures
            )
        known = [f"`{failure.command.name}` {KNOWN[failure.triage.provenance]}" for failure in self.known]
        failed = f", of which {', '.join(known)}" if known else ""
        return f"{plural(self.ran, 'command')} passed{failed}"


def required_commands(config: Config) -> list[Command]:
    """Return the commands a round is held to."""
    return commands_of(config, Language())


def with_home(command: Command, home: Path | None) -> Command:
    """Have a command see another home folder, and nothing that leads to the user's own."""
    if home is None:
        return command
    home.mkdir(parents=True, exist_ok=True)
    return command._replace(line=f"export HOME={quote(str(home))}; unset {LEADS_HOME}\n{command.line}")


def sort_weighed(weighed: Sequence[Weighed]) -> ValidationResult:
    """Sort the commands' outcomes by whether the round introduced their failures."""
    known = ("introduced", "preexisting", "flaky", "pass")
    by = {name: tuple(result for result in weighed if result.triage.provenance == name) for name in known}
    unclear = tuple(result for result in weighed if result.triage.provenance not in known)
    return ValidationResult(by["introduced"], unclear, (*by["preexisting"], *by["flaky"]), len(weighed))
