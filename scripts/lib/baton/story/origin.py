"""The files of others that a story was made of: what changed there is asked about, what is written loads."""

import json
from collections.abc import Iterator

from baton.artifacts.claims import is_below
from baton.artifacts.document import decode
from baton.artifacts.findings import Finding
from baton.artifacts.front_matter import check_yaml
from baton.errors import BatonError
from baton.journal.events import Confirmed
from baton.journal.run import Run
from baton.story.question import was_accepted
from baton.story.session import StorySession
from baton.story.story_files import digest_of
from baton.text import one_line

QUESTION = (
    "Does the story hold as you confirmed it? accept keeps its criteria; with replan its planner reads what is "
    "there now, and you are asked again"
)
SOURCES = "the sources as"  # how their question is known
LOADED = (".json", ".yaml", ".yml")


def last_confirmed(story: StorySession) -> Confirmed | None:
    """Return how the criteria were confirmed last; None where they never were."""
    return next((one for one in reversed(story.state.events) if isinstance(one, Confirmed)), None)


def changed_sources(story: StorySession) -> dict[str, str]:
    """Return what is asked of files that changed on base since their criteria were confirmed; else nothing."""
    confirmed = last_confirmed(story)
    if confirmed is None or not confirmed.criteria:
        return {}
    about = f"{SOURCES} {digest_of(json.dumps(_blobs(story, story.base_commit)))}"
    changed = changed_since(story, confirmed)
    if not changed or was_accepted(story, about):
        return {}
    path = str(story.folder.artifact("criteria"))
    reason = f"{', '.join(changed)} on {story.base} is not what it was when you confirmed the criteria"
    return {"artifact": path, "question": QUESTION, "about": about, "changed": reason}


def confirmed_sources(story: StorySession) -> dict[str, str]:
    """Return the hash of each file that the planner read where it lies, by its path."""
    return _blobs(story, story.state.head)


def broken_files(story: StorySession, run: Run) -> Iterator[Finding]:
    """Find the JSON and YAML files that no longer load after a run that was to write back."""
    if not story.story().write_back or not (run.kept and run.kept.commit):
        return
    git, before, now = story.git, run.dispatched.head, run.kept.commit
    names = git.do("diff", "--name-only", "--no-renames", "-z", before, now, "--").split("\0")
    for path in (one for one in names if one.endswith(LOADED)):
        fault = _fault(path, git.blob(now, path) or b"")
        if fault and not _fault(path, git.blob(before, path) or b""):
            said = f"it does not load any more ({fault}): change what says that it is done, and nothing else"
            yield Finding(path, "file", "write-back/broken", said)


def _fault(path: str, data: bytes) -> str:
    """Say why a file does not load as what it is called; empty for one that does."""
    try:
        text = decode(data, path)
        json.loads(text) if path.endswith(".json") else check_yaml(text)
    except (BatonError, ValueError, RecursionError) as fault:
        return one_line(str(fault))[:100]
    return ""


def _blobs(story: StorySession, commit: str) -> dict[str, str]:
    named = [one for one in story.story().sources if not is_below(one, story.folder.relative)]
    found = {one: story.git.blob(commit, one) for one in named}
    return {one: digest_of(data.decode(errors="surrogateescape")) if data else "" for one, data in found.items()}


def changed_since(story: StorySession, confirmed: Confirmed) -> list[str]:
    """Return the files that base has otherwise than when the criteria were confirmed."""
    now = _blobs(story, story.base_commit)
    return [one for one, digest in now.items() if confirmed.sources.get(one, digest) != digest]
