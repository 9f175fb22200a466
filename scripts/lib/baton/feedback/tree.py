"""What a round changed in the work tree: held against what was declared, committed, pushed."""

import os
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.in_tree import Tree
from baton.feedback.pull import PullRequest
from baton.feedback.read import known_remotes
from baton.feedback.round import Round
from baton.outside.checkout import Commit, commit_paths, find_commit
from baton.outside.git import Git
from baton.outside.protected import hooks_folder, protection
from baton.secrets.scan import DIFF, Found, secrets_added, secrets_in

TRAILER = "Baton-Round"


class Changes(NamedTuple):
    """What is to be committed, and what does not agree with what was declared."""

    paths: tuple[str, ...]
    findings: tuple[str, ...]


def checked(git: Git, made: Round, declared: Collection[str]) -> Changes:
    """Give what is to be committed; a BatonError where the work tree does not agree with what was declared."""
    changes = compare(git, made, declared)
    if changes.findings:
        more = f" and {len(changes.findings) - 3} more" if len(changes.findings) > 3 else ""
        what = f"{'; '.join(changes.findings[:3])}{more}"
        remedy = "undo what is not meant, or hand the unit in again with the files as they are, then call again"
        raise BatonError(what, str(git.project.root), remedy)
    return changes


def compare(git: Git, made: Round, declared: Collection[str]) -> Changes:
    """Hold what is changed in the work tree against what was declared to be."""
    new = [one for one in git.untracked() if one not in made.untracked]
    changed = {*git.tracked_changes(), *new}
    there = set(git.changed(made.head, "HEAD")) if committed(git, made) else set()
    undeclared = [f"{one!r} was changed, and nobody declared it" for one in sorted(changed - set(declared))]
    added = [f"{one!r} was committed by a hook, and nobody declared it" for one in sorted(there - set(declared))]
    unchanged = [f"{one!r} was declared, and is as it was" for one in sorted(set(declared) - changed - there)]
    ignored = [f"{one!r} is ignored by git" for one in sorted(declared) if one not in changed and git.ignores(one)]
    refused = _refused(git, changed & set(declared))
    return Changes(tuple(sorted(changed & set(declared))), (*undeclared, *added, *refused, *unchanged, *ignored))


def _refused(git: Git, names: Collection[str]) -> Iterator[str]:
    """Find what no resolver may change: it was looked at when it was handed in, and may be otherwise since."""
    tree, hooks = Tree(git), hooks_folder(git)
    for name in sorted(names):
        if what := protection(name, hooks):
            yield f"{name!r} is {what}"
        elif fault := tree.fault(name):
            yield f"{name!r} {fault}"


def committed(git: Git, made: Round) -> str:
    """Give the commit a round has made; empty while there is none."""
    return find_commit(git, made.head, f"{TRAILER}: {made.id}")


def commit_round(git: Git, changes: Changes, message: str) -> Commit:
    """Commit exactly these files; refused is what a hook of the user's refuses."""
    found = [(path, one) for path in changes.paths for one in _secrets(git, path)]
    if found:
        path, first = found[0]
        what = f"what looks like a secret ({first.kind}) in {path!r}, line {first.line}"
        raise BatonError(what, str(git.project.root), "take it out, and call again; nothing was committed")
    return commit_paths(git, list(changes.paths), message)


def _secrets(git: Git, path: str) -> list[Found]:
    """Give what looks like a secret in the lines of a file that HEAD does not have."""
    if not git.has(path):
        file = git.project.root / path
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        return secrets_in(text, os.environ)
    return secrets_added(git.do(*DIFF, "HEAD", "--", path), os.environ)


def remote_of_head(git: Git, pull: PullRequest) -> str:
    """Give the remote the head of a pull request is pushed to; a BatonError says what is missing."""
    where = f"{pull.repository}#{pull.number}"
    if not pull.head_repository:
        raise BatonError("the fork it comes from is gone", where, "its author has to open another pull request")
    if pull.cross_repository and not pull.maintainer_can_modify and not pull.own:
        raise BatonError("its author does not let maintainers push to it", where, "ask them to allow edits")
    if not pull.cross_repository and pull.head == pull.base:
        raise BatonError(f"its head is its base, {pull.base}", where, "nothing is pushed there")
    wanted = (pull.host, pull.head_repository.lower())
    for one in known_remotes(git):
        if (one.host, one.repository.lower()) == wanted:
            return one.name
    url = f"https://{pull.host}/{pull.head_repository}.git"
    raise BatonError(
        f"no remote is {pull.head_repository}", where, f"`git remote add fork {url}`, then call again"
    )


def push(git: Git, pull: PullRequest, commit: str) -> None:
    """Push a commit to the head of a pull request, forward only; a BatonError quotes what refused it."""
    assert commit, "to push nothing is to delete the branch"
    remote, ref = remote_of_head(git, pull), f"refs/heads/{pull.head}"
    if pushed(git, remote, ref) == commit:
        return
    said = git.ask("push", "--quiet", "--", remote, f"{commit}:{ref}", no=range(1, 256), seconds=600)
    if said.code != 0 and pushed(git, remote, ref) != commit:
        remedy = f"see why, then call again; the commit {commit[:12]} is here, and nothing was forced"
        told = re.sub(rf"(-> |refs/heads/){re.escape(pull.head)}", lambda found: found[1] + pull.target, said.said)
        raise BatonError(f"the push was refused ({told})", f"{remote} {pull.target}", remedy)


def pushed(git: Git, remote: str, ref: str) -> str:
    """Give the commit a remote has at a ref; empty where it has none."""
    out = git.ask("ls-remote", "--quiet", "--refs", "--", remote, ref, no=(), seconds=120).out
    return out.split("\t")[0].strip() if out else ""
