"""What becomes of a run's work once it is judged: put on the story branch with the papers, filed away."""

from datetime import UTC, datetime
from typing import NamedTuple

from baton.git.objects import commit_message, commit_tree, merge_trees, tree_of
from baton.journal.atomic_file import write_durably
from baton.journal.events import Judged, RunArchived
from baton.journal.run import Run
from baton.story.run_facts import commit_made_before, conflict_of, work_to_merge
from baton.story.run_work import message_of, remove_run_tree
from baton.story.session import StorySession
from baton.story.story_branch import move_branch
from baton.story.story_files import file_away, tree_with_papers
from baton.templates.render import render


class BranchUpdate(NamedTuple):
    """A run's work on the story branch: the new commit, or the files in which it conflicts with the branch."""

    commit: str
    conflicts: list[str]


def archive_run(story: StorySession, run: Run) -> None:
    """Put a judged run's work on the story branch, file its metadata away, and remove its tree."""
    write_summary(story)
    put = put_on_branch(story, run)
    refused = conflict_of(story, run) if put.conflicts else run.kept.refused if run.kept else ""
    file_away(story, ("return-meta",))
    stays = remove_run_tree(story, run)
    story.note(RunArchived(run.id, put.commit, refused, stays))


def put_on_branch(story: StorySession, run: Run) -> BranchUpdate:
    """Move the story branch to a commit of the run's work and the papers as they are now.

    Where the branch has moved since the run began, the work is merged onto it as it is now; a conflict leaves it.
    """
    if made := commit_made_before(story, run):
        return BranchUpdate(made, [])
    git, tip, work = story.git, story.tip, work_to_merge(run)
    if work:
        merged = merge_trees(git, tip, work) if tip != run.dispatched.head else None
        if merged and merged.conflicts:
            return BranchUpdate("", merged.conflicts)
        code = merged.tree if merged else tree_of(git, work)
    else:
        code = tree_of(git, tip)
    tree = tree_with_papers(story, code)
    merging = run.dispatched.merging if work else ""
    if tree == tree_of(git, tip) and not merging:
        return BranchUpdate("", [])
    said = commit_message(git, work) if work else ""
    commit = commit_tree(git, tree, [tip, *([merging] if merging else [])], said or message_of(story, run))
    move_branch(story, tip, commit)
    return BranchUpdate(commit, [])


def write_summary(story: StorySession) -> None:
    """Render the summary with its Phase Log: one entry a run."""
    day = datetime.now(UTC).strftime("%Y%m%d")
    folder = story.folder.path / "summaries"
    existing = sorted(folder.glob("implementation-summary-*.md"))
    path = existing[0] if existing else folder / f"implementation-summary-{day}.md"
    # A run the user had judged once more has its last judgment.
    judged = list({one.run: one for one in story.state.events if isinstance(one, Judged) and one.run}.values())
    last = judged[-1] if judged else None
    text = render(
        "summary.md.j2",
        id=story.id,
        title=story.state.created.title,
        entries=judged,
        closed=last.closed if last else 0,
        total=last.total if last else 0,
    )
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_durably(path, text, story.project.common)
