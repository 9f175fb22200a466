"""A story's state as a file that goes from job to job: written by one, checked by the next."""

from pathlib import Path

from baton.artifacts.config import commands_digest
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.objects import set_ref
from baton.git.remotes import FETCH_SECONDS, QUIETLY, remote_head, state_remote
from baton.journal.paths import Project
from baton.project.protected_files import OWNERS, PLATFORM, protected_sort
from baton.project.settings import confirm
from baton.story.session.carried_state import check_state, make_state, read_state, take_state
from baton.story.session.open_story import look_at, read_journal
from baton.story.session.session import DELIVERED, base_ref_of, lines_to_confirm

# Not where a story that travels is kept: the job with the model asks no remote.
PACKED = "refs/baton/packed"


def packed_ref(story_id: str) -> str:
    """Return the ref of a story's state in a bundle, and in the job that works on it."""
    return f"{PACKED}/{story_id}"


def write_bundle(git: Git, story_id: str, commit: str, path: Path) -> None:
    """Write a state to a file, with the commits it builds on that no branch of the remote has."""
    ref = packed_ref(story_id)
    set_ref(git, ref, commit)
    path.parent.mkdir(parents=True, exist_ok=True)
    git.do("bundle", "create", "--quiet", str(path), ref, "--not", "--remotes", literal=False)


def open_bundle(git: Git, story_id: str, path: Path) -> str:
    """Take the objects of a bundle, checked by git; returns the state's commit, to which no ref leads yet."""
    place, ref = str(path.resolve()), packed_ref(story_id)
    commit = remote_head(git, place, ref)
    if not commit:
        raise BatonError(f"no state of story {story_id}", place, "see the job that wrote it")
    git.do("-c", "fetch.fsckObjects=true", "fetch", *QUIETLY, "--", place, ref, seconds=FETCH_SECONDS)
    return commit


def unpack_story(project: Project, story_id: str, path: Path) -> None:
    """Unpack a story into a fresh clone, and confirm the commands committed on base."""
    git = Git(project)
    commit = open_bundle(git, story_id, path)
    carried = read_state(git, commit)
    check_state(project, story_id, carried)
    take_state(project, story_id, carried)
    set_ref(git, packed_ref(story_id), commit)
    story = look_at(project, story_id)
    # Who may push to base wrote them there, and the workflow beside them.
    base, config = story.settings()
    confirm(project, commands=commands_digest(lines_to_confirm(story)), mode=settled_mode(config.mode))
    if base_head := git.commit_of(f"refs/remotes/{state_remote(git)}/{base}"):
        set_ref(git, base_ref_of(story), base_head)


def pack_story(project: Project, story_id: str, path: Path) -> None:
    """Write a story's new state to a bundle, on top of the unpacked one."""
    read_journal(project, story_id)  # which says what is wrong where there is none
    git = Git(project)
    write_bundle(git, story_id, make_state(project, story_id, git.commit_of(packed_ref(story_id))), path)


def settled_mode(configured: str) -> str:
    """Return the mode of integration from Actions: `pr` unless the settings say otherwise."""
    if configured and configured not in DELIVERED:
        remedy = "set `mode: pr` or `mode: merge` there, or leave it out"
        raise BatonError(f"`integrate.mode: {configured}` ends on one machine", ".baton.yaml", remedy)
    return configured or "pr"


def find_forbidden(git: Git, base: str, tip: str) -> str:
    """Say which change of a story a job must not land; empty for none."""
    changed = [path for path in git.changed(base, tip) if protected_sort(path) in (PLATFORM, OWNERS)]
    return f"it changes {changed[0]}, which decides what runs with your tokens" if changed else ""
