"""What a call of baton must not do to the user's own work: a rule for each kind of loss."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from inventory import Inventory, Story, Tree, ask_git
from starts import Start, start_of

# What writes files, and leaves HEAD, the index and every ref alone.
WRITES = ("story", "hand-in", "init")
CLIENT_SETTINGS = ".claude/settings.local.json"
# What goes on with a story: it may have come some way, and committed, before it finds what it must refuse.
DRIVES = ("next", "hook", "undo")
# What commits on the branch that is checked out, and pushes that.
LANDS = ("pr", "land")
# The answers that commit what a person accepts, or check a branch out; the others only write the journal.
DRIVING_ANSWERS = ("accept", "abandon")
# What baton writes in a story's folder; a name without a dot is a folder.
ARTEFACTS = (
    "story.md", "{id}.execution-plan.md", "{id}.plan-blocked.md", "{id}.impl-report.md", "{id}.qa-report.md",
    "{id}.micro-delivery-report.md", "{id}.memory-delta.md", "{id}.completion-report.md", ".return-meta.json",
    "briefs/", "history/", "handoffs/", "summaries/",
)  # fmt: skip


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
    def kind(self) -> str:
        """What it may do: `drives` (commit, merge, check branches out), `lands` (commit), `writes` or `looks`."""
        word = self.words[0]
        if self.words[:2] == LANDS:
            return "lands"
        if word in DRIVES or (word == "answer" and set(DRIVING_ANSWERS) & set(self.words)):
            return "drives"
        return "writes" if word in WRITES else "looks"

    def is_batons(self, path: str) -> bool:
        """Whether a path is one that the call may write: a file of its stories, or of what settles a project."""
        if self.words[0] == "init":
            return path == CLIENT_SETTINGS or (path == ".baton.yaml" and path not in self.before.files)
        return any(_is_of(path, name, story) for name, story in self.stories.items())


Rule = Callable[[Call], Iterator[str]]


def _is_of(path: str, name: str, story: Story) -> bool:
    if not story.folder or path in (f"{story.place}.gitignore", f"{story.folder}/.gitignore"):
        return bool(story.folder)
    inside = path.removeprefix(f"{story.folder}/")
    own = tuple(one.format(id=name) for one in ARTEFACTS)
    return inside != path and (inside in own or inside.startswith(tuple(one for one in own if one[-1] == "/")))


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was != now:
            yield f"{name} is new ({now})" if was is None else f"{name} was {was}, is {now or 'gone'}"


# What no call does


def the_stash_is_kept(call: Call) -> Iterator[str]:
    """Find entries that were lost from the stash, added to it or moved in it."""
    was, now = call.before.stash, call.after.stash
    yield from (f"stash entry lost: {one}" for one in was if one not in now)
    yield from (f"stash entry made: {one}" for one in now if one not in was)
    if sorted(was) == sorted(now) and was != now:
        yield "stash entries have changed their order"


def other_refs_are_kept(call: Call) -> Iterator[str]:
    """Find refs that changed and are neither the story's branch nor the base of an integration."""
    free = {f"refs/heads/{one.branch}" for one in call.stories.values() if one.branch}
    if call.kind == "drives":
        free |= {f"refs/heads/{one.base}" for one in call.stories.values() if one.closed}
    if call.kind == "lands":
        free |= {name for name in call.after.refs if name.endswith(f"/{_branch(call)}")}
    was, now = ({k: v for k, v in one.refs.items() if k not in free} for one in (call.before, call.after))
    yield from (f"ref {one}" for one in _differences(was, now))


def _branch(call: Call) -> str:
    return call.before.head.removeprefix("ref: refs/heads/")


def landing_only_adds_commits(call: Call) -> Iterator[str]:
    """Find a branch that was landed on and lost a commit."""
    name = f"refs/heads/{_branch(call)}"
    was, now = call.before.refs.get(name), call.after.refs.get(name)
    if call.kind == "lands" and was and was != now:
        holds = now and ask_git(call.after.root, "merge-base", "--is-ancestor", was, now).code == 0
        yield from (f"{name} was {was}, which {now or 'nothing'} does not hold" for _ in [0] if not holds)


