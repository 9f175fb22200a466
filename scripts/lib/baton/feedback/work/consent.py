"""Questions to the user before a stranger's code runs, or a branch that others build on is pushed to."""

from collections.abc import Iterator

from baton.artifacts.config import Config, commands_digest
from baton.errors import BatonError
from baton.feedback.fetch.pull_types import PullRequest
from baton.feedback.store.questions import Answers, Question
from baton.feedback.work.pull_head import cannot_push, default_branch
from baton.feedback.work.validate_head import required_commands
from baton.git.command import Git
from baton.github.address import known_remotes
from baton.project.protected import protected
from baton.project.settings import read_confirmed
from baton.text import plural, visible

SHOWN = 5
LEAVE = "leave"  # no consent: it is asked again when somebody begins again


def at_plan(git: Git, answers: Answers, pull: PullRequest, config: Config) -> Question | None:
    """Return the question to ask before agents are started; None when all are answered."""
    what, remedy = cannot_push(pull)
    reason = f"no fix can be pushed: {what} ({remedy})"
    does = {"accept": "goes on: only replies can be posted until that is settled"}
    question = Question("plan/push", pull.head_oid, reason, "Go on without fixes?", does, "plan")
    if what and not answers.given(question.rule, question.about):
        return question
    asked = None if what else at_land(git, answers, pull, config)
    return asked._replace(then="plan") if asked else None


def at_land(git: Git, answers: Answers, pull: PullRequest, config: Config) -> Question | None:
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
        reason = f"to validate the fixes, baton would run {_commands(config)}"
        does = {"accept": "lets baton run exactly these commands in this repository, on this machine"}
        yield Question("land/commands", digest, reason, "May baton run these commands here?", does)
    if not pull.cross_repository and (config.is_production(pull.head) or pull.head == default_branch(git, pull)):
        reason = f"the fixes would be pushed to {visible(pull.head)}, a branch that others build on"
        does = {"accept": "lets baton push to it, for this pull request"}
        yield Question("land/production", pull.head, reason, f"Push to {visible(pull.head)}?", does)


def _stranger(git: Git, pull: PullRequest, config: Config) -> Question:
    changed = git.changed(_base_of(git, pull), pull.head_oid)
    ours = protected(changed)
    among = f", among them {', '.join(map(visible, ours[:SHOWN]))}" if ours else ""
    reason = f"@{visible(pull.author.login)} changes {plural(len(changed), 'file')} from a fork{among}"
    commands = _commands(config)
    runs = f"would run on that code: {commands}" if commands else "would let agents work on that code"
    does = {
        "accept": "goes on with this head: commands get an empty home folder, your commit hooks do not run",
        "accept-home": "goes on with this head as with your own code: your home folder is seen, your hooks run",
        LEAVE: "runs nothing and lands nothing; what is open stays open",
    }
    question = "Did you look at that code, and may it run on this machine?"
    files = "\n".join([*ours, *(name for name in changed if name not in ours)])
    return Question(
        "land/stranger", _about(pull, config), f"{reason}; baton {runs}", question, does, evidence=files
    )


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
