"""The accepted commit lands where the story did: exactly the one the user was shown, once."""

from baton.errors import BatonError
from baton.git.branches import advance
from baton.git.objects import commit_tree, merge_trees, parents_of, tree_of
from baton.journal.events import EffectDone
from baton.memory.check_change import check_change
from baton.memory.deliver_memory import deliver_memory
from baton.memory.draft import draft_once, keep_section
from baton.memory.edit_tree import AGAIN, branch_of, message_of, note_landed, place_at
from baton.story.ask.step import Step
from baton.story.integrate.story_memory import LANDS, delta_line, delta_stands, unlanded_commit
from baton.story.session.session import StorySession


def land_accepted(story: StorySession) -> list[str]:
    """Bring the accepted commit where the story's mode says, and say what became of it, if there is one.

    A BatonError where it cannot land now: it stays accepted.
    """
    if story.is_delivered:
        return deliver_memory(story)
    if not (commit := unlanded_commit(story.state)):
        return []
    outcome = f"{commit[:12]} is on {story.base}"
    if story.mode == "local":
        _onto_base(story, commit)
    else:
        branch = branch_of(story)
        if story.git.branch_commit(branch) not in ("", commit):
            remedy = f"rename or delete it; {AGAIN.format(id=story.id)}"
            raise BatonError("baton did not make this branch as it is", branch, remedy)
        _move(story, branch, "", commit)
        merge = f"`git switch {story.base} && git merge --no-ff {branch}`"
        outcome = f"{commit[:12]} is on {branch}; merge it with {merge}"
    note_landed(story, commit, commit)
    return [outcome]


def fitting(story: StorySession, commit: str, base: str) -> str:
    """Return the tree that base has with a commit in it; a BatonError where that conflicts, or is refused."""
    remedy = f"have it drafted again: `baton memory triage {story.id} --draft`"
    if not all(story.git.contains(parent, base) for parent in parents_of(story.git, commit)):
        raise BatonError("it was not made of base as it is", commit[:12], remedy)
    merged = merge_trees(story.git, base, commit)
    if merged.conflicts:
        raise BatonError("memory changed meanwhile", ", ".join(merged.conflicts), remedy)
    if problems := check_change(story.git, tree_of(story.git, base), merged.tree, place_at(story, base)):
        raise BatonError("; ".join(problems), f"{commit[:12]} on base as it is now", remedy)
    return merged.tree


def _onto_base(story: StorySession, commit: str) -> None:
    """Move base here to the commit, or to its merge where base has moved on."""
    git, tip = story.git, story.git.branch_commit(story.base)
    if git.contains(commit, tip):
        return
    new = commit
    if parents_of(git, commit) != [tip]:
        try:
            tree = fitting(story, commit, tip)
        except BatonError as error:
            story.note(EffectDone(LANDS, commit, "", error.what))  # it waits for you again
            raise
        new = commit_tree(git, tree, [tip, commit], message_of(story, place_at(story, tip)))
    _move(story, story.base, tip, new)


def _move(story: StorySession, branch: str, old: str, new: str) -> None:
    moved = advance(story.git, branch, old, new)
    if moved.how != "moved":
        remedy = "; ".join(filter(None, (moved.remedy, AGAIN.format(id=story.id))))
        raise BatonError(moved.said, branch, remedy)


def after_story(story: StorySession, step: Step) -> Step:
    """Return the last step of a story with what became of its memory delta; nothing of that holds it up."""
    try:
        lines = [f"memory: {text}" for text in land_accepted(story)]
    except BatonError as error:
        lines = [f"memory: {error}"]
    hold = draft_once(story)
    if hold:
        lines.append(f"memory: it is being drafted; `baton memory triage {story.id}` shows the draft")
    keep_section(story)
    line = delta_line(delta_stands(story.folder, story.state), story.id)
    return step._replace(warnings=[*step.warnings, *lines, *([line] if line else [])], hold=hold)
