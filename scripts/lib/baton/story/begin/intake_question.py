"""The question about the criteria that a planner read: on one screen, however many there are."""

from itertools import groupby

from baton.artifacts.intake import Intake, ReadCriterion, count_criteria
from baton.journal.paths import ARTIFACTS
from baton.text import fit_columns, plural, visible

# Lines in all; of what was left out, and of what is asked; columns of a line, and of a heading in it.
ROOM, MOST_BESIDE, WIDE, TITLE = 15, 2, 90, 40


def intake_text_of(intake: Intake, story_id: str, phases: str, comments: int) -> str:
    """Return why the user is asked, with the criteria: each on a line, or by the headings they stand under.

    `comments`: how many the story's issue had, which nobody read.
    """
    files = len({criterion.path for criterion in intake.criteria})
    count = count_criteria(len(intake.criteria))
    first = f"{count}, read from {plural(files, 'file')}, and a plan of {phases}; nobody has confirmed them yet"
    left = sorted(intake.left_out, key=lambda part: -part.demanded)  # what looks like criteria is shown first
    beside = [f"  Left out: {part.place}{_looks(part.demanded)}: {_short(part.why, 50)}" for part in left]
    asks = [f"  Asks: {_short(question)}" for question in intake.asks]
    own = f"/{ARTIFACTS['source']}"
    places = _short(", ".join("your text" if name.endswith(own) else name for name in intake.unchecked))
    unchecked = f"  Not checked: no list of criteria in {places}, so what was left out is not known"
    below = [*_some(beside, "left out"), *([_done(intake)] if intake.done else [])]
    below += [f"  Not read: {plural(comments, 'comment')} on the issue"] if comments else []
    below += [*([unchecked] if intake.unchecked else []), *_some(asks, "asked")]
    below += [f"  Title: {_short(intake.title)}"] if intake.title else []
    lines = _whole_lines(intake.criteria, ROOM - len(below))
    if not lines:
        lines = _criteria_lines(intake.criteria, ROOM - len(below))
        lines += [f"  every word of them: baton show {story_id} criteria"]
    return "\n".join([first, *lines, *below])


def _looks(number: int) -> str:
    return f" ({plural(number, 'line')} that look{'s' if number == 1 else ''} like criteria)" if number else ""


def _some(lines: list[str], what: str) -> list[str]:
    if len(lines) <= MOST_BESIDE:
        return lines
    return [*lines[: MOST_BESIDE - 1], f"  and {len(lines) - MOST_BESIDE + 1} more {what}"]


def _done(intake: Intake) -> str:
    names = ", ".join(part.what for part in intake.done)
    return f"  Done already: {_short(names, 60)}: seen in the code, judged by QA like the rest"


def _whole_lines(criteria: tuple[ReadCriterion, ...], most: int) -> list[str]:
    """Return each criterion with all its words; none where they take more lines than there is room for."""
    lines = [_alone(number, criterion, whole=True) for number, criterion in enumerate(criteria, 1)]
    return lines if sum(len(line) // WIDE + 1 for line in lines) <= most else []


def _criteria_lines(criteria: tuple[ReadCriterion, ...], most: int) -> list[str]:
    """Return a line per criterion as far as there is room, and one per heading for the rest."""
    numbered = list(enumerate(criteria, 1))
    groups = [list(each) for _, each in groupby(numbered, lambda pair: (pair[1].path, pair[1].heading))]
    if len(groups) > most:
        lines = [_group(each) for each in groups[: most - 1]]
        return [*lines, f"  … and {plural(len(groups) - most + 1, 'heading')} more, to AC{len(criteria)}"]
    room, lines = most - len(groups), list[str]()
    for each in groups:
        alone = each if len(each) - 1 <= room else each[:room]
        room -= min(len(each) - 1, room)
        lines += [_alone(*pair) for pair in alone]
        lines += [_group(each[len(alone) :])] if each[len(alone) :] else []
    return lines


def _alone(number: int, criterion: ReadCriterion, whole: bool = False) -> str:
    words = visible(criterion.text) if whole else _short(criterion.text)
    return f"  AC{number} {'(proposed) ' if criterion.proposed else ''}{words}"


def _group(numbered: list[tuple[int, ReadCriterion]]) -> str:
    (first, criterion), (last, _) = numbered[0], numbered[-1]
    if first == last:
        return _alone(first, criterion)
    proposed = sum(criterion.proposed for _, criterion in numbered)
    mark = f"({proposed} proposed) " if proposed else ""
    title = f"{_short(criterion.heading, TITLE)}: " if criterion.heading else ""
    return f"  AC{first}–{last} {mark}{title}{_short(criterion.text, WIDE - TITLE)}"


def _short(text: str, most: int = WIDE) -> str:
    return fit_columns(visible(text), most)
