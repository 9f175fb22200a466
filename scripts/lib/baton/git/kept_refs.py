"""The user's refs, checkouts and stash as they are at one moment: noted in a commit that keeps all of them."""

import json
import re
from collections.abc import Callable, Iterator
from shlex import quote
from typing import NamedTuple

from baton.git.branches import tree_with
from baton.git.command import Git, listed_trees
from baton.git.history import is_severed
from baton.git.object_store import FILE, Entry
from baton.git.objects import commit_to_look_at, write_tree
from baton.text import clip, visible

NOTE_FILE, STASH = "refs.json", "refs/stash"
LONGEST = 60
# What each work tree has for itself, as while it bisects: in another, it is not there (git-worktree(1), REFS).
OF_A_TREE = ("refs/bisect/", "refs/rewritten/", "refs/worktree/")
HEADS, TAGS, REPLACED = "refs/heads/", "refs/tags/", "refs/replace/"
# What git's reflog says of a HEAD that went to a branch; `git symbolic-ref` leaves no words there (git 2.39.5).
WENT_TO = re.compile(r"(?:moving from .* to |returning to refs/heads/|renamed \S+ to refs/heads/)(.*)")
NO_NAMES: dict[str, str] = {}


class Refs(NamedTuple):
    """The object that each ref names, the commit of each checkout without a branch, the stash by its commits."""

    refs: dict[str, str]
    heads: dict[str, str]
    stash: dict[str, str]
    leads: dict[str, str] = NO_NAMES  # the ref to which each symbolic one leads, and each checkout's HEAD
    shallow: bool = True  # whether older history is missing, as a fetch with a depth leaves it; where unknown, too
    grafts: bool = True  # whether a file says that commits have other parents; where unknown, too


class LostRef(NamedTuple):
    """A ref, checkout or stash entry that lost what it had, or moved: where it was and is, what puts it back."""

    kind: str
    name: str
    was: str
    now: str
    remedy: str

    def __str__(self) -> str:
        name = f"{'stash entry ' if self.kind == 'entry' else ''}{clip(visible(self.name), LONGEST)}"
        became = f"is at {self.now[:12]}" if self.now else "is gone"
        if self.kind == "leads":
            became = f"leads to {clip(visible(self.now), LONGEST)}"
        elif self.kind == "forward":
            became = f"moved forward to {self.now[:12]}"
        was = self.was if self.kind == "leads" else f"was at {self.was[:12]}"
        return f"{name} {was} and {became}: `{self.remedy}` puts it back"


def read_refs(git: Git, is_ours: Callable[[str], bool]) -> Refs:
    """Return the refs, checkouts and stash; not the program's refs and agents' checkouts, by `is_ours`."""
    listed = [ref.split(" ") for ref in git.refs("%(refname) %(objectname) %(symref)")]
    listed = [
        row for row in listed if row[0] != STASH and not row[0].startswith(OF_A_TREE) and not is_ours(row[0])
    ]
    refs = {name: target for name, target, _ in listed}
    trees = [tree for tree in listed_trees(git.project.common) if not is_ours(tree["worktree"])]
    heads = {tree["worktree"]: tree["HEAD"] for tree in trees if "detached" in tree}
    leads = {tree["worktree"]: tree["branch"] for tree in trees if "branch" in tree}
    leads |= {name: to for name, _, to in listed if to and not name.endswith("/HEAD")}  # as a remote has one
    stash = dict(entry.partition(" ")[::2] for entry in reflog(git, STASH, "%H %gs"))
    shallow, grafts = ((git.project.common / name).exists() for name in ("shallow", "info/grafts"))
    return Refs(refs, heads, stash, leads, shallow, grafts)


def reflog(git: Git, ref: str, form: str, tree: str = "") -> list[str]:
    """Return each entry of a ref's reflog in a form, the newest first; none where git keeps none.

    With `tree`, of that work tree's HEAD.
    """
    where = ("-C", tree) if tree else ()
    return git.ask(*where, "reflog", "show", f"--format={form}", ref, "--", no=(128,)).out.split("\n")[:-1]


def note_of(git: Git, refs: Refs) -> str:
    """Return a commit that lists the refs and has all their commits for parents, but for missing ones."""
    blob = git.do("hash-object", "-w", "--stdin", stdin=json.dumps(refs._asdict()).encode()).strip()
    named = dict.fromkeys([*refs.refs.values(), *refs.heads.values(), *refs.stash])
    peeled = [git.store.find(f"{target}^{{commit}}") for target in named]
    commits = dict.fromkeys(commit.id for commit in peeled if commit)  # a tag names another object than its commit
    return commit_to_look_at(git, write_tree(git, [Entry(FILE, NOTE_FILE, blob)]), [*commits])


def kept_refs(git: Git, note: str) -> Refs | None:
    """Return the refs that a note lists; None where it is not there, or an older baton's."""
    data = git.blob(note, NOTE_FILE) if git.commit_of(note) else None
    try:
        noted = json.loads(data or b"{}")
        return Refs(**{name: noted[name] for name in Refs._fields if name in noted})
    except (ValueError, TypeError):
        return None


