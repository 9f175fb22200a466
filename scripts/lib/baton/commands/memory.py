"""What stories taught, drafted as a change of memory and decided on by the user: memory triage."""

import sys
from pathlib import Path

import click

from baton.commands.arguments import json_option, story_argument
from baton.commands.caller import check_allowed, persons_project, read_input
from baton.commands.render import count_fitting, in_client, print_result
from baton.errors import BatonError
from baton.feedback.text.quote import quoted
from baton.journal.paths import Project
from baton.memory.draft import begin_draft, keep_section, take_draft
from baton.memory.edit_tree import begin_tree
from baton.memory.land import land_accepted
from baton.memory.triage import DeltaTriage, accept, read_triage, reject
from baton.story.memory import delta_stands
from baton.story.session import StorySession, look_at, open_story
from baton.text import one_line, printable, visible

# How long a call waits for a draft.
WAIT_SECONDS = 90.0
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
    """Show what QA learned in a story, and the change of memory that was drafted of it.

    The change is one commit, shown as a diff. It lands as the story did once you accept exactly that commit; until
    then nothing of it is remembered.

    Example: baton memory triage 42 --accept --seen COMMIT
    """
    project = persons_project(start)
    if sum((draft, tree, bool(edit), accepts, rejects)) > 1 or edit not in ("", "-"):
        raise BatonError("one thing at a time, and `--edit` is `-`", "the options", "`baton memory triage --help`")
    said = list[str]()
    if accepts or rejects:
        said = _decide(project, story_id, accepts, seen)
    elif tree:
        with open_story(project, story_id, f"baton memory triage {story_id}") as story:
            _check_waits(story)
            said = [f"edit memory in {begin_tree(story).path}, then call again without `--tree`"]
    elif draft or edit:
        _draft(project, story_id, read_input(start, "-") if edit else "")
    _show(project, story_id, said, as_json)


def _decide(project: Project, story_id: str, accepts: bool, seen: str) -> list[str]:
    how = "client" if in_client() else "terminal" if sys.stdin.isatty() else "pipe"
    with open_story(project, story_id, f"baton memory triage {story_id}") as story:
        check_allowed(story, f"memory triage --accept {seen}" if accepts else "memory triage --reject")
        if take_draft(story):
            raise BatonError("a draft is being made", f"story {story_id}", "call again once it has ended")
        if not accepts:
            return reject(story, seen, how)
        return accept(story, seen, how) + land_accepted(story)


def _draft(project: Project, story_id: str, words: str) -> None:
    """Have it drafted, and wait for that as long as a call waits."""
    with open_story(project, story_id, f"baton memory triage {story_id}") as story:
        _check_waits(story)
        hold = take_draft(story) or begin_draft(story, words)
    if hold:
        hold(WAIT_SECONDS)


def _check_waits(story: StorySession) -> None:
    if delta_stands(story.folder, story.state) != "waits":
        what = "nothing of it waits" if story.state.stage == "complete" else "the story is not complete"
        raise BatonError(what, f"story {story.id}", f"`baton next {story.id}` says how it stands")


def _show(project: Project, story_id: str, said: list[str], as_json: bool) -> None:
    """Show the delta; where it waits, what was drafted is taken in first."""
    story = look_at(project, story_id)
    if delta_stands(story.folder, story.state) != "waits":
        _print(story, read_triage(story, takes=False), said, as_json)
        return
    with open_story(project, story_id, f"baton memory triage {story_id}") as story:
        hold = take_draft(story)
        keep_section(story)
        _print(story, read_triage(story, takes=not hold), said + ["a draft is being made"] * bool(hold), as_json)


def _print(story: StorySession, found: DeltaTriage, said: list[str], as_json: bool) -> None:
    call = f"baton memory triage {story.id}"
    accepts = f"{call} --accept --seen {found.commit}" if found.commit else ""
    lines = [f"DONE {_line(one)}" for one in said]
    if not found.delta:
        lines.append(f"story {story.id} has no memory delta")
        print_result(
            as_json, {"story": story.id, **found.to_data(), "next": "", "said": said}, "\n".join(lines), call
        )
        return
    place = f"memory is kept in {found.keep}" if found.keep else f"PROBLEM {_line(found.problem)}"
    lines.append(f"MEMORY of story {story.id}: {found.stands or 'nothing waits'}; {place}")
    lines += quoted("what QA found", found.delta.rstrip("\n")).split("\n")
    lines += [f"PROBLEM the change in {found.tree}: {_line(one)}" for one in found.refused]
    lines += _drafted(found)
    end = _end(found, call, accepts)
    fits = not in_client() or count_fitting([*lines, *end]) == len(lines) + len(end)
    if not fits:  # nothing is accepted that was not shown whole
        end = [f"THEN {call} --json: it shows the rest, and the command that accepts"]
        lines = lines[: max(0, count_fitting([*end, *lines]) - 1)]
    data = {"story": story.id, **found.to_data(), "next": accepts, "said": said}
    print_result(as_json, data, "\n".join([*lines, *end]), f"{call} --json")


def _drafted(found: DeltaTriage) -> list[str]:
    """Return how the draft went, entry by entry, and the diff of the commit that waits."""
    draft = found.draft if found.stands == "waits" else None
    lines = [f"DRAFT {draft.how}: {_line(draft.why)}"] if draft and draft.why else []
    for one in draft.entries if draft else ():
        lines.append(
            f"DRAFT {one['verdict']}: {_line(one.get('what') or one.get('text', ''))}: {_line(one['why'])}"
        )
    if found.commit:
        lines += quoted(f"the diff of {found.commit}: {WRITTEN}", found.diff).split("\n")
    return lines


def _end(found: DeltaTriage, call: str, accepts: str) -> list[str]:
    """Return what can be done now."""
    if found.stands != "waits" or not found.keep:
        return [f"OR {call} --reject"] if found.stands == "waits" else []
    others = "OR --edit - has it drafted again by your words, --tree is for your own edits, --reject drops it"
    return [others, f"THEN {accepts}" if accepts else f"THEN {call} --draft"]


def _line(text: str) -> str:
    return printable(visible(one_line(text)))