def base_moves_by_one_merge(call: Call) -> Iterator[str]:
    """Find a base branch that moved otherwise than by one merge, or the revert of one, on top of what it was."""
    wanted = 2 if call.words[0] == "undo" else 3
    for story in call.stories.values():
        name = f"refs/heads/{story.base}"
        was, now = call.before.refs.get(name), call.after.refs.get(name)
        if story.closed and was and was != now:
            parents = ask_git(call.after.root, "rev-list", "--parents", "-1", now or was).out.split()
            if now is None or len(parents) != wanted or parents[1] != was:
                yield f"base {name} was {was}, is {now or 'gone'}: not one merge or revert on top of it"


def story_branch_keeps_its_commits(call: Call) -> Iterator[str]:
    """Find commits of a story branch that neither it nor its base has any more."""
    for story in call.stories.values():
        name = f"refs/heads/{story.branch}"
        was, now = call.before.refs.get(name), call.after.refs.get(name)
        holder = now or f"refs/heads/{story.base}"
        if was and was != now and ask_git(call.after.root, "merge-base", "--is-ancestor", was, holder).code:
            yield f"{name} was {was}, which {holder} does not hold"


def work_trees_are_kept(call: Call) -> Iterator[str]:
    """Find other work trees that came, went or changed."""
    nothing = Tree("none", "none", {})
    for path in sorted({*call.before.trees, *call.after.trees}):
        was, now = (one.trees.get(path, nothing) for one in (call.before, call.after))
        yield from (f"work tree {path}: {one}" for one in _differences(was.files, now.files))
        yield from (f"work tree {path}: HEAD was {was.head}, is {now.head}" for _ in [0] if was.head != now.head)
        yield from (f"work tree {path}: its index has changed" for _ in [0] if was.index != now.index)


def settings_are_kept(call: Call) -> Iterator[str]:
    """Find changes of git's configuration, its hooks and what it excludes."""
    yield from (f"git's {one}" for one in _differences(call.before.settings, call.after.settings))


def uncommitted_files_are_kept(call: Call) -> Iterator[str]:
    """Find files HEAD did not hold as they were, and that are now neither there nor committed as they were."""
    for path in call.before.status:
        was, now = call.before.files.get(path), call.after.files.get(path)
        if was and was != now and not call.is_batons(path) and not _is_committed(call, path, was):
            yield f"{path} was {was}, is {now or 'gone'}"


def committed_files_are_kept(call: Call) -> Iterator[str]:
    """Find files that were as HEAD had them, and that now differ from it."""
    for path, entry in call.after.status.items():
        mergings = "MERGE_HEAD" in call.after.unfinished
        if entry[0] in "1u" and path not in call.before.status and not call.is_batons(path) and not mergings:
            yield f"{path} was as committed, is `{entry}`"


def head_stays_or_follows_the_story(call: Call) -> Iterator[str]:
    """Find a HEAD that is neither where it was, nor on the story's branch, nor where a story may leave it."""
    branches = {one.branch for one in call.stories.values()} if call.kind == "drives" else set()
    branches |= {one.base for one in call.stories.values() if one.closed}
    places = {f"ref: refs/heads/{one}" for one in branches}
    places |= {one.head for name in call.stories if (one := start_of(call.after, name))}
    if call.after.head not in {*places, call.before.head}:
        yield f"HEAD was {call.before.head}, is {call.after.head}"


def _is_committed(call: Call, path: str, content: str) -> bool:
    names = {name for one in call.stories.values() for name in (one.branch, one.base) if name}
    for name in names:
        said = ask_git(call.after.root, "ls-tree", f"refs/heads/{name}", "--", path).out
        if said.split()[:3] == [content.split()[0], "blob", content.split()[-1]]:
            return True
    return False


def users_files_stay_untracked(call: Call) -> Iterator[str]:
    """Find files that git did not track, and now does though the user had them or no run declared them."""
    for path, entry in call.before.status.items():
        staged = call.after.status.get(path, "")[:1] not in ("?", "!")
        inside = any(path.startswith(f"{one.folder}/") for one in call.stories.values())
        if entry[0] not in "?!" or not staged or path not in call.after.files or inside:
            continue
        if call.kind == "lands" and _is_handed_in(call, path):
            continue
        if entry[0] == "!" or any(path in one.untracked for one in call.stories.values()):
            yield f"{path} was the user's and untracked, is tracked"
        elif not any(_is_declared(call, path, one) for one in call.stories.values()):
            yield f"{path} was untracked, is tracked, and nobody declared it"


