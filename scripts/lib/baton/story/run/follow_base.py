"""A story's branch follows base while it holds no code: its first run of code has what was merged meanwhile."""

from baton.git.objects import commit_tree, merge_trees
from baton.git.paper_trees import same_code
from baton.story.run.commit_message import story_message
from baton.story.session.session import StorySession, base_commit_of, papers_of
from baton.story.session.story_branch import move_branch


def follow_base(story: StorySession) -> bool:
    """Bring a branch that holds no code yet up to base, as if the story began now; returns whether base moved.

    A base that was rewritten, and a conflict, are left to the integration.
    """
    git, state, base = story.git, story.state, base_commit_of(story)
    head, started = state.head, state.started
    assert started is not None
    if started.base_commit == base or any(run.kept and run.kept.commit for run in state.runs):
        return False
    if not git.contains(started.base_commit, base):
        return False
    if not same_code(git, git.fork_point(head, base), head, papers_of(story)):
        return False
    if not git.contains(base, head):  # else a call that was cut short has moved it
        merged = None if git.contains(head, base) else merge_trees(git, head, base)
        if merged and merged.conflicts:
            return False
        message = story_message(story, f"merge {story.settings().base}").text
        move_branch(story, head, commit_tree(git, merged.tree, [head, base], message) if merged else base)
    # By this commit of base the story's changes and its failures are told from those of others.
    story.note(started._replace(base_commit=base, criteria=list(state.criteria), text=state.text))
    return True
