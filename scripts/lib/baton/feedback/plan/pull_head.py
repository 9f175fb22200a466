"""The head of a pull request: brought here without touching a branch, and pushed to once, forward only."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.fetch.pull_feedback import PullRequest
from baton.feedback.store.kept_files import owner_of
from baton.feedback.store.outbox import Outbox
from baton.git.branches import advance_branch
from baton.git.command import Git
from baton.git.objects import parents_of, set_ref
from baton.git.remotes import ALONE, FETCH_SECONDS, PUSH_SECONDS, QUIETLY, pushed_as, remote_head, remotes_of
from baton.git.worktrees import NO_HOOKS
from baton.github.address import known_remotes, parse_remote
from baton.github.client import GitHub
from baton.process import Result
from baton.story.run.begin_run import refs_of
from baton.text import clip, visible

# How often, and how long apart, the pull request is looked at until it shows what was pushed.
LOOKS, LOOK_S = 10, 3.0
REMOTE, MOST_SHOWN = "remote:", 600  # how git marks a line of the remote's; characters of them that are shown


def fetch_head(git: Git, pull: PullRequest) -> None:
    """Fetch the head commit unless this repository has it; no branch moves."""
    if not git.commit_of(pull.head_oid):
        reason = ""
        for place, ref in _sources(git, pull):
            words = ("fetch", *QUIETLY, "--", place, ref)
            tried = git.ask(*words, no=range(1, 256), seconds=FETCH_SECONDS)
            if git.commit_of(pull.head_oid):
                break
            reason = tried.said if tried.code else "it is not there"
        else:
            what = f"the head {pull.head_oid[:12]} cannot be fetched ({reason or 'no remote has it'})"
            raise BatonError(what, pull.name, f"`gh pr checkout {pull.number}`, then call again")
    owner = owner_of(Path(pull.host, pull.repository, str(pull.number)))
    set_ref(git, f"{refs_of(owner)}/head", pull.head_oid)


def _sources(git: Git, pull: PullRequest) -> Iterator[tuple[str, str]]:
    """Yield the places the head may be fetched from: each a remote or a URL, and a ref."""
    for remote in known_remotes(git):
        if (remote.host, remote.repository.lower()) == (pull.host, pull.repository.lower()):
            yield remote.name, f"refs/pull/{pull.number}/head"
    if pull.head_repository:
        yield push_place(git, pull), pull.head_ref


def cannot_push(pull: PullRequest) -> tuple[str, str]:
    """Say why nothing can be pushed to the head, and what to do; two empty strings when it can."""
    if not pull.head_repository:
        return "the fork it comes from is gone", "its author has to open another pull request"
    if pull.cross_repository and not pull.maintainer_can_modify and not pull.own:
        return "its author does not let maintainers push to it", "ask them to allow edits"
    if not pull.cross_repository and pull.head == pull.base:
        return f"its head is its base, {pull.base}", "nothing is pushed there"
    return "", ""


def push_place(git: Git, pull: PullRequest) -> str:
    """Return the remote or URL the head is pushed to; a BatonError says what is missing."""
    what, remedy = cannot_push(pull)
    if what:
        raise BatonError(what, pull.name, remedy)
    wanted = (pull.host, pull.head_repository.lower())
    for candidate in known_remotes(git):
        if (candidate.host, candidate.repository.lower()) == wanted:
            return candidate.name
    # The fork is reached as the repository itself is: by the same protocol, with the same login.
    for remote in remotes_of(git):
        known = parse_remote(remote.name, remote.urls[-1])
        if known and (known.host, known.repository.lower()) == (pull.host, pull.repository.lower()):
            return re.sub(re.escape(known.repository), pull.head_repository, remote.urls[-1], count=1)
    url = f"https://{pull.host}/{pull.head_repository}.git"
    raise BatonError(
        f"no remote is {pull.head_repository}", pull.name, f"`git remote add fork {url}`, then call again"
    )


def default_branch(git: Git, pull: PullRequest) -> str:
    """Return the default branch of the repository pushed to; empty where it does not say."""
    place = push_place(git, pull)
    # 1: it is no symbolic ref; 128: any other error (git-symbolic-ref(1)), as of a URL, which is no ref's name.
    known = git.ask("symbolic-ref", "--quiet", f"refs/remotes/{place}/HEAD", no=(1, 128)).out.strip()
    if known:
        return known.removeprefix(f"refs/remotes/{place}/")
    out = git.ask("ls-remote", "--symref", "--", place, "HEAD", no=(), seconds=120).out
    match = re.match(r"ref: refs/heads/(\S+)\tHEAD", out)
    return match[1] if match else ""


def push_once(git: Git, pull: PullRequest, commit: str, outbox: Outbox, hooks: bool) -> None:
    """Push exactly this commit, which is one on top of the head; a BatonError quotes what refused it.

    Without `hooks` none of the user's run: they may be files of the branch that is checked out.
    """
    place = push_place(git, pull)
    tip = remote_head(git, place, pull.head_ref)
    if tip != commit:
        if tip != pull.head_oid or parents_of(git, commit) != [pull.head_oid]:
            what = f"{pull.head} is at {tip[:12] or 'no commit'}, not at {pull.head_oid[:12]}; nothing was pushed"
            raise BatonError(what, pull.name, f"`baton pr land {pull.number}` again: it is put on what is there")
        outbox.intend("push", commit, pull.head_oid)
        words = (*(() if hooks else NO_HOOKS), "push", *ALONE, "--", place, f"{commit}:{pull.head_ref}")
        pushed = git.ask(*words, no=range(1, 256), seconds=PUSH_SECONDS)
        if pushed.code != 0 and remote_head(git, place, pull.head_ref) != commit:
            remedy = f"see why, then call again; the commit {commit[:12]} is here, and nothing was forced"
            raise BatonError(f"the push was refused ({why_refused(pushed)})", f"{place} {pull.head}", remedy)
    outbox.end("push", commit, commit)


def why_refused(pushed: Result) -> str:
    """Return the lines of the remote about a push, as git passes them on; else the words of git itself."""
    lines = dict.fromkeys(" ".join(line.split()) for line in pushed.err.splitlines() if line.startswith(REMOTE))
    return clip(visible("; ".join(line for line in lines if line != REMOTE)), MOST_SHOWN) or pushed.said


def await_head(github: GitHub, pull: PullRequest, commit: str) -> None:
    """Wait until GitHub shows a commit as the head: replies speak of it, and resolving follows it."""
    for _ in range(LOOKS):
        data = github.get(f"repos/{pull.repository}/pulls/{pull.number}").data
        if isinstance(data, dict) and (data.get("head") or {}).get("sha") == commit:
            return
        github.pause(LOOK_S)
    what = f"the commit {commit[:12]} was pushed, and the pull request does not show it"
    raise BatonError(what, pull.url, "look there, then call again: nothing was answered yet")


class LocalBranch(NamedTuple):
    """A local branch, and what it is pushed to; empty where that is not settled."""

    name: str
    remote: str
    ref: str


def move_local_branches(git: Git, pull: PullRequest, commit: str, hooks: bool) -> Iterator[str]:
    """Move the user's own branch of the pull request forward to the pushed commit; yields where it is now.

    Without `hooks` none of the user's run: see `push_once`.
    """
    for name in _local_branches(git, pull):
        now = git.branch_commit(name)
        if not git.contains(now, commit):
            yield f"YOUR BRANCH {name} here has commits that were not pushed, and stays: `git pull --rebase` there"
            continue
        moved = advance_branch(git, name, now, commit, hooks=hooks)
        if moved.how == "moved":
            yield f"YOUR BRANCH {name} here was moved to {commit[:12]}, too"
        else:
            yield f"YOUR BRANCH {name} here stays ({moved.said}): {moved.remedy or 'git pull'}"


def _local_branches(git: Git, pull: PullRequest) -> list[str]:
    """Return the local branches that follow the head, and the one of its name that follows nothing.

    That one is of a fork only where it is pushed to it.
    """
    form = "%(refname)%00%(upstream:remotename)%00%(upstream:remoteref)"
    known = [LocalBranch(*line.split("\0")) for line in git.refs(form, "refs/heads/")]
    follow = [branch for branch in known if branch.ref == pull.head_ref and _is_source(git, pull, branch.remote)]
    plain = [branch for branch in known if not branch.ref and branch.name == pull.head_ref]
    if pull.cross_repository and not _is_source(git, pull, pushed_as(git, pull.head)[0]):
        plain = []
    return [branch.name.removeprefix("refs/heads/") for branch in (*follow, *plain)]


def _is_source(git: Git, pull: PullRequest, remote: str) -> bool:
    """Whether a remote, given by its name or URL, is the repository the head is in."""
    named = git.ask("config", "--get", "--", f"remote.{remote}.url").out.strip()
    known = parse_remote(remote, named or remote)
    return known is not None and (known.host, known.repository.lower()) == (
        pull.host,
        pull.head_repository.lower(),
    )
