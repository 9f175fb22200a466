"""The journals that were written to today, which hold today's spending."""

from datetime import date, datetime

from baton.errors import BatonError
from baton.journal.journal import Journal, Record
from baton.journal.paths import Project


def journals_of_day(project: Project, day: date) -> dict[str, list[Record]]:
    """Return the records of every story whose journal was written to on a day or since, if it can be read."""
    journals: dict[str, list[Record]] = {}
    for story_id in project.story_ids():
        path = project.journal(story_id)
        try:
            if datetime.fromtimestamp(path.stat().st_mtime).date() >= day:
                journals[story_id] = Journal(path).records
        except (OSError, BatonError):  # whoever asks about that story is told what is wrong with it
            continue
    return journals
