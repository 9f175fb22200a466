"""Answers the client was told to ask the person about: one may be taken if the client ran it after all."""

import json
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.story.durable import read_plain, write_durably

NAME = "permit.json"


class Permit(NamedTuple):
    """What the person is asked: an option, of which story or pull request, to which of its questions."""

    session: str
    story: str
    option: str
    question: str


def leave(folder: Path, inside: Path, permit: Permit) -> None:
    """Keep the one permit of a folder, in place of another."""
    write_durably(folder / NAME, json.dumps(permit._asdict()) + "\n", inside)


def find(folder: Path, inside: Path) -> Permit | None:
    """Find the permit that was left; None for none, and for one that is no permit."""
    try:
        data = read_plain(folder / NAME, inside)
        return Permit(**json.loads(data)) if data else None
    except (ValueError, TypeError):
        return None
    except OSError as error:
        raise BatonError(f"unreadable ({error.strerror})", str(folder / NAME), "remove it") from error


def withdraw(folder: Path) -> None:
    """Remove a permit: it was used, or the person did not give it."""
    with suppress(OSError):  # it holds for one question only, and that is answered or asked again
        (folder / NAME).unlink(missing_ok=True)
