"""Numbers over the stories that changed last: stats."""

from collections.abc import Sequence
from datetime import UTC, datetime
from heapq import heappop, heappush
from pathlib import Path

import click

from baton.commands.arguments import json_option
from baton.commands.render import in_columns, print_result
from baton.commands.status import NOTHING
from baton.errors import BatonError
from baton.git.command import Git, find_project
from baton.git.history import brought_back
from baton.journal.journal import Journal
from baton.journal.paths import Project, validate_story_id
from baton.journal.state import fold
from baton.story.session import check_owner
from baton.story.statistics import Followed, RuleCount, Statistics, Used, statistics_of
from baton.text import clip, one_line
from baton.usage.words import short

WHOLE = "baton stats --json"
# How many lines of a part are shown, and how much of one.
MOST, MOST_FAULTS = 4, 2
NAME_LENGTH, WHEN_LENGTH, FAULT_LENGTH = 40, 90, 300
# By how much the clock of a file system may be behind.
MARGIN_SECONDS = 2


@click.command()
@click.option("--last", type=click.IntRange(min=1), default=20, show_default=True, help="Of how many stories.")
@json_option
@click.pass_obj
def stats(start: Path, last: int, as_json: bool) -> None:
    """Count what the last stories came to, used and asked.

    The last are those that changed last; rounds of a pull request (`pr-N`) do not count. A run and its
    minutes count for the model that used most of its tokens; dollars are list prices. A failed attempt
    is one that counts against `retries`.

    Example: baton stats --last 50
    """
    project = find_project(start)
    stories, faults = read_newest(project, last)
    found, says = statistics_of(stories), [str(one) for one in faults]
    rules = {name: [one._asdict() for one in getattr(found, name)] for name in ("questions", "failed_attempts")}
    data = {**found._asdict(), "of": len(project.story_ids()), **rules, "not_read": says}
    lines = as_lines(found, data["of"], says)
    print_result(as_json, data, "\n".join(lines), WHOLE)


def read_newest(project: Project, most: int) -> tuple[list[Followed], list[BatonError]]:
    """Read the stories that changed last, and say what is wrong with those of them that cannot be read.

    A journal changed last when its file did, or before: once that is long ago, no others need to be read.
    """
    newest, faults = list[tuple[str, str, Followed]](), list[BatonError]()
    for written, story_id in sorted(((_written(project, one), one) for one in project.story_ids()), reverse=True):
        if len(newest) == most and newest[0][0] > written:
            break
        try:
            journal = Journal(project.journal(story_id))
            if journal.records:
                heappush(newest, (journal.records[-1].time, story_id, _follow(project, journal, story_id)))
        except BatonError as error:
            faults.append(error)
        if len(newest) > most:
            heappop(newest)
    return [story for _, _, story in newest], faults


def _follow(project: Project, journal: Journal, story_id: str) -> Followed:
    check_owner(project, journal, validate_story_id(story_id))
    revert = fold(journal.records).undone
    return Followed(journal.records, bool(revert) and not brought_back(Git(project), *revert))


def _written(project: Project, story_id: str) -> str:
    """Return when a journal was written to at the latest, in the form of its times; after all for one unseen."""
    try:
        changed = project.journal(story_id).lstat().st_mtime
    except OSError:
        return "unseen"
    return datetime.fromtimestamp(changed + MARGIN_SECONDS, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def as_lines(found: Statistics, of: int, faults: Sequence[str]) -> list[str]:
    """Return the numbers as lines, a screen of them at most; one where there is no story."""
    became = [f"{count} {name.replace('_', ' ')}" for name, count in found.outcomes.items() if count]
    lines = [
        f"STORIES ({found.stories}) of {of}, changed from {found.changed_from[:10]} to {found.changed_to[:10]}",
        f"  {', '.join(became)}; {found.with_a_question} with a question",
        *(_table(found) if found.in_all["runs"] else []),
        *_rules("QUESTIONS", found.questions),
        *_rules("FAILED ATTEMPTS", found.failed_attempts),
    ]
    unread = _first([f"  {clip(one_line(one), FAULT_LENGTH)}" for one in faults], MOST_FAULTS)
    unread = [f"NOT READ ({len(faults)})", *unread] if faults else []
    return [*(lines if found.stories else []), *unread] or [NOTHING]


def _table(found: Statistics) -> list[str]:
    """Return what was used by each role, by each model and in all, a line each."""
    heading = ("BY ROLE", " runs", " minutes", " tokens", "usd, at least")
    roles, models = ([_row(*one) for one in group.items()] for group in (found.by_role, found.by_model))
    lines = in_columns([heading, *roles, _row("in all", found.in_all), ("BY MODEL", *[""] * 4), *models])
    return lines[: -len(models)] + _first(lines[-len(models) :])


def _row(name: str, used: Used) -> tuple[str, ...]:
    """Return the cells of a line, empty where nothing is known."""
    low, high = (f"{amount:.2f}" for amount in used["usd"])
    usd = [low if low == high else f"{low} to {high}"] if used["usd"][1] else []
    unpriced = ["more without a price"] if used["unpriced"] else []
    cells = (
        f"{used['runs'] or '':>5}",
        f"{used['minutes'] or '':>8}",
        f"{short(used['tokens']) if used['requests'] else '':>7}",
    )
    return f"  {clip(one_line(name), NAME_LENGTH)}", *cells, ", ".join(usd + unpriced)


def _rules(heading: str, counts: Sequence[RuleCount]) -> list[str]:
    """Return how often each rule held, and when it does."""
    rows = [
        (f"{one.times:>5}", clip(one_line(one.rule), NAME_LENGTH), clip(one.when, WHEN_LENGTH)) for one in counts
    ]
    return [f"{heading} ({sum(one.times for one in counts)})", *_first(in_columns(rows))] if rows else []


def _first(lines: list[str], most: int = MOST) -> list[str]:
    more = [f"  … {len(lines) - most} more: {WHOLE}"] if len(lines) > most else []
    return [*lines[:most], *more]