def find_changes(git: Git, before: Refs, now: Refs, left: bool = False) -> list[LostRef]:
    """Return what is gone, leads elsewhere or left what it was at (a tag: anywhere), and branches moved forward.

    `left`: a run was in other work trees than its own, so no checkout's word is taken for where it is.
    """
    checkouts = [*_left_their_branch(git, before, now, left), *_left_their_commit(git, before, now)]
    gone = [(was, message) for was, message in before.stash.items() if was not in now.stash]
    entries = [
        LostRef("entry", message, was, "", f"git stash store -m {quote(clip(visible(message), LONGEST))} {was}")
        for was, message in gone
    ]
    return [*_led_elsewhere(before, now), *_moved(git, before, now), *checkouts, *entries]


def _led_elsewhere(before: Refs, now: Refs) -> Iterator[LostRef]:
    """Return refs that became symbolic, or have git show another object in the place of one."""
    for name, to in now.leads.items():
        at = before.refs.get(name, "")
        if name.startswith("refs/") and to != before.leads.get(name):
            undo = f"update-ref --no-deref {quote(name)} {at}" if at else f"symbolic-ref --delete {quote(name)}"
            yield LostRef("leads", name, f"was at {at[:12]}" if at else "was not there", to, f"git {undo}")
    for name in sorted(now.refs.keys() - before.refs.keys()):
        if name.startswith(REPLACED):
            undo = f"git replace -d {name.removeprefix(REPLACED)}"
            yield LostRef("leads", name, "was not there", now.refs[name][:12], undo)


def _moved(git: Git, before: Refs, now: Refs) -> Iterator[LostRef]:
    """Return the other refs that are gone or left what they were at, and the branches that moved forward."""
    for name, was in before.refs.items():
        at = now.refs.get(name, "")
        if at == was or name in now.leads:  # a symbolic one only follows another
            continue
        lost = not at or name.startswith(TAGS) or _moved_off(git, was, at)
        if lost or name.startswith(HEADS):
            yield LostRef("ref" if lost else "forward", name, was, at, _puts_back(name, was, at))


def _left_their_branch(git: Git, before: Refs, now: Refs, left: bool) -> Iterator[LostRef]:
    """Return the checkouts that are on another branch and do not say so; if `left`, all that are not on theirs."""
    for path, was in before.leads.items():
        to, at = now.leads.get(path, ""), now.heads.get(path, "")
        if path.startswith("refs/") or to == was:
            continue
        if not left and (not to or _says_it_went(git, path, to.removeprefix(HEADS))):
            continue
        if to or at:
            back = f"git -C {quote(path)} symbolic-ref HEAD {quote(was)}"
            yield LostRef("leads", path, f"was on {was.removeprefix(HEADS)}", to or at[:12], back)
        else:
            back = f"git worktree add {quote(path)} {quote(was.removeprefix(HEADS))}"
            yield LostRef("head", path, before.refs.get(was, was), "", back)


def _left_their_commit(git: Git, before: Refs, now: Refs) -> Iterator[LostRef]:
    """Return the checkouts without a branch that are gone, or at what does not contain the commit they were at."""
    for path, was in before.heads.items():
        at = now.heads.get(path) or (git.commit_of(now.leads[path]) if path in now.leads else "")
        if at != was and (not at or _moved_off(git, was, at)):
            back = f"git -C {quote(path)} switch --detach {was}" if at else f"git worktree add {quote(path)} {was}"
            yield LostRef("head", path, was, at, back)


def _says_it_went(git: Git, path: str, branch: str) -> bool:
    """Whether a checkout's reflog says that it went to a branch; one that keeps none may have."""
    log = "\n".join(reflog(git, "HEAD", "%gs", path))
    went = WENT_TO.search(log)
    return not log or (went is not None and went[1] == branch)


def is_by_us(git: Git, change: LostRef) -> bool:
    """Whether a branch's reflog says that it was the program that moved it to where it is."""
    return f"{change.now} baton" in reflog(git, change.name, "%H %gs")


def _moved_off(git: Git, was: str, now: str) -> bool:
    """Whether a commit is no longer in the history of what took its place; a shallow clone may not know."""
    return not git.contains(was, now) and not is_severed(git, was, now)


def _puts_back(name: str, was: str, now: str) -> str:
    branch = name.removeprefix(HEADS)
    if branch != name and not now and not branch.startswith(("-", "HEAD")):  # git takes no such name for a branch
        return f"git branch {quote(branch)} {was}"
    return f"git update-ref {quote(name)} {was}{f' {now}' if now else ''}"


def is_in_reflog(git: Git, change: LostRef) -> bool:
    """Whether the checkout that has a branch, or the one that moved, says that it went to where it is last."""
    path = change.name if change.kind == "head" else tree_with(git, change.name.removeprefix(HEADS))
    if not path or not change.now:
        return False
    entries = reflog(git, "HEAD", "%H %gs", path)
    # To go to a branch moves none.
    moves = (
        entry for entry in entries if change.kind == "head" or not entry.partition(" ")[2].startswith("checkout: ")
    )
    return next(moves, "").partition(" ")[0] == change.now
