"""The base branch on the remote: fetched, and held against what the story was built on."""

import os

from baton.delivery.place import find_destination
from baton.git.remotes import fetch_branch
from baton.journal.events import IntegrationStepDone
from baton.story.integration_steps import decide_step, record_or_ask
from baton.story.session import StorySession

# Set where nothing can be pushed, and another job delivers what was checked and closed here.
HANDS_OVER = "BATON_HANDS_OVER"


def fetch_base(story: StorySession) -> bool:
    """Have the remote's base; whether it still holds all of base that the story was built on.

    What it lacks was never pushed, or was taken out of it: a merge of the story would publish it.
    """
    place = find_destination(story.git, story.branch)
    known = story.git.commit_of(story.base_ref) if HANDS_OVER in os.environ else ""  # it may not even fetch
    fetched = known or fetch_branch(story.git, place.remote, story.base, story.base_ref)
    lacks = [one for one in bases_of(story) if not story.git.contains(one, fetched)]
    if not lacks:
        return True
    told = f"{lacks[0][:12]} is not on {place.remote}: `git push {place.remote} {story.base}`, if it belongs there"
    return record_or_ask(story, decide_step(story, "push/unpublished", told), story.tip, told)


def bases_of(story: StorySession) -> list[str]:
    """Return the commits of base that the story was begun from and merged with, the newest first."""
    steps = (one for one in reversed(story.state.events) if isinstance(one, IntegrationStepDone))
    merged = [one.commit for one in steps if one.rule == "sync/clean"]
    held = [one for one in dict.fromkeys(merged) if story.git.contains(one, story.tip)]
    begun_from = story.state.started.base_commit if story.state.started else ""
    # A branch that was there before its journal began from a commit of its own.
    return [*held, *({begun_from} - {"", story.state.created.tip})]
