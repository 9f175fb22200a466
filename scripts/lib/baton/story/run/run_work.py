"""A run's work: taken from its tree as it is, kept under a ref of its own until the story is over."""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from baton.artifacts.kinds import is_valid
from baton.checks.check_tree import check_tree
from baton.errors import BatonError
from baton.git.command import Git, project_at
from baton.git.commits import (
    HOOK_SECONDS,
    WantedCommit,
    Work,
    changed_files,
    hold_hooks,
    missing_hooks,
    reset_to,
    run_hooks,
    stage_files,
    staged_tree,
    take_files,
)
from baton.git.objects import (
    commit_message,
    commit_to_look_at,
    drop_refs,
    files_in,
    keep_commit,
    scratch_index,
    tree_of,
)
from baton.git.paper_trees import same_code
from baton.journal.events import HandedIn, Kept
from baton.journal.lock import hold_lock
from baton.journal.run import ROLES, Run
from baton.project.protected_files import hooks_folder, risky_sort
from baton.story.ask.question import was_accepted
from baton.story.checks.gate import RUNS_FAULTS, Concern, what_would_land
from baton.story.checks.merge_conflicts import find_unresolved, in_commit
from baton.story.run.begin_run import refs_of, remove_agents_tree, tree_of_run
from baton.story.run.commit_message import is_message_allowed, run_message
from baton.story.run.left_out import Left, left_out
from baton.story.session.papers import remove_papers
from baton.story.session.session import StorySession, base_commit_of, papers_of, tip_of
from baton.story.session.story_files import accept_text, digest_of, edited_since, text_of, tree_plan
from baton.story.session.user_refs import keep_prefix

SHOWN_DIFF = 4_000
# What the user is asked to pass over, for the whole story.
HOOKS = "hooks that cannot run"


def keep_work(story: StorySession, run: Run, declared: frozenset[str], summary: str) -> Kept | None:
    """Take what lies in a run's tree: its plan, and its code as one commit on what it began from.

    None when nothing is to be taken: no tree, or a role that changes no code. `declared` are the files it names,
    `summary` is in its words what it did.
    """
    tree = tree_of_run(story, run)
    if tree is None or not ROLES[run.role].changes_code:
        return None
    take_plan(story, run, tree.root)
    git, sent = Git(tree), run.dispatched
    with hold_hooks(story.project, run.id):
        left = left_out(story, run, git)
        branch = story.branch if tip_of(story) == sent.head else ""
        text, fallback = run_message(story, run, summary)
        merging = bool(sent.merging)
        wanted = WantedCommit(sent.head, text, left.names, branch, merging=merging, fallback=fallback)
        not_taken = stage_files(git, wanted, left.among)
        tree_id = staged_tree(git, wanted)
        risk = risk_in(concerns_of(story, run, tree_id, text))
        if risk and not was_accepted(story, risk):
            return _noted(story, run, Work(tree_id, text, changed=True), left, "", risk)
        tried = run_hooks(git, wanted, changed=tree_id != tree_of(story.git, sent.head))
        work = _try_where_set_up(story, wanted, tried)
        if work is not tried:
            take_files(git, tried.tree, work.tree)
    unhooked = _unhooked(git) if work is tried else ""
    work = work._replace(broken="") if was_accepted(story, HOOKS) else work
    open_conflicts = find_unresolved(story, run, in_commit(story.git, work.tree), declared)
    unheard = "" if is_message_allowed(story, run) else work.message_refused
    refused = work.refused or "\n".join([*not_taken, *map(str, open_conflicts)])
    return _noted(story, run, work._replace(refused=refused, message_refused=unheard), left, unhooked)


def _try_where_set_up(story: StorySession, wanted: WantedCommit, work: Work) -> Work:
    """Run hooks that could not run in a run's tree in the story's check tree, where that is set up."""
    tree = check_tree(story.project.common, story.id)
    if not (work.broken and tree.known.get("setup") and tree.path.is_dir()):
        return work
    with suppress(BatonError), hold_lock(tree.lock, "git's hooks", HOOK_SECONDS):
        tree.note(stay="")
        commit = commit_to_look_at(story.git, work.tree, [wanted.head])
        tree.put_at(commit, work.tree, tree.spared)
        git = Git(project_at(tree.path))
        git.do("update-ref", "--no-deref", "HEAD", wanted.head)
        retried = run_hooks(git, wanted._replace(leave=frozenset(changed_files(git))), changed=work.changed)
        return work if retried.broken else retried
    return work


def _unhooked(git: Git) -> str:
    """Say that hooks are configured which are not in a run's tree, and so judge nothing."""
    name = missing_hooks(git).removeprefix(f"{git.project.root}/")
    return f"git's hooks are configured in {name}, which is not there: none ran" if name else ""


