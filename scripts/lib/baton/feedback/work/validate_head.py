"""The project's own commands on a round's commit, once, held against their outcome on the head before it."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from baton.artifacts.config import Command, Config, Language, commands_of
from baton.story.checks.compare_checks import Weighed
from baton.text import plural

# What tells of logins and settings elsewhere than below HOME.
LEADS_HOME = (
    "XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR SSH_AUTH_SOCK GNUPGHOME NETRC "
    "GH_CONFIG_DIR GIT_CONFIG_GLOBAL KUBECONFIG DOCKER_CONFIG DOCKER_HOST AWS_CONFIG_FILE "
    "AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_CONFIG AZURE_CONFIG_DIR CARGO_HOME NPM_CONFIG_USERCONFIG "
    "PIP_CONFIG_FILE DBUS_SESSION_BUS_ADDRESS GRADLE_USER_HOME COMPOSER_HOME BUNDLE_USER_HOME BUNDLE_USER_CONFIG"
)


class ValidationResult(NamedTuple):
    """The outcome of the commands: failures since the round, those nothing can be said of, and known ones."""

    introduced: tuple[Weighed, ...] = ()
    unclear: tuple[Weighed, ...] = ()
    known: tuple[Weighed, ...] = ()  # they failed before, too
    ran: int = 0

    def summary(self) -> str:
        """Return the outcome in a line."""
        if not self.ran:
            return "no build or test command is known"
        bad = [*self.introduced, *self.unclear]
        if bad:
            return "; ".join(
                f"`{failure.command.name}` ({failure.triage.provenance}: {failure.triage.why})" for failure in bad
            )
        before = ", ".join(f"`{failure.command.name}`" for failure in self.known)
        failed = f", of which {before} failed as before" if before else ""
        return f"{plural(self.ran, 'command')} passed{failed}"


def required_commands(config: Config) -> list[Command]:
    """Return the commands a round is held to."""
    return commands_of(config, Language())


def at_home(command: Command, home: Path | None) -> Command:
    """Have a command see another home folder, and nothing that leads to the user's own."""
    if home is None:
        return command
    home.mkdir(parents=True, exist_ok=True)
    return command._replace(line=f"export HOME={quote(str(home))}; unset {LEADS_HOME}\n{command.line}")


def sort_weighed(weighed: Sequence[Weighed]) -> ValidationResult:
    """Sort the commands' outcomes by whether the round introduced their failures."""
    known = ("introduced", "preexisting", "pass")
    by = {name: tuple(result for result in weighed if result.triage.provenance == name) for name in known}
    unclear = tuple(result for result in weighed if result.triage.provenance not in known)
    return ValidationResult(by["introduced"], unclear, by["preexisting"], len(weighed))
