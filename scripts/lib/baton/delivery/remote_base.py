"""The base branch on the remote: fetched, and held against what the story was built on."""

import os
from urllib.parse import quote

from baton.delivery.destination import NOT_FOUND, Destination, find_destination
from baton.git.remotes import NoRemoteBranch, fetch_branch
from baton.github.access import HANDS_OVER
from baton.github.client import GitHub
from baton.journal.events import IntegrationStepDone
from baton.story.integrate.integration_steps import bases_of, decide_step, record_or_ask
from baton.story.session.session import StorySession, base_ref_of, remote_base_of, tip_of


def fetch_base(story: StorySession) -> bool:
    """Fetch the remote's base; return True where it still has all the story was built on, else ask the user.

    What it lacks was never pushed, or was taken out of it: a merge of the story would publish it.
    """
    place = find_destination(story.git, story.branch)
    known = story.git.commit_of(base_ref_of(story)) if HANDS_OVER in os.environ else ""  # it may not even fetch
    fetched = known or fetch_renamed(story, place)
    lacks = [base for base in bases_of(story) if not story.git.contains(base, fetched)]
    if not lacks:
        return True
    command = f"`git push {place.remote} {story.settings().base}:{remote_base_of(story)}`"
    evidence = f"{lacks[0][:12]} is not on {place.remote}: {command}, if it belongs there"
    return record_or_ask(story, decide_step(story, "push/unpublished", evidence), tip_of(story), evidence)


def fetch_renamed(story: StorySession, place: Destination) -> str:
    """Fetch the remote's base, by the name it has now, under a ref of ours; returns its commit."""
    try:
        return fetch_branch(story.git, place.remote, remote_base_of(story), base_ref_of(story))
    except NoRemoteBranch:
        if not follow_rename(story, place):
            raise
        return fetch_branch(story.git, place.remote, remote_base_of(story), base_ref_of(story))


def follow_rename_to(story: StorySession, place: Destination, name: str) -> bool:
    """Follow base where GitHub renamed it, unless it has this name; return whether it has it now."""
    if name != remote_base_of(story):
        follow_rename(story, place)
    return name == remote_base_of(story)


def follow_rename(story: StorySession, place: Destination) -> bool:
    """Note base's name on GitHub where it is not the known one, nor production's; return whether it was noted."""
    if story.read_only:
        return False
    known, github = remote_base_of(story), GitHub(place.host, story.project.root)
    branch = github.get(f"repos/{place.repository}/branches/{quote(known, safe='')}", NOT_FOUND).data
    name = branch.get("name") if isinstance(branch, dict) else None
    if not name or name == known or story.settings().config.is_production(name):
        return False
    renamed = decide_step(story, "push/base-renamed", name)
    story.note(IntegrationStepDone(renamed.rule, tip_of(story), renamed.reason, name))
    return True
