"""The files of others that a story was made of: what changed there is asked about, what is written loads."""

import json
from collections.abc import Iterator

from baton.artifacts.claims import is_below
from baton.artifacts.document import decode
from baton.artifacts.findings import Finding
from baton.artifacts.strict_yaml import check_yaml
from baton.errors import BatonError
from baton.journal.events import Confirmed
from baton.journal.run import Run
from baton.story.ask.question import answer_to
from baton.story.begin.find_source import write_back_criterion
from baton.story.session.papers import all_files
from baton.story.session.session import StorySession, base_commit_of
from baton.story.session.story_files import digest_of, read_spec
from baton.text import one_line

QUESTION = (
    "Does the story hold as you confirmed it? accept keeps its criteria; with replan its planner reads what is "
    "there now, and you are asked again"
)
ADVICE = "scope clarification: `accept`, if the criteria still hold; else `replan`"
SOURCES = "the sources as"  # how their question is known
LOADED = (".json", ".yaml", ".yml")


def last_confirmed(story: StorySession) -> Confirmed | None:
    """Return the last confirmation of the criteria; None where there was none."""
    return next((event for event in reversed(story.state.events) if isinstance(event, Confirmed)), None)


def changed_sources(story: StorySession) -> dict[str, str]:
    """Return the question about sources that changed on base since they were confirmed; empty for none."""
    confirmed = last_confirmed(story)
    if confirmed is None or not confirmed.criteria:
        return {}
    about = f"{SOURCES} {digest_of(json.dumps(_blobs(story, base_commit_of(story))))}"
    changed = changed_since(story, confirmed)
    if not changed or answer_to(story, about) in ("accept", "restore"):
        return {}
    path = str(story.folder.artifact("criteria"))
    names, base = ", ".join(changed.values()), story.settings().base
    reason = f"{names} on {base} is not what it was when you confirmed the criteria"
    return {"artifact": path, "question": QUESTION, "advice": ADVICE, "about": about, "changed": reason}


def confirmed_sources(story: StorySession) -> dict[str, str]:
    """Return the hash of each file of base that the planner read, or of which it read a copy, by its path."""
    before, now, read = _blobs(story, story.state.head), _blobs(story, base_commit_of(story)), _copies(story)
    return {path: now[path] if now[path] == read.get(path) else digest for path, digest in before.items()}


def manual_write_back(story: StorySession) -> list[str]:
    """Return a line for a story that began when baton wrote to its tool's files by itself."""
    known = read_spec(story)
    criteria = (*known.criteria, *known.deferred)
    is_asked = last_confirmed(story) or write_back_criterion(known.origin) in criteria
    return (
        ["its tool's files do not say that it is done: set that there"]
        if known.write_back and not is_asked
        else []
    )


def broken_files(story: StorySession, run: Run) -> Iterator[Finding]:
    """Find the JSON and YAML files that no longer load after a run that was to write back."""
    if not read_spec(story).write_back or not (run.kept and run.kept.commit):
        return
    git, before, now = story.git, run.dispatched.head, run.kept.commit
    names = git.do("diff", "--name-only", "--no-renames", "-z", before, now, "--").split("\0")
    for path in (name for name in names if name.endswith(LOADED)):
        fault = _fault(path, git.blob(now, path) or b"")
        if fault and not _fault(path, git.blob(before, path) or b""):
            message = f"it does not load any more ({fault}): change what says that it is done, and nothing else"
            yield Finding(path, "file", "write-back/broken", message)


def _fault(path: str, data: bytes) -> str:
    """Say why a file does not load as what it is called; empty for one that does."""
    try:
        text = decode(data, path)
        json.loads(text) if path.endswith(".json") else check_yaml(text)
    except (BatonError, ValueError, RecursionError) as fault:
        return one_line(str(fault))[:100]
    return ""


def changed_since(story: StorySession, confirmed: Confirmed) -> dict[str, str]:
    """Return the sources that on base are neither as confirmed nor as read, with their names there."""
    names, read = _names(story), _copies(story)
    now = _blobs(story, base_commit_of(story))
    return {
        path: names[path]
        for path, digest in now.items()
        if digest not in (confirmed.sources.get(path, digest), read.get(path))
    }


def _names(story: StorySession) -> dict[str, str]:
    """Return the name of each source on base: for a copy its path below `source/`; a text has none."""
    own, text = story.folder.relative, story.folder.relative_to_root(story.folder.artifact("source"))
    names = {path: path.removeprefix(f"{own}/source/") for path in read_spec(story).sources if path != text}
    return {path: name for path, name in names.items() if not is_below(name, own)}


def _blobs(story: StorySession, commit: str) -> dict[str, str]:
    return {path: _digest(story.git.blob(commit, name)) for path, name in _names(story).items()}


def _copies(story: StorySession) -> dict[str, str]:
    return {f"{story.folder.relative}/{name}": _digest(data) for name, data in all_files(story.folder).items()}


def _digest(data: bytes | None) -> str:
    """Return the hash of a file's text, whatever its line ends, as its copy is kept; empty for no file."""
    text = "" if data is None else data.decode("utf-8-sig", errors="surrogateescape")
    return "" if data is None else digest_of(text.replace("\r\n", "\n").replace("\r", "\n"))
