"""A run's work: taken from its tree as it is, kept under a ref of its own until the story is over."""

import os
import shutil
from pathlib import Path

from baton.artifacts.findings import shown
from baton.artifacts.kinds import is_valid
from baton.git.command import Git
from baton.git.commits import (
    WantedCommit,
    Work,
    back_to,
    make_work,
    missing_hooks,
    run_hooks,
    stage,
    staged_tree,
)
from baton.git.objects import (
    commit_to_look_at,
    commit_tree,
    drop_refs,
    files_in,
    same_code,
    scratch_index,
    set_ref,
)
from baton.git.worktrees import is_linked, read_mark, remove_worktree
from baton.journal.events import HandedIn, Kept
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.journal.run import ROLES, Run
from baton.project.protected import hooks_folder, risky
from baton.secrets.scan import DIFF, secrets_added
from baton.story.commit_message import is_message_allowed, run_message
from baton.story.left_out import Left, left_out
from baton.story.merge_conflicts import find_unresolved, in_commit
from baton.story.session import StorySession
from baton.story.story_files import accept_text, digest_of, edited_since, remove_papers, text_of, tree_plan
from baton.story.user_refs import keep_prefix

# As long as the hooks of another run may take.
LOCK_SECONDS = 900.0
SHOWN_DIFF = 4_000
SECRET = "what looks like a secret"
MOST_SECRETS = 5


def refs_of(story_id: str) -> str:
    """Return the prefix of the refs that keep a story's runs."""
    return f"refs/baton/{story_id}"


def tree_of_run(story: StorySession, run: Run) -> Project | None:
    """Return the work tree a run was begun in; None when it is gone, or is another's by now."""
    if run.begun is None:
        return None
    tree = Project(Path(run.begun.tree), Path(run.begun.git_dir), story.project.common)
    mark = read_mark(tree)
    return tree if mark and mark.run == run.id and is_linked(tree) else None


def keep_work(story: StorySession, run: Run, declared: frozenset[str], said: str = "") -> Kept | None:
    """Take what lies in a run's tree: its plan, and its code as one commit on what it began from.

    None when nothing is to be taken: no tree, or a role that changes no code. `declared` are the files it names,
    `said` is in its words what it did.
    """
    tree = tree_of_run(story, run)
    if tree is None or not ROLES[run.role].changes_code:
        return None
    take_plan(story, run, tree.root)
    git = Git(tree)
    left = left_out(story, run, git)
    sent = run.dispatched
    with hold_lock(story.project.state / "commits.lock", f"the commit of {run.id}", LOCK_SECONDS):
        branch = story.branch if story.tip == sent.head else ""
        text, fallback = run_message(story, run, said)
        merging = bool(sent.merging)
        wanted = WantedCommit(sent.head, text, left.names, branch, merging=merging, fallback=fallback)
        stage(git, wanted)
        tree_id = staged_tree(git, wanted)
        risk = risk_of(story, run, tree_id)
        if risk and not is_allowed(story, risk):
            return _noted(story, run, Work(tree_id, text, changed=True), left, risk)
        made = run_hooks(git, wanted)
    open_conflicts = find_unresolved(story, run, in_commit(story.git, made.tree), declared)
    unheard = "" if is_message_allowed(story, run) else made.message_refused
    refused = made.refused or "\n".join(map(str, open_conflicts))
    return _noted(story, run, made._replace(refused=refused, message_refused=unheard), left)


def _noted(story: StorySession, run: Run, made: Work, left: Left, risk: str = "") -> Kept:
    sent, tree = run.dispatched, made.tree
    parents = [sent.head, *([sent.merging] if sent.merging else [])]
    commit = ""
    if sent.merging or not same_code(story.git, tree, sent.head, story.folder.relative):
        commit = commit_tree(story.git, tree, parents, made.message)
        set_ref(story.git, f"{refs_of(story.id)}/{run.id}", commit)
    kept = Kept(run.id, commit, made.refused, left.told, risk, made.message_refused)
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


