"""A round's commit and push, each once: intended, looked for, made, read back."""

from baton.errors import BatonError
from baton.feedback.effects import Outbox
from baton.feedback.pull import PullRequest
from baton.feedback.round import Round
from baton.feedback.tree import TRAILER, Changes, commit_round, committed, push, pushed, remote_of_head
from baton.outside.checkout import Commit, find_commit
from baton.outside.git import Git
from baton.outside.github import GitHub
from baton.outside.outbox import Effect, perform

# How often, and how long apart, the pull request is looked at until it shows what was pushed.
LOOKS, LOOK_S = 10, 3.0
AGAIN = "hand the unit in again with the files as they are, then call again"


def commit_once(git: Git, made: Round, changes: Changes, message: str, outbox: Outbox) -> str:
    """Commit a round's changes; gives the commit. A BatonError quotes the user's own hook that refuses it."""
    before, trailer = git.commit_of("HEAD"), f"{TRAILER}: {made.id}"
    wanted = Effect(
        effect="commit",
        about=f"{made.id} on {before}",
        before=before,
        look=lambda since: find_commit(git, since, trailer),
        act=lambda: commit_round(git, changes, message),
    )
    done = perform(wanted, outbox.state, outbox.note)
    if done.refused:
        what = f"a commit hook refuses the fixes ({' '.join(done.refused.split())[-300:]})"
        raise BatonError(what, str(git.project.root), "mend the files as it says, then call again")
    commit = done.commit or committed(git, made)
    if not commit:
        raise BatonError("nothing is left of the fixes: a commit hook undid them", str(git.project.root), AGAIN)
    if done.commit:
        _check_commit(git, changes, commit)
    return commit


def _check_commit(git: Git, changes: Changes, commit: str) -> None:
    """Refuse a commit to which a hook added what nobody declared."""
    where = str(git.project.root)
    if added := sorted(set(git.changed(f"{commit}^", commit)) - set(changes.paths)):
        what = f"a commit hook added {added[0]!r} to the commit {commit[:12]}, and nobody declared it"
        raise BatonError(what, where, f"nothing was pushed; {AGAIN}")


def push_once(git: Git, pull: PullRequest, commit: str, outbox: Outbox) -> None:
    """Push a commit to the head of a pull request, forward only."""
    remote, ref = remote_of_head(git, pull), f"refs/heads/{pull.head}"

    def look(_: str) -> str:
        return commit if pushed(git, remote, ref) == commit else ""

    def act() -> Commit:
        push(git, pull, commit)
        return Commit(commit)

    perform(Effect("push", commit, pull.head_oid, look, act), outbox.state, outbox.note)


def await_head(github: GitHub, pull: PullRequest, commit: str) -> None:
    """Wait until GitHub shows a commit as the head: replies speak of it, and resolving follows it."""
    for _ in range(LOOKS):
        told = github.get(f"repos/{pull.repository}/pulls/{pull.number}").data
        if isinstance(told, dict) and (told.get("head") or {}).get("sha") == commit:
            return
        github.pause(LOOK_S)
    what = f"the commit {commit[:12]} was pushed, and the pull request does not show it"
    raise BatonError(what, pull.url, "look there, then call again: nothing was answered yet")
