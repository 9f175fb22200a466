"""The base branch on the remote: fetched, and held against what the story was built on."""

import os

from baton.delivery.place import find_destination
from baton.git.remotes import fetch_branch
from baton.story.integration_steps import bases_of, decide_step, record_or_ask
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
