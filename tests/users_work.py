"""What a call of baton must not do to the user's own work: a rule for each kind of loss."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from inventory import Inventory, Story, Tree, ask_git

CLIENT_SETTINGS = ".claude/settings.local.json"
# What keeps the client's work trees out of `git status`.
IGNORE = ".claude/worktrees/.gitignore"
# What goes on with a story, or takes one back: its branch and its base may move.
DRIVES = ("next", "hook", "undo", "story", "start", "hand-in", "begin", "answer", "for-module", "memory")
# Where memory is kept in the tests: a commit of what a story taught changes this alone.
MEMORY = ("CLAUDE.md", "AGENTS.md", "RULES.md", ".gaai/project/contexts/memory/", "docs/memory/")
# What pushes, and moves the user's branch of the pull request forward to that.
LANDS = (("pr", "land"), ("for-module", "land"))
# Where the client makes the trees of agents, each with a branch of its own.
CLIENT_TREES = ".claude/worktrees/"
OWN_REFS = ("refs/baton/", "refs/heads/worktree-agent-")


class Call(NamedTuple):
    """A call of baton: its words from the command on, its exit code (None: it was cut short), before and after."""

    words: tuple[str, ...]
    code: int | None
    before: Inventory
    after: Inventory

    @property
    def stories(self) -> Mapping[str, Story]:
        """The stories the call is about: those it names, and those whose journal it wrote."""
        before, after = self.before.stories, self.after.stories
        return {name: one for name, one in after.items() if name in self.words or before.get(name) != one}

    @property
    def lands(self) -> bool:
        return self.words[:2] in LANDS

    def moved(self, name: str) -> tuple[str, str]:
        """Return where a ref was and is; two empty strings when it did not move."""
        was, now = self.before.refs.get(name, ""), self.after.refs.get(name, "")
        return (was, now) if was != now else ("", "")


Rule = Callable[[Call], Iterator[str]]


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was != now:
            yield f"{name} is new ({now})" if was is None else f"{name} was {was}, is {now or 'gone'}"


def the_stash_is_kept(call: Call) -> Iterator[str]:
    """Find entries that were lost from the stash, added to it or moved in it."""
    was, now = call.before.stash, call.after.stash
    yield from (f"stash entry lost: {one}" for one in was if one not in now)
    yield from (f"stash entry made: {one}" for one in now if one not in was)
    if sorted(was) == sorted(now) and was != now:
        yield "stash entries have changed their order"


def other_refs_are_kept(call: Call) -> Iterator[str]:
    """Find refs that changed and are neither the program's own, nor a story's branch, nor the base of a merge."""
    free = set[str]()
    if call.words[0] in DRIVES:
        for name, one in call.stories.items():
            own = f"story/{name}-memory"
            free |= {f"refs/heads/{own}", *(f"refs/remotes/{remote}/{own}" for remote in ("origin", "fork"))}
            free |= {f"refs/heads/{one.branch}"} | ({f"refs/heads/{one.base}"} if one.closed else set())
            # Pushed, where it is delivered, or taken back there.
            pushed = re.compile(rf"refs/remotes/(origin|fork)/(revert-[0-9a-f]{{12}}-)?{re.escape(one.branch)}")
            free |= set(filter(pushed.fullmatch, {*call.before.refs, *call.after.refs}))
    if call.lands:
        free |= {name for name in call.after.refs if name.startswith("refs/remotes/") or _went_on(call, name)}
    kept = [
        {name: at for name, at in one.refs.items() if name not in free and not name.startswith(OWN_REFS)}
        for one in (call.before, call.after)
    ]
    yield from (f"ref {difference}" for difference in _differences(*kept))


def _went_on(call: Call, name: str) -> bool:
    """Whether a branch moved, and to a commit on top of what it was."""
    was, now = call.moved(name)
    return bool(was and now) and not ask_git(call.after.root, "merge-base", "--is-ancestor", was, now).code


def base_moves_by_one_merge(call: Call) -> Iterator[str]:
    """Find a base branch that moved otherwise than by one merge, or the revert of one, on top of what it was."""
    for story in call.stories.values():
        was, now = call.moved(f"refs/heads/{story.base}")
        settings = ask_git(call.after.root, "show", f"{story.base}:.baton.yaml").out
        squashes = "squash: true" in settings
        if "mode: merge" in settings and _went_on(call, f"refs/heads/{story.base}"):
            continue  # to what was merged on GitHub
        wanted = 2 if call.words[0] == "undo" or squashes else 3
        now = _without_memory(call, was, now) if was else now
        if story.closed and was and was != now:
            parents = ask_git(call.after.root, "rev-list", "--parents", "-1", now or was).out.split()
            if not now or len(parents) != wanted or parents[1] != was:
                yield f"base {story.base} was {was}, is {now or 'gone'}: not one merge or revert on top of it"


def _without_memory(call: Call, was: str, tip: str) -> str:
    """Return a branch without the commits at its end that say what a story taught, and change memory alone."""
    while tip != was and "what it taught" in ask_git(call.after.root, "log", "-1", "--format=%s", tip).out:
        changed = ask_git(call.after.root, "diff", "--name-only", f"{tip}^", tip).out.split("\n")
        if not all(name.startswith(MEMORY) for name in changed if name):
            break
        tip = ask_git(call.after.root, "rev-parse", f"{tip}^").out.strip()
    return tip


def story_branch_keeps_its_commits(call: Call) -> Iterator[str]:
    """Find commits of a story branch that neither it nor its base has any more."""
    for story in call.stories.values():
        was, now = call.moved(f"refs/heads/{story.branch}")
        holder = now or f"refs/heads/{story.base}"
        if was and ask_git(call.after.root, "merge-base", "--is-ancestor", was, holder).code:
            yield f"{story.branch} was {was}, which {holder} does not hold"


def settings_are_kept(call: Call) -> Iterator[str]:
    """Find changes of git's configuration, its hooks and what it excludes."""
    yield from (f"git's {difference}" for difference in _differences(call.before.settings, call.after.settings))


