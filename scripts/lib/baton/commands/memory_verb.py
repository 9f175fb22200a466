"""Memory deltas of stories, drafted as a change of memory and decided on by the user: memory triage."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from baton.commands.arguments import check_allowed, json_option, persons_project, read_input, story_argument
from baton.commands.output import count_fitting, in_client, print_result
from baton.errors import BatonError
from baton.journal.paths import Project
from baton.memory.draft import begin_draft, keep_section, take_draft
from baton.memory.edit_tree import begin_tree
from baton.memory.land_memory import land_accepted
from baton.memory.triage import DeltaTriage, decide_on, read_triage
from baton.story.integrate.story_memory import ACCEPTED, REJECTED, delta_stands
from baton.story.session.open_story import look_at, open_story
from baton.story.session.session import StorySession
from baton.text import one_line, printable, quoted, visible

# How long a call waits for a draft.
WAIT_SECONDS = 90.0
CALL = "baton memory triage {}"
WRITTEN = "an agent wrote this; it will be read by every session"


@click.group()
def memory() -> None:
    """Decide what a story taught is remembered.

    Example: baton memory triage 42
    """


@memory.command("triage")
@story_argument()
@click.option("--draft", is_flag=True, help="Have one bounded run edit memory in a work tree of its own.")
@click.option("--tree", is_flag=True, help="Make that work tree, and edit memory there yourself.")
@click.option("--edit", default="", metavar="-", help="Have it drafted again, by what you say on stdin.")
@click.option("--accept", "accepts", is_flag=True, help="Land the commit you were shown; --seen names it.")
@click.option("--reject", "rejects", is_flag=True, help="Remember nothing of it; draft and work tree are removed.")
@click.option("--seen", default="", metavar="COMMIT", help="The commit that is decided on, as it was shown.")
@json_option
@click.pass_obj
def triage(
    start: Path,
    story_id: str,
    draft: bool,
    tree: bool,
    edit: str,
    accepts: bool,
    rejects: bool,
    seen: str,
    as_json: bool,
) -> None:
    """Show what QA learned, and the change of memory drafted of it.

    The change is one commit, shown as a diff. It lands as the story did once you accept exactly that commit; until
    then nothing of it is remembered.

    Example: baton memory triage 42 --accept --seen COMMIT
    """
    project, call = persons_project(start), CALL.format(story_id)
    if sum((draft, tree, bool(edit), accepts, rejects)) > 1 or edit not in ("", "-"):
        raise BatonError("one thing at a time, and `--edit` is `-`", "the options", f"`{CALL.format('--help')}`")
    words, done, hold = read_input(start, "-") if edit else "", list[str](), None
    if draft or tree or edit or accepts or rejects:
        with open_story(project, story_id, call) as story:
            if accepts or rejects:
                done = _decide(story, accepts, seen)
            elif delta_stands(story.folder, story.state) != "waits":
                what = "nothing of it waits" if story.state.stage == "complete" else "the story is not complete"
                raise BatonError(what, f"story {story_id}", f"`baton next {story_id}` says how it stands")
            elif tree:
                done = [f"edit memory in {begin_tree(story).path}, then call again without `--tree`"]
            else:
                hold = take_draft(story) or begin_draft(story, words)
    if hold:
        hold(WAIT_SECONDS)
    _show(project, story_id, done, as_json)


def _decide(story: StorySession, accepts: bool, seen: str) -> list[str]:
    how = "client" if in_client() else "terminal" if sys.stdin.isatty() else "pipe"
    check_allowed(story, f"memory triage --accept {seen}" if accepts else "memory triage --reject")
    if take_draft(story):
        raise BatonError("a draft is being made", f"story {story.id}", "call again once it has ended")
    done = decide_on(story, ACCEPTED if accepts else REJECTED, seen, how)
    return done + (land_accepted(story) if accepts else [])


def _show(project: Project, story_id: str, done: list[str], as_json: bool) -> None:
    """Show the delta; where it waits, what was drafted is taken in first."""
    story = look_at(project, story_id)
    if delta_stands(story.folder, story.state) != "waits":
        return _print(story_id, read_triage(story, takes=False), done, as_json)
    with open_story(project, story_id, CALL.format(story_id)) as story:
        hold = take_draft(story)
        keep_section(story)
        triaged = read_triage(story, takes=not hold)
    _print(story_id, triaged, done + ["a draft is being made"] * bool(hold), as_json)


def _print(story_id: str, triaged: DeltaTriage, done: list[str], as_json: bool) -> None:
    """Print all there is; in the client nothing is accepted that was not shown whole."""
    call = CALL.format(story_id)
    accepts = f"{call} --accept --seen {triaged.commit}" if triaged.commit else ""
    lines = [f"DONE {_line(line)}" for line in done]
    lines += _told(story_id, triaged) if triaged.delta else [f"story {story_id} has no memory delta"]
    end = []
    if triaged.stands == "waits" and triaged.keep:
        end = ["OR --edit - has it drafted again by your words, --tree is for your own edits, --reject drops it"]
        end.append(f"THEN {accepts or f'{call} --draft'}")
    elif triaged.stands == "waits":
        end = [f"OR {call} --reject"]
    if in_client() and count_fitting([*lines, *end]) < len(lines) + len(end):
        end = [f"THEN {call} --json: it shows the rest, and the command that accepts"]
        lines = lines[: max(0, count_fitting([*end, *lines]) - 1)]
    data = {"story": story_id, **triaged.to_data(), "next": accepts, "said": done}
    print_result(as_json, data, "\n".join([*lines, *end]), f"{call} --json")


def _told(story_id: str, triaged: DeltaTriage) -> Iterator[str]:
    """Say how it stands, what QA found, how the draft went, and what the commit changes that waits."""
    place = f"memory is kept in {triaged.keep}" if triaged.keep else f"PROBLEM {_line(triaged.problem)}"
    yield f"MEMORY of story {story_id}: {triaged.stands or 'nothing waits'}; {place}"
    yield from quoted("what QA found", triaged.delta.rstrip("\n")).split("\n")
    yield from (f"PROBLEM the change in {triaged.tree}: {_line(problem)}" for problem in triaged.refused)
    if triaged.draft and triaged.draft.why:
        yield f"DRAFT {triaged.draft.how}: {_line(triaged.draft.why)}"
    for row in triaged.draft.entries if triaged.draft else ():
        yield f"DRAFT {row['verdict']}: {_line(row.get('what') or row.get('text', ''))}: {_line(row['why'])}"
    if triaged.commit:
        yield from quoted(f"the diff of {triaged.commit}: {WRITTEN}", triaged.diff).split("\n")


def _line(text: str) -> str:
    return printable(visible(one_line(text)))
