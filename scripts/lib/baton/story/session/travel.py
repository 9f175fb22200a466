"""A story between clones: its state fetched before a step and pushed after it, where it travels."""

import sys
from contextlib import suppress

from baton.errors import BatonError
from baton.git.command import Git
from baton.git.objects import set_ref
from baton.git.remotes import FETCH_SECONDS, QUIETLY, push_commit, remote_head, remote_refs, state_remote
from baton.journal.paths import STORIES, STORY_ID, Project, validate_story_id
from baton.story.session.carried_state import (
    check_state,
    find_own_changes,
    make_state,
    read_state,
    state_ref,
    take_state,
)


def fetch_state(project: Project, story_id: str) -> bool:
    """Fetch a story as the remote has it, unless it is here and never travelled; returns whether it travels."""
    try:
        git, ref = Git(project), state_ref(validate_story_id(story_id))
    except BatonError:  # a word that somebody typed
        return False
    own, is_known = (git.commit_of(ref) if project.may_travel(story_id) else ""), project.has_story(story_id)
    remote = state_remote(git)
    if not remote or (is_known and not own):
        return False
    try:
        head = remote_head(git, remote, ref)
    except BatonError as error:
        if own:
            raise
        print(f"baton: whether {remote} has story {story_id} is not known: {error}", file=sys.stderr)
        return False
    if head and (head != own or not is_known):
        git.do("fetch", *QUIETLY, "--", remote, ref, seconds=FETCH_SECONDS)  # its objects: no ref points at them
        follow_state(project, story_id, head, own)
    return bool(head)


def follow_state(project: Project, story_id: str, head: str, own: str) -> None:
    """Go from the state `own` to `head`, which came from elsewhere, where that continues what is here."""
    git, path = Git(project), project.journal(story_id)
    carried, local = read_state(git, head), b""
    with suppress(FileNotFoundError):
        local = path.read_bytes()
    check_state(project, story_id, carried)
    if (own and not git.contains(own, head)) or not carried.journal.startswith(local):
        raise _other_runner(story_id, state_remote(git))
    if changed := find_own_changes(project, story_id, carried, read_state(git, own)) if own else "":
        what = f"{changed} was changed here, and the story went on elsewhere"
        raise BatonError(what, str(path.parent), "move that file away, then call again")
    if not local:  # cut short, it is taken again; one that was here is, until the ref has moved
        set_ref(git, state_ref(story_id), head)
    take_state(project, story_id, carried)
    set_ref(git, state_ref(story_id), head)


def push_state(project: Project, story_id: str, claim: bytes | None = None) -> None:
    """Push a story as it is, claimed by somebody or not; a BatonError where another pushed it meanwhile."""
    git, ref = Git(project), state_ref(story_id)
    own, remote = git.commit_of(ref), state_remote(git)
    commit = make_state(project, story_id, own, claim)
    if commit == own:
        return
    if refused := push_commit(git, remote, ref, commit, own):
        if remote_head(git, remote, ref) not in ("", own):
            raise _other_runner(story_id, remote)
        raise BatonError(
            f"the state of story {story_id} was not pushed ({refused})", remote, "see why, then call again"
        )
    set_ref(git, ref, commit)


def fetch_all_states(project: Project) -> list[str]:
    """Fetch every story the remote has and this clone lacks; returns the ids of all that travel."""
    git = Git(project)
    remote = state_remote(git)
    names = [ref.removeprefix(f"{STORIES}/") for ref in remote_refs(git, remote, f"{STORIES}/*")] if remote else []
    story_ids = [name for name in names if STORY_ID.match(name)]
    return [story_id for story_id in story_ids if fetch_state(project, story_id)]


def _other_runner(story_id: str, remote: str) -> BatonError:
    remedy = f"stop here; `baton doctor {story_id} --set-aside`, then `baton next {story_id}`, goes on from theirs"
    return BatonError(f"another runner has taken over story {story_id}", remote, remedy)
