"""What stories learned, decided on by the user: memory triage."""

import shlex
import sys
from pathlib import Path

import click

from baton.artifacts.memory_entries import read_numbers
from baton.commands.arguments import json_option, story_argument
from baton.commands.caller import check_allowed, persons_project, read_input
from baton.commands.render import clipped, count_fitting, in_client, print_result
from baton.errors import BatonError
from baton.journal.paths import Project
from baton.memory.lines import inert_line
from baton.memory.triage import Choice, DeltaTriage, TriageRow, decide_entries, read_triage
from baton.memory.write import unwritten, write_accepted
from baton.story.session import StorySession, look_at, open_story
from baton.text import one_line, printable, visible

# Bytes of what an entry says, in the client.
SHORT = 400


@click.group()
def memory() -> None:
    """Decide which lessons of a story are remembered.

    Example: baton memory triage 42
    """


@memory.command("triage")
@story_argument()
@click.option("--accept", multiple=True, metavar="N,N-N", help="Take these entries as they are.")
@click.option("--reject", multiple=True, metavar="N,N-N", help="Drop these entries.")
@click.option(
    "--edit", "edits", multiple=True, metavar="N=TEXT|N=-", help="Take an entry in your words; - is stdin."
)
@click.option(
    "--seen",
    default="",
    metavar="HASH",
    help="Only if the entries are still those that were listed; in the client it has to be there.",
)
@json_option
@click.pass_obj
def triage(
    start: Path,
    story_id: str,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    edits: tuple[str, ...],
    seen: str,
    as_json: bool,
) -> None:
    """List what QA learned in a story, and take your decisions on it.

    Each entry is shown with its evidence and with what memory says about it now. What you accept is written where
    the project keeps its memory, in a commit of its own, once the story is complete. What you leave out waits.

    Example: baton memory triage 42 --accept 1,3-5 --reject 2 --edit '6=Run the tests with `make check`'
    """
    project = persons_project(start)
    choice = Choice(_numbers(accept), _numbers(reject), dict(_edit(start, one) for one in edits))
    if not any(choice):
        story = look_at(project, story_id)
        if story.config.triage == "draft":
            story = _with_draft(project, story_id)
        _print(story, read_triage(story), [], as_json)
        return
    with open_story(project, story_id, f"baton memory triage {story_id}") as story:
        check_allowed(story, "memory triage")
        said = decide_entries(story, choice, _how(), seen)
        said += write_accepted(story)
        if left := len(unwritten(story)):
            said.append(f"nothing yet: what you accepted ({left}) is written once the story is complete")
        _print(story, read_triage(story), said, as_json)


def _with_draft(project: Project, story_id: str) -> StorySession:
    """Take in a draft that was made meanwhile; none is begun."""
    from baton.memory.draft import draft_triage, keep_section

    with open_story(project, story_id, f"baton memory triage {story_id}") as story:
        if story.state.stage == "complete":
            draft_triage(story, starts=False)
            keep_section(story)
    return look_at(project, story_id)


def _numbers(given: tuple[str, ...]) -> list[int]:
    return [number for one in given for number in read_numbers(one)]


def _edit(start: Path, given: str) -> tuple[int, str]:
    number, equals, text = given.partition("=")
    if not equals:
        raise BatonError("no text", f"--edit {given!r}", "as in --edit '4=TEXT'")
    numbers = read_numbers(number)
    if len(numbers) > 1:
        raise BatonError("one text for several entries", f"--edit {given!r}", "give each its own")
    return numbers[0], read_input(start, "-") if text == "-" else text


def _print(story: StorySession, found: DeltaTriage, said: list[str], as_json: bool) -> None:
    command = _command(story.id, found)
    data = {
        "story": story.id, "keep": found.keep, "problem": found.why, "waiting": found.waiting, "next": command,
        "said": said, "entries": [row.to_data() for row in found.rows],
    }  # fmt: skip
    lines = [f"DONE {one}" for one in map(_line, said)]
    if not found.rows:
        lines.append(f"story {story.id} has no memory delta")
    else:
        place = f"kept in {found.keep}" if found.keep else f"PROBLEM {_line(found.why)}"
        lines.append(f"MEMORY of story {story.id}: {len(found.waiting)} of {len(found.rows)} wait; {place}")
    shown = [line for row in found.rows for line in _row(row, bool(found.keep))]
    others = "OR --reject N,N drops entries, --edit 'N=TEXT' takes one in your words; what is left out waits"
    end = [others, f"THEN {command}"] if command else []
    print_result(as_json, data, _fitting(lines, shown, end, story.id), f"baton memory triage {story.id} --json")


def _row(row: TriageRow, has_memory: bool) -> list[str]:
    entry, decided = row.entry, row.decided
    if decided:
        words = f", as: {_line(decided.text)}" if decided.text != entry.text else ""
        return [f"{row.number} {entry.kind}, {decided.decision} on {decided.day}: {_line(entry.text)}{words}"]
    gives_way = "replaces " if row.replaces else ""
    held = [f"    {gives_way}{one.place}: {_line(one.text)}" for one in row.held]
    nothing = ["    memory: nothing about it"] if has_memory else []
    names = [f"    about: {_whole(entry.names)}"] if entry.names else []
    shows = [f"    evidence: {_line(entry.evidence)}"] if entry.evidence else []
    as_text = f" as `{_line(row.draft['text'])}`" if row.draft.get("text") else ""
    draft = [f"    draft: {row.draft['verdict']}{as_text}: {_line(row.draft['why'])}"] if row.draft else []
    return [f"{row.number} {entry.kind}: {_whole(entry.text)}", *names, *shows, *(held or nothing), *draft]


def _line(text: str) -> str:
    return clipped(_whole(text), SHORT, "…") if in_client() else _whole(text)


def _whole(text: str) -> str:
    """Return a text as it is decided on: nothing of it may be left out where it is shown."""
    return printable(visible(one_line(text)))


def _fitting(lines: list[str], shown: list[str], end: list[str], story_id: str) -> str:
    """Return all of it; in the client what fits, where the command that decides comes after all was shown."""
    fits = count_fitting([*lines, *end, *shown]) - len(lines) - len(end) if in_client() else len(shown)
    if fits < len(shown):
        end = [f"THEN baton memory triage {story_id} --json: it shows the rest, and the command that decides"]
    return "\n".join([*lines, *shown[: max(0, fits)], *end])


def _command(story_id: str, found: DeltaTriage) -> str:
    """Return the command that decides what waits: as the draft suggests it, else that accepts it all."""
    rows = [row for row in found.rows if row.decided is None]
    verdicts = {row.number: row.draft.get("verdict", "accept") for row in rows}
    words = list[str]()
    for option in ("accept", "reject"):
        if numbers := [str(number) for number, verdict in verdicts.items() if verdict == option]:
            words += [f"--{option}", ",".join(numbers)]
    edits = [f"{row.number}={inert_line(row.draft['text'])}" for row in rows if verdicts[row.number] == "edit"]
    words += [f"--edit {shlex.quote(one)}" for one in edits]
    if rows and not words:  # the draft leaves all of it to you
        words = ["--accept", ",".join(map(str, verdicts))]
    return " ".join(["baton memory triage", story_id, *words, "--seen", found.seen]) if words else ""


def _how() -> str:
    return "client" if in_client() else "terminal" if sys.stdin.isatty() else "pipe"
