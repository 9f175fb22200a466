"""The project's own commands on a round's commit, once, held against what they said of the head before it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from baton.artefacts.config import Command, Config, Language, commands_digest, commands_of
from baton.drive.checking import Running, Subject, Weighed, weigh
from baton.drive.settings import read_confirmed
from baton.feedback.digest import counted
from baton.feedback.round import Round
from baton.outside.git import Git


class Validated(NamedTuple):
    """How the commands went: those that fail since the round, those nothing can be said of, and what is known."""

    introduced: tuple[Weighed, ...] = ()
    unclear: tuple[Weighed, ...] = ()
    known: tuple[Weighed, ...] = ()  # they failed before, too
    ran: int = 0

    def told(self) -> str:
        """Say in a line how they went."""
        if not self.ran:
            return "no build or test command is known"
        bad = [*self.introduced, *self.unclear]
        if bad:
            return "; ".join(f"`{one.command.name}` ({one.triage.provenance}: {one.triage.why})" for one in bad)
        before = ", ".join(f"`{one.command.name}`" for one in self.known)
        failed = f", of which {before} failed as before" if before else ""
        return f"{counted(self.ran, 'command')} passed{failed}"


def due(config: Config) -> list[Command]:
    """Give the commands a round is held to."""
    return commands_of(config, Language())


def unconfirmed(git: Git, config: Config) -> str:
    """Name the commands by their content when nobody has confirmed them on this machine; else empty."""
    digest = commands_digest(due(config))
    return digest if digest and digest not in read_confirmed(git.project).commands else ""


def validate(git: Git, folder: Path, config: Config, made: Round, commit: str, tries: int) -> Validated | Running:
    """Run the commands on a commit, and on the head before where that tells whose a failure is."""
    subject = Subject(
        project=git.project,
        place=folder / "checks",
        commands=due(config),
        limit=config.command_timeout_s,
        tries=tries,
        owner=f"pr-{made.number}",
        base="the head before",
        base_of=lambda _: made.head,
        changed=lambda new: git.changed(made.head, new),
    )
    weighed = weigh(subject, commit)
    return weighed if isinstance(weighed, Running) else _sorted(weighed)


def _sorted(weighed: Sequence[Weighed]) -> Validated:
    by = {name: tuple(one for one in weighed if one.triage.provenance == name) for name in PROVENANCES}
    unclear = tuple(one for one in weighed if one.triage.provenance not in PROVENANCES)
    return Validated(by["introduced"], unclear, by["preexisting"], len(weighed))


PROVENANCES = ("introduced", "preexisting", "pass")