def _noted(story: StorySession, run: Run, work: Work, left: Left, unhooked: str, risk: str = "") -> Kept:
    sent, tree = run.dispatched, work.tree
    parents = [sent.head, *([sent.merging] if sent.merging else [])]
    commit = ""
    if sent.merging or not same_code(story.git, tree, sent.head, papers_of(story)):
        ref = f"{refs_of(story.id)}/{run.id}"
        commit = keep_commit(story.git, ref, tree, parents, work.message)  # what is signed is made of it
    kept = Kept(run.id, commit, work.refused, left.told, risk, work.message_refused, work.broken, unhooked)
    if run.kept != kept:
        story.note(kept)
    return kept


def take_plan(story: StorySession, run: Run, root: Path) -> None:
    """Take the plan with the marks as the run left them in its tree."""
    text = tree_plan(story, root)
    if run.role != "implementer" or not text or text == text_of(story, "plan"):
        return
    if edited_since(story, run, "plan"):
        return  # what the user wrote holds, and the next run takes its marks from there
    if is_valid("plan", text_of(story, "plan")) and not is_valid("plan", text):
        return  # what the run broke is not taken over
    path = story.folder.artifact("plan")
    accept_text(story, path, text)
    story.note(HandedIn(run.id, "plan", story.folder.relative_to_root(path), digest_of(text)))


def work_as_it_is(story: StorySession, run: Run) -> str:
    """Commit what lies in a run's tree, to be looked at and thrown away; returns the commit."""
    git = story.git
    with scratch_index() as index:
        if (own := git.project.git_dir / "index").exists():  # with what git knows of each file
            shutil.copy2(own, index)
        left = left_out(story, run, git, index)
        wanted = WantedCommit(run.dispatched.head, "", left.names, scratch=index)
        stage_files(git, wanted, left.among)
        tree = staged_tree(git, wanted)
    return commit_to_look_at(git, tree, [run.dispatched.head])


def concerns_of(story: StorySession, run: Run, tree: str, message: str) -> list[Concern]:
    """Return what the user must know of in a run's tree, and in the message of its commit, before that is made."""
    concerns = what_would_land(story, _fork_of(story, run), tree, {"the commit's message": message})
    return [concern for concern in concerns if concern.sort != "lost"]  # a report, which may yet come, names it


def concerns_in(story: StorySession, run: Run, kept: Kept) -> list[Concern]:
    """Return what the user must know of in the kept work of a run."""
    commit = kept.commit or run.dispatched.head
    return concerns_of(story, run, commit, commit_message(story.git, commit))


def risk_in(concerns: Sequence[Concern]) -> str:
    """Name by its content what the user must allow before it is committed; empty for nothing."""
    texts = [concern.told for concern in concerns if concern.sort in ("protected", *RUNS_FAULTS)]
    lines = [concern.key for concern in concerns if concern.sort == "protected"]
    return f"{digest_of(chr(10).join([*lines, *texts]))[:16]} {', '.join(texts)}" if texts else ""


def _fork_of(story: StorySession, run: Run) -> str:
    """Return the commit of base from which the user is asked about what the story changes."""
    sent = run.dispatched
    return story.git.fork_point(sent.merging or sent.head, base_commit_of(story))


def risk_shown(story: StorySession, run: Run) -> dict[str, Any]:
    """Return what the user is asked to allow: named, each part by its content, and its diff, long ones in part."""
    kept = run.kept
    assert kept is not None
    base, commit = _fork_of(story, run), kept.commit or run.dispatched.head
    hooks = hooks_folder(story.git)
    names = [name for name in story.git.changed(base, commit) if risky_sort(name, hooks)]
    words = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", base, commit, "--")
    shown = story.git.do(*words, *names)[:SHOWN_DIFF] if names else ""
    return {
        "about": kept.risky,
        "allows": [concern.key for concern in concerns_in(story, run, kept)],
        "findings": [shown],
    }


def remove_run_tree(story: StorySession, run: Run) -> str:
    """Remove the tree of a run that was judged, if no work is in it; returns what stays, and why."""
    tree = tree_of_run(story, run)
    if tree is None or run.begun is None:
        return ""
    kept = run.kept.commit if run.kept else ""
    reset_to(Git(tree), kept or "HEAD")
    committed = files_in(story.git, kept or f"worktrees/{tree.git_dir.name}/HEAD", story.folder.relative)
    remove_papers(story, tree.root, committed)
    words = (story.git, tree.root, run.begun.foreign, run.begun.agent, run.begun.born)
    if stays := remove_agents_tree(*words):
        # Git takes a paper for changed whose ends of lines it writes otherwise, until it has looked.
        Git(tree).ask("add", "--update", "--sparse", "--", story.folder.relative, no=range(1, 256))
        stays = remove_agents_tree(*words)
    return f"the work tree {tree.root} of {run.id} stays: {stays}" if stays else ""


def forget_runs(story: StorySession) -> None:
    """Delete the refs that kept the runs of a story that is over."""
    drop_refs(story.git, refs_of(story.id), keep_prefix(story.id))
