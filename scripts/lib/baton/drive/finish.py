"""The end of a story: merged, or ready on its branch; what was left is checked out again."""

from pathlib import Path

from baton.drive.merging import merge_about, merge_once
from baton.drive.opened import OpenStory
from baton.drive.outcome import decide_step, passed
from baton.drive.tell import merge_command
from baton.outside.checks import sweep_story
from baton.story.durable import write_durably
from baton.story.events import Completed, Stepped

# What a screen holds beside the report and the command that merges.
SCREEN_LINES = 44
DIFFSTAT_LEAST = 8


def merged_head(story: OpenStory) -> str:
    """Give the closed story's head if base contains it: merged by a step that was interrupted, or by a person."""
    started = story.state.started
    assert started is not None
    closed = [one.commit for one in story.state.events if isinstance(one, Stepped) and one.rule == "close/written"]
    head = story.git.branch_commit(started.branch) or (closed[-1] if closed else "")
    base = story.git.branch_commit(story.base)
    # A branch that was put back behind its close has lost what was to be merged.
    return head if closed and all(story.git.contains(one, base) for one in (head, closed[-1])) else ""


def finish_merge(story: OpenStory, head: str) -> None:
    """Complete a story whose head base contains: tidy, and leave checked out what was so before it."""
    sent = story.state.outbox.get(("merge", merge_about(head, story.base)))
    outcome = "merge/ok" if sent and not sent.refused else "merge/already"
    story.git.switch(story.base)
    merge_once(story, head)
    commit = story.git.commit_of("HEAD")
    _keep_report(story, f"Merged into `{story.base}` as `{commit[:12]}`.")
    started = story.state.started
    assert started is not None
    # Kept where git finds commits of it that base lacks; a left branch that is gone is no reason to fail now.
    # Of a branch that has an upstream, as in a clone, git would ask whether that has them.
    story.git.ask("branch", "--quiet", "--unset-upstream", started.branch, no=(128,))
    story.git.ask("branch", "--quiet", "--delete", "--", started.branch)
    story.git.switch_back(started.left_branch)
    passed(story, decide_step(story, outcome), commit)
    done = decide_step(story, "close/done", commit=commit)
    story.note(Completed(done.rule, commit, str(_report_copy(story))))


def finish_branch(story: OpenStory) -> None:
    """Complete a story that stays on its branch: say what it changes and which command merges it."""
    started = story.state.started
    assert started is not None
    head = story.git.branch_commit(started.branch)
    report = story.folder.artefact("completion-report").read_text(encoding="utf-8")
    stat = _diffstat(story, head, max(DIFFSTAT_LEAST, SCREEN_LINES - report.count("\n")))
    _keep_report(story, f"{stat}\nMerge it with:\n\n```\n{merge_command(story)}\n```")
    story.git.switch_back(started.left_branch)
    done = decide_step(story, "branch/ok", commit=head)
    passed(story, done, head)
    story.note(Completed(done.rule, head, str(_report_copy(story))))


def _report_copy(story: OpenStory) -> Path:
    return story.project.state / story.id / "report.md"


def _keep_report(story: OpenStory, end: str) -> None:
    """Keep a copy of the completion report beside the journal, with what became of the branch."""
    sweep_story(story.project, story.id)
    text = story.folder.artefact("completion-report").read_text(encoding="utf-8")
    write_durably(_report_copy(story), f"{text}\n{end}\n", story.project.common)


def _diffstat(story: OpenStory, head: str, most: int) -> str:
    lines = story.git.do("diff", "--stat=100", f"{story.base}...{head}", "--").splitlines()
    shown = (
        lines if len(lines) <= most else [*lines[: most - 2], f" … and {len(lines) - most + 1} more", lines[-1]]
    )
    return "\n".join(["```", *shown, "```", ""])