def trees_are_kept(call: Call) -> Iterator[str]:
    """Find work trees of the user that came, went or changed, the checkout first: they follow a branch at most."""
    nothing = Tree("none", "none", {}, {})
    for path in sorted({*call.before.trees, *call.after.trees}):
        was, now = (one.trees.get(path, nothing) for one in (call.before, call.after))
        free = {IGNORE} | (_written(call) if call.words[0] == "init" and path == str(call.before.root) else set())
        yield from (f"{path}: {change}" for change in _changes(call, was, now, free))


def _written(call: Call) -> set[str]:
    """Return what `init` may write in the checkout: the client's settings, and baton's where there are none."""
    here = call.before.trees.get(str(call.before.root))
    there = here.files.keys() if here else set()
    return {CLIENT_SETTINGS, *({".baton.yaml", ".claude/.gitignore", ".github/workflows/baton.yml"} - there)}


def _changes(call: Call, was: Tree, now: Tree, free: set[str]) -> Iterator[str]:
    if was.head != now.head:
        yield f"HEAD was {was.head}, is {now.head}"
    old, new = call.moved(was.head.removeprefix("ref: "))
    follows = bool(old and new)
    brought = set[str]()
    if follows:
        brought = {
            *ask_git(call.after.root, "diff", "--name-only", "--no-renames", "-z", old, new).out.split("\0")
        }
    elif was.index != now.index:
        yield "its index has changed"
    for difference in _differences(was.files, now.files):
        if difference.partition(" ")[0] not in free | brought and not any(
            difference.startswith(f"{name} ") for name in brought
        ):
            yield difference
    for difference in _differences(was.status, now.status):
        if not difference.startswith(CLIENT_TREES) and not any(
            difference.startswith(f"{name} ") or difference.startswith(f"{name}/ ") for name in free
        ):
            yield f"git status: {difference}"


RULES: tuple[Rule, ...] = (
    the_stash_is_kept, other_refs_are_kept, base_moves_by_one_merge, story_branch_keeps_its_commits,
    settings_are_kept, trees_are_kept,
)  # fmt: skip


def losses(call: Call) -> list[str]:
    """Give what a call did to the user's work, each with the rule that forbids it."""
    return [f"{rule.__name__.replace('_', ' ')}: {one}" for rule in RULES for one in rule(call)]