def _is_handed_in(call: Call, path: str) -> bool:
    results = (call.after.root / ".git/baton/.pull-requests").glob("*/*/*/*/results/*/*.json")
    return any(json.dumps(path).encode() in one.read_bytes() for one in results)


def _is_declared(call: Call, path: str, story: Story) -> bool:
    forms = [os.fsencode(path), json.dumps(path)[1:-1].encode()]
    files = [one for one in (call.after.root / story.folder).rglob("*") if one.suffix in (".md", ".json")]
    return any(form in one.read_bytes() for form in forms for one in files if one.is_file())


# What a call does not do that only looks, refuses or writes


def nothing_changes(call: Call) -> Iterator[str]:
    """Find any change of the work tree, the index, HEAD and the refs, where a call only looks or refuses."""
    refuses = call.code in (1, 2) and call.words[0] not in DRIVES and call.kind != "lands"
    if call.kind == "looks" or refuses:
        yield from _moved(call)
        yield from (f"git status: {one}" for one in _differences(call.before.status, call.after.status))
        yield from _differences(call.before.files, call.after.files)


def only_its_files_are_written(call: Call) -> Iterator[str]:
    """Find a change of a call that writes files, beyond those it is there to write."""
    if call.kind != "writes":
        return
    yield from _moved(call)
    for was, now in ((call.before.status, call.after.status), (call.before.files, call.after.files)):
        names = [one for one in {*was, *now} if was.get(one) != now.get(one)]
        yield from (f"{one} has changed" for one in sorted(names) if not call.is_batons(one))


def _moved(call: Call) -> Iterator[str]:
    was, now = call.before, call.after
    yield from (f"ref {one}" for one in _differences(was.refs, now.refs))
    yield from (f"HEAD was {was.head}, is {now.head}" for _ in [0] if was.head != now.head)
    yield from (f"{one} is no longer under way" for one in was.unfinished - now.unfinished)
    yield from (f"{one} is under way" for one in now.unfinished - was.unfinished)


# What is so when a story is over


def the_start_is_back(call: Call) -> Iterator[str]:
    """Find what a story that is over left otherwise than it was when it began."""
    for name, story in call.stories.items():
        was = call.before.stories.get(name)
        start = start_of(call.after, name)
        if start and story.over and not (was and was.over):
            yield from (f"story {name} is over: {one}" for one in _left_behind(call, story, start))


def _left_behind(call: Call, story: Story, start: Start) -> Iterator[str]:
    if call.after.head != (wanted := _wanted_head(call, story, start)):
        yield f"HEAD is {call.after.head}, not {wanted}"
    stays = wanted == f"ref: refs/heads/{story.branch}"
    known = {*start.status, *(one for one in call.before.status.values() if stays or one[0] in "?!")}
    # What a story branch ignores, the branch that is back may not.
    known |= {f"? {one[2:]}" for one in known if one[0] == "!"}
    outside = [entry for path, entry in call.after.status.items() if not path.startswith(story.place)]
    yield from (f"git status says `{one}`" for one in outside if one not in known)


def _wanted_head(call: Call, story: Story, start: Start) -> str:
    """Give what is to be checked out when a story is over: what was at its start, but for what the tables name."""
    own = f"ref: refs/heads/{story.branch}"
    # A story that was taken up in a fresh clone may have been begun on its own branch.
    left = start.head != own and start.head.removeprefix("ref: ") in call.after.refs
    if story.over == "completed":
        return start.head if left else f"ref: refs/heads/{story.base}"
    changed = call.before.unfinished or any(one[0] in "1u" for one in call.before.status.values())
    return start.head if left and not changed and call.before.head == own else call.before.head


RULES: tuple[Rule, ...] = (
    the_stash_is_kept, other_refs_are_kept, base_moves_by_one_merge, story_branch_keeps_its_commits,
    landing_only_adds_commits,
    work_trees_are_kept, settings_are_kept, uncommitted_files_are_kept, committed_files_are_kept,
    head_stays_or_follows_the_story, users_files_stay_untracked,
    nothing_changes, only_its_files_are_written, the_start_is_back,
)  # fmt: skip


def losses(call: Call) -> list[str]:
    """Give what a call did to the user's work, each with the rule that forbids it."""
    return [f"{rule.__name__.replace('_', ' ')}: {one}" for rule in RULES for one in rule(call)]