def work_as_it_is(story: StorySession, run: Run, git: Git) -> str:
    """Commit what lies in a run's tree, to be looked at and thrown away; returns the commit."""
    with scratch_index() as index:
        if (own := git.project.git_dir / "index").exists():  # with what git knows of each file
            shutil.copy2(own, index)
        left = left_out(story, run, git, index)
        tree = make_work(git, WantedCommit(run.dispatched.head, "", left.names, hooks=False, scratch=index)).tree
    return commit_to_look_at(git, tree, [run.dispatched.head])


def risk_of(story: StorySession, run: Run, tree: str) -> str:
    """Name by its content what the user must allow of a tree before it is committed; empty for nothing.

    What a story changes of hooks, CI, and the settings of agents, editors and baton; and what looks like a secret.
    """
    git, sent = story.git, run.dispatched
    base = _fork_of(story, run)
    entries = git.do("diff-tree", "-r", "-z", "--no-renames", base, tree, "--").split("\0")
    changed = [(name, about.split(" ")[3]) for about, name in zip(entries[::2], entries[1::2], strict=False)]
    hooks = hooks_folder(git)
    lines = [f"{name} {blob}" for name, blob in changed if risky(name, hooks)]
    told = [shown(line.rpartition(" ")[0]) for line in lines]
    # Where a secret is, never the secret itself.
    found = secrets_added(git.do(*DIFF, sent.head, tree, "--"), os.environ)
    told += [f"{SECRET} ({one.kind}) in {shown(one.path)}, line {one.line}" for one in found[:MOST_SECRETS]]
    return f"{digest_of(chr(10).join([*lines, *told]))[:16]} {', '.join(told)}" if told else ""


def _fork_of(story: StorySession, run: Run) -> str:
    """Return the commit of base from which the user is asked about what the story changes."""
    sent = run.dispatched
    return story.git.fork_point(sent.merging or sent.head, story.base_commit)


def is_allowed(story: StorySession, risk: str) -> bool:
    """Whether the user has allowed exactly these changes."""
    from baton.story.question import was_accepted

    return was_accepted(story, risk)


def risk_shown(story: StorySession, run: Run) -> str:
    """Return the diff of what the user is asked to allow, its beginning if it is long."""
    kept = run.kept
    assert kept is not None
    hooks = hooks_folder(story.git)
    base, made = _fork_of(story, run), kept.commit or run.dispatched.head
    names = [name for name in story.git.changed(base, made) if risky(name, hooks)]
    words = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", base, made, "--")
    return story.git.do(*words, *names)[:SHOWN_DIFF] if names else ""


def hooks_missing(story: StorySession, run: Run) -> str:
    """Warn of configured hooks that are not in the run's tree, and so judge nothing."""
    tree = tree_of_run(story, run)
    folder = missing_hooks(Git(tree)) if tree else ""
    return f"git's hooks are configured in {folder}, which is not there: none ran" if folder else ""


def remove_run_tree(story: StorySession, run: Run) -> str:
    """Remove the tree of a run that was judged, if no work is in it; returns what stays, and why."""
    tree = tree_of_run(story, run)
    if tree is None or run.begun is None:
        return ""
    git = Git(tree)
    back_to(git, run.kept.commit if run.kept and run.kept.commit else "HEAD")
    remove_papers(story, tree.root, files_in(git, "HEAD", story.folder.relative))
    stays = remove_worktree(story.git, tree.root, run.begun.foreign)
    if not stays and run.begun.agent and run.begun.born:
        ref = f"refs/heads/worktree-agent-{run.begun.agent}"
        story.git.ask("update-ref", "-d", ref, run.begun.born, no=(1, 128))
    return f"the work tree {tree.root} of {run.id} stays: {stays}" if stays else ""


def forget_runs(story: StorySession) -> None:
    """Let go of the refs that kept the runs of a story that is over."""
    drop_refs(story.git, refs_of(story.id), keep_prefix(story.id))
