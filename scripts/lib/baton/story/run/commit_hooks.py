"""Commit hooks that cannot run in a run's tree: they are tried where the project is set up, else asked about."""

from contextlib import suppress

from baton.checks.check_tree import check_tree
from baton.errors import BatonError
from baton.git.command import Git, project_at
from baton.git.commits import HOOK_SECONDS, WantedCommit, Work, changed_files, run_hooks
from baton.git.objects import commit_to_look_at
from baton.journal.lock import hold_lock
from baton.story.ask.question import was_accepted
from baton.story.session.session import StorySession

# What the user is asked to pass over, for the whole story.
HOOKS = "hooks that cannot run"


def try_where_set_up(story: StorySession, wanted: WantedCommit, work: Work) -> Work:
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


def are_passed_over(story: StorySession) -> bool:
    """Whether the user has said that the story's commits are made without the hooks that cannot run."""
    return was_accepted(story, HOOKS)
