"""The end of a story: merged, or ready on its branch; its completion report, and what is waited for before."""

import re
import time
from collections.abc import Sequence
from pathlib import Path

from baton.checks.check_tree import trees_folder
from baton.checks.cleanup import hooks_made, remove_trees
from baton.errors import BatonError
from baton.git.branches import drop_branch
from baton.git.objects import commit_message
from baton.journal.atomic_file import write_durably
from baton.journal.events import Completed
from baton.journal.lock import hold_lock
from baton.journal.paths import ARTIFACTS
from baton.journal.repository import read_stories
from baton.story.ask.step import CHECK_SECONDS, Step, decided_step
from baton.story.checks.compare_checks import Running, Weighed
from baton.story.integrate.completion_report import report_text
from baton.story.integrate.integration_steps import decide_step, record_or_ask
from baton.story.run.progress import trees_left
from baton.story.run.run_work import forget_runs
from baton.story.run.story_steps import merge_command
from baton.story.session.papers import papers_in
from baton.story.session.session import StorySession, base_commit_of, tip_of
from baton.story.session.story_files import text_of

# What a screen holds beside the report and the command that merges.
SCREEN_LINES = 44
DIFFSTAT_LEAST = 8
# A story keeps its turn by calls that come at least so often; one that nobody goes on with holds up no other.
KEPT_SECONDS = CHECK_SECONDS + 30
LOOK_SECONDS = 0.5


def finish_merge(story: StorySession, commit: str, ours: bool = True, told: Sequence[str] = ()) -> None:
    """Complete a story that base contains: keep its report, with the lines of `told`; delete its branch.

    A branch that somebody works on stays, and one that was squashed: it holds more than base.
    """
    ran = commit_message(story.git, commit).partition("\n\n")[2].strip() if ours else ""
    report = report_text(story, merged=commit, ours=ours)
    more = "\n".join(f"- {line}" for line in told)
    stays = _keep_report(story, "\n\n".join(filter(None, (ran and f"## What was run\n\n{ran}", more))), report)
    if story.git.contains(tip_of(story), base_commit_of(story)):
        drop_branch(story.git, story.branch, tip_of(story))
    forget_runs(story)
    done = decide_step(story, "close/done", commit=commit)
    story.note(Completed(done.rule, commit, str(_report_copy(story)), stays))


def finish_pull(story: StorySession, head: str, url: str, checks: str) -> None:
    """Complete a story whose pull request is left open, with the result of its checks."""
    done = decide_step(story, "integrate/pr", f"{url} is open at {head[:12]}; {checks}")
    stays = _keep_report(story, f"Open as {url}\n\n{checks}", report_text(story))
    forget_runs(story)
    record_or_ask(story, done, head)
    story.note(Completed(done.rule, head, str(_report_copy(story)), stays))


def finish_branch(story: StorySession, weighed: Sequence[Weighed]) -> None:
    """Complete a story that stays on its branch: say what it changes and which command merges it."""
    head = tip_of(story)
    report = report_text(story, weighed)
    stat = _diffstat(story, head, max(DIFFSTAT_LEAST, SCREEN_LINES - report.count("\n")))
    stays = _keep_report(story, f"{stat}\nMerge it with:\n\n```\n{merge_command(story)}\n```", report)
    forget_runs(story)
    done = decide_step(story, "integrate/branch", commit=head)
    record_or_ask(story, done, head)
    story.note(Completed(done.rule, head, str(_report_copy(story)), stays))


def _report_copy(story: StorySession) -> Path:
    return story.project.state / story.id / "report.md"


def _keep_report(story: StorySession, end: str, text: str) -> list[str]:
    """Keep a copy of the completion report beside the journal, with what became of the branch.

    Returns what the story left changed in the user's repository; the copy has that, too, and the trees that stay.
    """
    paths = hooks_made(story.project, story.id)
    hooks = f"the project's own `setup` put hooks into {paths[0]}: {', '.join(paths[1:])}" if paths else ""
    leftovers = [*filter(None, (hooks, remove_trees(story.project, story.id)))]
    notes = [f"Note: {sentence}." for sentence in (*leftovers, *trees_left(story.state))]
    report = "\n\n".join(part.strip("\n") for part in (text, end, *notes) if part)
    write_durably(_report_copy(story), f"{report}\n", story.project.common)
    return leftovers


def _diffstat(story: StorySession, head: str, most: int) -> str:
    lines = story.git.do("diff", "--stat=100", f"{story.settings().base}...{head}", "--").splitlines()
    shown = (
        lines if len(lines) <= most else [*lines[: most - 2], f" … and {len(lines) - most + 1} more", lines[-1]]
    )
    return "\n".join(["```", *shown, "```", ""])


def close_files(story: StorySession, tree: str) -> dict[str, bytes]:
    """Return the story's folder as it goes into a tree: with the completion report, and its status."""
    files = papers_in(story.folder)
    files[ARTIFACTS["story"]] = _with_status(text_of(story, "story")).encode(errors="surrogateescape")
    files[ARTIFACTS["completion-report"].format(id=story.id)] = report_text(story, tree=tree).encode()
    return files


def _with_status(text: str) -> str:
    """Return a story's text with its closing status."""
    changed, count = re.subn(r"(?m)\A(---\n(?:(?!---$).*\n)*?)status:.*$", r"\1status: complete", text, count=1)
    if not count:
        changed, count = re.subn(r"\A---\n", "---\nstatus: complete\n", text, count=1)
    if not count:
        raise BatonError("no front matter", "story.md", "put it back: it begins with a line `---`")
    return changed


def wait_for_commands(story: StorySession, running: Running) -> Step:
    """Return the step that waits for commands that run on by themselves."""
    decision = decide_step(story, "build/wait", running.told)
    step = decided_step(story, decision, "integration")
    return step._replace(seconds=CHECK_SECONDS, hold=running.checks.wait)


def await_turn(story: StorySession) -> Step | None:
    """Take the turn to be merged, or keep it; returns the step that waits for the story that has it.

    One story at a time has it, so that each is checked once, on the base it meets.
    """
    path = _turn_file(story)
    with hold_lock(path.with_suffix(".lock"), f"baton next {story.id}"):
        holder = _turn_holder(story)
        if not holder:
            write_durably(path, story.id, story.project.common)
            return None
    step = decided_step(story, decide_step(story, "merge/turn", holder), "integration")
    return step._replace(seconds=CHECK_SECONDS, hold=lambda seconds: _wait_for_turn(story, seconds))


def _turn_file(story: StorySession) -> Path:
    return trees_folder(story.project.common) / "merging.id"


def _turn_holder(story: StorySession) -> str:
    """Return the other story whose turn it is; empty when it is nobody's."""
    try:
        name, since = _turn_file(story).read_text(encoding="utf-8"), _turn_file(story).stat().st_mtime
    except (OSError, ValueError):
        return ""
    if name == story.id or time.time() - since > KEPT_SECONDS:
        return ""
    pending = next((state.pending for state in read_stories(story.project, [name]).states), None)
    return name if pending and pending.then == "integrate" else ""


def _wait_for_turn(story: StorySession, seconds: float) -> bool:
    """Wait until the turn is free; returns whether it is."""
    deadline = time.monotonic() + seconds
    while (held := _turn_holder(story)) and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
    return not held
