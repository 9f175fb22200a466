"""The story branch's tip: moved by commits the program knows by their ids, taken in when others move it."""

from baton.git.branches import advance_branch
from baton.git.git_refusals import GitRefused
from baton.git.objects import commit_tree, tree_of
from baton.git.paper_trees import with_papers
from baton.journal.events import Adopted, EffectDone, EffectIntended
from baton.journal.run import ROLES
from baton.sanitize import sanitized
from baton.story.session.papers import papers_in, take_from
from baton.story.session.session import StorySession, base_commit_of, tip_of
from baton.story.session.story_files import accept_text, digest_of, file_away, kept_as_accepted, text_of
from baton.text import join_words, printable

# Of what a commit says, as much is told.
LONGEST = 100


def move_branch(story: StorySession, old: str, new: str) -> None:
    """Move the story branch; a BatonError says what is in the way. The intention is journalled first."""
    story.note(EffectIntended("branch", new, old))
    moved = advance_branch(story.git, story.branch, old, new)
    if moved.how != "moved":
        remedy = moved.remedy.removesuffix("; then retry").removesuffix(", then retry")
        raise GitRefused(moved.said, story.branch, remedy or "see what has moved it")
    story.note(EffectDone("branch", new, new))


def put_on_branch(story: StorySession, name: str, text: str, what: str) -> None:
    """Put one of the papers on the story branch as it is to be, in a commit that says `what`."""
    git, tip = story.git, tip_of(story)
    files = papers_in(story.folder) | {name: text.encode(errors="surrogateescape")}
    tree = with_papers(git, tip, story.folder.papers, files)
    if tree != tree_of(git, tip):
        move_branch(story, tip, commit_tree(git, tree, [tip], sanitized(f"story {story.id}: {what}")))


def begin_anew(story: StorySession) -> None:
    """Have the story branch hold base as it is now, and the story; what its runs handed in is filed away."""
    git, base, tip = story.git, base_commit_of(story), tip_of(story)
    file_away(story, ("memory-delta", *(kind for role in ROLES.values() for kind in role.filed)))
    tree = tree_of(git, base)
    if story.settings().config.artifacts == "commit":
        tree = with_papers(git, tree, story.folder.papers, papers_in(story.folder))
    parents = [base, *([tip] if tip and not git.contains(tip, base) else [])]
    move_branch(story, tip, commit_tree(git, tree, parents, sanitized(f"story {story.id}: begin anew")))


def take_in_commits(story: StorySession) -> str:
    """Take in what became of the story branch since the last look; returns why the user must be asked, if so.

    Commits of others on top are part of the story from here on, to be judged like all else. A branch that lost
    commits the story had is not taken in.
    """
    tip, known = tip_of(story), story.state.head
    if not tip:
        move_branch(story, "", known)
        return ""
    if tip == known:
        return ""
    sent = story.state.outbox.get(("branch", tip))
    if sent and not sent.done:
        story.note(EffectDone("branch", tip, tip))
        return ""
    if not story.git.contains(known, tip):
        return f"{story.branch} was at {known[:12]} and is now at {tip[:12]}, which does not contain it"
    adopt_commits(story)
    return ""


def adopt_commits(story: StorySession) -> None:
    """Take the story branch as it is now, with the story's files as they are there."""
    tip, known = tip_of(story), story.state.head
    if story.settings().config.artifacts == "commit":
        take_from(story, known, tip)
    story.note(Adopted(tip, known, describe_commits(story, known, tip)))


def describe_commits(story: StorySession, old: str, new: str) -> str:
    """List the commits from one to another, strangers' too, each cut to a bounded length."""
    lines = story.git.do("log", "--first-parent", "--format=%h %s", f"{old}..{new}", "--").split("\n")[:-1]
    return join_words([printable(line if len(line) <= LONGEST else f"{line[:LONGEST]}…") for line in lines], 5)


def text_changed(story: StorySession) -> bool:
    """Whether story.md is no longer what was journalled at the start or at the user's last word."""
    return digest_of(text_of(story, "story")) != story.state.story_sha256


def restore_text(story: StorySession) -> None:
    """Put story.md back to what was journalled."""
    path = story.folder.artifact("story")
    accepted = kept_as_accepted(story, story.state.story_sha256, path)
    accept_text(story, path, accepted.decode(errors="surrogateescape"))


def keep_text(story: StorySession) -> str:
    """Keep story.md as it is now under its hash; returns the hash."""
    return accept_text(story, story.folder.artifact("story"), text_of(story, "story"))
