"""The job without a model that claims stories: it begins or loads each, and says what is due."""

import time
from pathlib import Path
from typing import Literal, NamedTuple

from baton.actions.bundle import settled_mode, write_bundle
from baton.actions.job_event import Wanted
from baton.delivery.deliver import closed_head
from baton.delivery.look_again import hear_github
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.remotes import state_remote
from baton.github.address import choose_remote, known_remotes
from baton.journal.paths import Project
from baton.journal.state import OVER, fold
from baton.project.settings import config_on, find_base, read_settings
from baton.story.begin.adopt import adopt_in_place
from baton.story.begin.create import NewStory, stories_folder
from baton.story.begin.find_source import StorySource
from baton.story.begin.read_issue import read_issue
from baton.story.begin.source import find_made_from, make_story
from baton.story.session.carried_state import CLAIM, read_state, state_ref
from baton.story.session.open_story import open_story, read_journal
from baton.story.session.session import DELIVERED, StorySession, mode_of, pull_url_of
from baton.story.session.travel import fetch_all_states, push_state

Due = Literal["work", "land", ""]
# A claim counts for so long: no job of a run is there any more.
CLAIMED_S = 7 * 3600
# As many as the workflow works on at once: a claim that waited for another's job could be too old before it began.
MOST_AT_WORK = 4


class Claimed(NamedTuple):
    """The stories to work on, those to land (also after the work), and a line for each."""

    work: list[str]
    land: list[str]
    told: list[str]


def claim_stories(project: Project, wanted: Wanted, run: str, bundles: Path) -> Claimed:
    """Begin or load the wanted stories, claim them for this run, and write a bundle of each that needs work."""
    have_base(Git(project))
    settled_mode(read_settings(Git(project), "").config.mode)
    claimed = Claimed([], [], [])
    for story_id in _find_or_make_stories(project, wanted):
        if len(claimed.work) == MOST_AT_WORK:
            claimed.told.append(f"story {story_id}: {MOST_AT_WORK} are worked on at once, a later run takes it")
            continue
        try:
            due, why = _claim(project, story_id, run)
        except BatonError as error:
            due, why = "", str(error)
        claimed.told.append(f"story {story_id}: {why}")
        if due:
            claimed.land.append(story_id)
        if due == "work":
            git = Git(project)
            write_bundle(git, story_id, git.commit_of(state_ref(story_id)), bundles / f"{story_id}.bundle")
            claimed.work.append(story_id)
    return claimed


def have_base(git: Git) -> None:
    """Create the base branch that the settings name: a job's clone has the default branch alone."""
    config = config_on(git, find_base(git))
    wanted = config.base if config else ""
    base_head = git.commit_of(f"refs/remotes/{state_remote(git)}/{wanted}") if wanted else ""
    if base_head and not git.branch_commit(wanted):
        git.do("update-ref", "--no-deref", "-m", "baton", f"refs/heads/{wanted}", base_head, "")


def _find_or_make_stories(project: Project, wanted: Wanted) -> list[str]:
    """Find the wanted stories, or make one of a new issue or of a spec on base; returns their ids."""
    known = fetch_all_states(project)
    if wanted.nothing:
        return []
    if wanted.issue:
        return [_find_or_make_story(project, known, wanted.issue)]
    if not wanted.story:
        return [name for name in known if fold(read_journal(project, name).records).stage not in OVER]
    if wanted.story not in known:
        specs = sorted(stories_folder(project).glob(f"{wanted.story}_*/story.md"))
        if len(specs) != 1:
            remedy = "commit its spec on base, label its issue, or begin it where you are: it must have travelled"
            raise BatonError(f"no story {wanted.story}", str(stories_folder(project)), remedy)
        adopt_in_place(project, specs[0].parent.relative_to(project.root).as_posix())
    return [wanted.story]


def _find_or_make_story(project: Project, known: list[str], number: int) -> str:
    """Find the story of an issue, or of its pull request, or make a new one; returns its id."""
    place = choose_remote(known_remotes(Git(project)))
    home = f"https://{place.host}/{place.repository}"
    if state := find_made_from(project, f"{home}/issues/{number}"):
        return state.created.story
    for story_id in known:
        with open_story(project, story_id, "baton actions claim") as story:
            if pull_url_of(story).lower() == f"{home}/pull/{number}".lower():
                return story_id
    issue = read_issue(project, f"#{number}")
    if issue.distrust:
        remedy = f"`/implement #{number}` shows it to you first, and begins it when you say so"
        raise BatonError(f"@{issue.author} wrote it ({issue.distrust})", issue.url, remedy)
    return make_story(project, StorySource(issue.source, issue.text), NewStory()).story


def _claim(project: Project, story_id: str, run: str) -> tuple[Due, str]:
    """Push a story as claimed by this run, with any answer from GitHub; returns what is due, and why."""
    if other := _claimed_by(Git(project), story_id, run):
        return "", f"run {other} is at work on it"
    with open_story(project, story_id, "baton actions claim") as story:
        heard = hear_github(story) if story.state.question else None
        due, why = _due(story)
    push_state(project, story_id, f"{run} {int(time.time())}".encode() if due else b"")
    return due, (heard and (heard.taken or heard.warning)) or why


def _claimed_by(git: Git, story_id: str, run: str) -> str:
    """Return the other run that works on a story; empty for none, and for one whose claim is too old."""
    commit = git.commit_of(state_ref(story_id))
    held = read_state(git, commit).files.get(CLAIM, b"").decode(errors="replace").split() if commit else []
    is_held = len(held) == 2 and held[0] != run and held[1].isdecimal() and time.time() - int(held[1]) < CLAIMED_S
    return held[0] if is_held else ""


def _due(story: StorySession) -> tuple[Due, str]:
    state = story.state
    if state.question:
        return "", f"it waits for you: {state.question.reason}"
    if state.stage in OVER:
        return "", f"it is {state.stage}"
    if mode_of(story) not in ("", *DELIVERED):
        return "", "it ends on your machine, as you answered"
    if closed_head(story):
        return "land", "it was checked and closed, and is to be landed"
    return "work", f"{state.phase} is due"
