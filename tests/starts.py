"""What each story found when it began, written down by the guard and not by baton."""

import json
from pathlib import Path
from typing import NamedTuple

from inventory import Inventory

# Tests put something else in its place.
write = open


class Start(NamedTuple):
    """What was checked out, and what git said of the work tree outside the stories' folder."""

    head: str
    status: list[str]


def keep_starts(before: Inventory, after: Inventory) -> None:
    """Write down what each story found that began in between."""
    for name, story in after.stories.items():
        known = before.stories.get(name)
        if story.branch and not (known and known.branch):
            status = [one for path, one in before.status.items() if not path.startswith(story.place)]
            with write(_place(after, name), "w", encoding="utf-8") as file:
                json.dump(Start(before.head, status), file)


def start_of(inventory: Inventory, story: str) -> Start | None:
    """Give what a story found, or None when it began where no guard saw it."""
    path = _place(inventory, story)
    return Start(*json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def _place(inventory: Inventory, story: str) -> Path:
    """In git's folder, so that a copy of the repository has it too."""
    return inventory.common / f"start-of-{story}.json"
