"""A run's first call: its work tree is put at the commit to work on and marked, and the brief is printed."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.errors import BatonError
from baton.git.command import Git, project_at, run_git
from baton.git.objects import merge_trees
from baton.git.worktrees import (
    RunMark,
    agent_of,
    begin_merge,
    content_of,
    is_linked,
    local_changes,
    main_root,
    make_tree,
    own_trees,
    put_at,
    read_mark,
    remove_worktree,
    write_mark,
)
from baton.journal.events import Begun
from baton.journal.paths import Project
from baton.journal.repository import ensure_repository_id, read_stories
from baton.journal.run import Run
from baton.story.session.open_story import open_story
from baton.story.session.papers import put_papers
from baton.story.session.session import StorySession

END = "end your turn saying so"
COPIED = ".claude/settings.local.json"


class BegunRun(NamedTuple):
    """A run's tree, the commit it is at, and the brief."""

    tree: str
    head: str
    brief: str


def begin_run(project: Project, run_id: str, make: bool) -> BegunRun:
    """Make a work tree ready for a run; called again from the same tree, it prints the brief once more."""
    with open_story(project, find_story(project, run_id), f"baton begin {run_id}") as story:
        run = _run_that_is_out(story, run_id)
        tree = program_tree(project, story.id, run.id, run.dispatched.head) if make else _own_tree(story, run)
        if run.begun is None or run.begun.git_dir != str(tree.git_dir):
            _put_in_place(story, run, tree, made=make)
        brief = read_document(story.folder.brief(run.id))
        return BegunRun(str(tree.root), run.dispatched.head, brief)


def tree_of_run(story: StorySession, run: Run) -> Project | None:
    """Return the work tree a run was begun in; None when it is gone, or is another's by now."""
    if run.begun is None:
        return None
    tree = Project(Path(run.begun.tree), Path(run.begun.git_dir), story.project.common)
    mark = read_mark(tree)
    return tree if mark and mark.run == run.id and is_linked(tree) else None


def find_story(project: Project, run_id: str, remedy: str = "take the RUN of your prompt") -> str:
    """Return the id of the story a run is of; a BatonError with this remedy for a run nobody started."""
    session = run_id.rpartition("_")[0]
    states, faults = read_stories(project)
    for state in states:
        if state.created.session == session:
            return state.created.story
    if faults:  # the run may be of one of them
        raise BatonError(f"no run {run_id[:80]} where it can be read: {faults[0].what}", faults[0].where, END)
    raise BatonError(f"no run {run_id[:80]}", str(project.root), remedy)


def _run_that_is_out(story: StorySession, run_id: str) -> Run:
    run = story.state.run
    if story.state.stage == "running" and run and run.id == run_id:
        return run
    raise BatonError(f"run {run_id} is not at work", f"story {story.id}", END)


def _own_tree(story: StorySession, run: Run) -> Project:
    """Return the tree this is called from, if the client made it for the agent of this run."""
    project, where = story.project, str(story.project.root)
    agent = require_run_tree(project, run.id)
    starts = [start.agent for _, start in run.starts if start.agent]
    if starts and agent and agent not in starts:
        what = f"this tree was made for agent {agent}, and {starts[-1]} was started for the run"
        raise BatonError(what, where, END)
    if run.begun and run.begun.git_dir != str(project.git_dir) and Path(run.begun.tree).is_dir():
        remedy = f"work there; if nobody does, end it: `baton next {story.id} --ended {run.id}`"
        raise BatonError(f"run {run.id} was begun in {run.begun.tree}", where, remedy)
    return project


def require_run_tree(project: Project, run_id: str) -> str:
    """Return the agent whose tree this is; a BatonError in another run's tree, and in one that is no run's."""
    agent, mark = agent_of(project), read_mark(project)
    if mark and mark.run != run_id:
        raise BatonError(f"this is the work tree of run {mark.run}", str(project.root), END)
    if not agent and not mark:
        remedy = "start the agent with `isolation: worktree`; without the client: `baton begin RUN --make`"
        raise BatonError("not a work tree the client made for an agent", str(project.root), remedy)
    return agent


def program_tree(project: Project, owner: str, name: str, head: str) -> Project:
    """Return a tree the program makes for a run, the one it made before if that is still there."""
    if read_mark(project):
        raise BatonError("a run may not make a work tree", str(project.root), END)
    path = trees_of(project, owner) / name
    if not path.is_dir():
        make_tree(Git(project), path, head)
    return project_at(path)


def refs_of(owner: str) -> str:
    """Return the prefix of the refs that keep what belongs to a story or a pull request."""
    return f"refs/baton/{owner}"


def trees_of(project: Project, owner: str) -> Path:
    """Return the folder of the trees the program makes for a story or a pull request."""
    return own_trees() / f"{ensure_repository_id(project)[:8]}-{owner}"


def _put_in_place(story: StorySession, run: Run, tree: Project, made: bool) -> None:
    """Put the tree at the run's commit, with the story's folder as it is now; note what was not the run's."""
    git, sent = Git(tree), run.dispatched
    born = git.commit_of("HEAD")
    if (tree.git_dir / "MERGE_HEAD").exists():  # begun by a call that was cut short
        git.do("merge", "--abort")
    put_at(git, sent.head)
    differing = {} if sent.carry else local_changes(git)
    foreign = {name: what for name, what in differing.items() if not story.folder.papers.has(name)}
    if sent.merging:
        begin_merge(git, sent.merging)
    if sent.carry:
        carried = merge_trees(git, sent.head, sent.carry)  # with what the branch has since
        git.do("restore", "--worktree", f"--source={carried.tree}", "--", ".")
    put_papers(story, tree.root)
    write_mark(tree, RunMark(run.id, story.id, story.folder.relative))
    agent = "" if made else agent_of(tree)
    story.note(Begun(run.id, str(tree.root), str(tree.git_dir), agent, born, foreign))


def remove_agents_tree(git: Git, path: Path, spared: Mapping[str, str], agent: str, born: str) -> str:
    """Remove a tree without work, and its agent's branch if that is where it was; returns why the tree stays."""
    if agent:
        _remove_copied_settings(path, main_root(git))
    stays = remove_worktree(git, path, spared)
    if not stays and agent and born:
        git.ask("update-ref", "--no-deref", "-d", f"refs/heads/worktree-agent-{agent}", born, no=(1, 128))
    return stays


def _remove_copied_settings(tree: Path, checkout: Path) -> None:
    """Remove the settings that the client has copied into an agent's tree, as 2.1.210 does; not a changed copy."""
    copy = tree / COPIED
    same = copy.is_file() and content_of(copy) == content_of(checkout / COPIED)
    if not same or run_git(tree, "ls-files", "--", COPIED).out:
        return
    with suppress(OSError):
        copy.unlink()
        copy.parent.rmdir()


def check_own_tree(project: Project, name: str, tree: str, git_dir: str) -> None:
    """Refuse a hand-in from any work tree but that in which a run or a unit began; an empty one: it did not."""
    mark, where = read_mark(project), str(project.root)
    if mark and mark.run != name:
        raise BatonError(f"this is the work tree of run {mark.run}", where, "hand in for your own run alone")
    if not tree:
        raise BatonError(f"run {name} has not begun", where, f"run `baton begin {name}` first, in your work tree")
    if str(project.git_dir) != git_dir:
        raise BatonError("not the work tree of this run", where, f"hand in from {tree}")
