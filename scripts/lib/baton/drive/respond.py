"""A person's answer to an open package."""

from baton.artefacts.config import commands_digest
from baton.decide.budgets import PHASE_BUDGETS, REPLAN_BUDGETS, allowed, used
from baton.drive.evidence import tree_now
from baton.drive.gate import commit_once
from baton.drive.opened import OpenStory
from baton.drive.settings import confirm
from baton.drive.start import changed_outside, check_place, shortened
from baton.errors import BatonError
from baton.outside.checks import sweep_story
from baton.outside.commits import commit_changes
from baton.story.events import Answered
from baton.story.state import Package


def respond(story: OpenStory, option: str, note: str) -> str:
    """Take an answer: journal it with what it grants; gives one line that says what follows."""
    package = story.state.package
    if package is None:
        raise BatonError("no question is open", f"story {story.id}", f"`baton next {story.id}` goes on")
    if option not in package.answers:
        offered = ", ".join(package.answers)
        raise BatonError(f"`{option}` is no option", f"story {story.id}", f"answer one of: {offered}")
    _check_undone(story, package, option)
    settled = _settle(story, package, option)
    then = package.answers[option] if settled else "look"
    deferred = _deferred(story, package) if then == "defer" else []
    # On another branch the story's file is not there: its criteria are then as they were.
    here = story.state.started is not None and story.folder.artefact("story").exists()
    # Changed ones hold only when that is what was answered; else they are asked about again.
    holds = package.rule != "any/criteria-changed" or option == "accept"
    here = here and holds and then != "abandon"
    criteria = [one for one in story.story().criteria if one not in deferred] if here else []
    grants = _grants(story, package, option)
    # The tree first: once the story is closed, nothing would put it right after a crash.
    left = _leave(story) if then == "abandon" else ""
    # What is on the story branch when a person sends it on to be integrated is theirs to judge.
    head = story.git.commit_of("HEAD") if then == "integrate" else ""
    then = "qa" if then == "defer" else then
    story.note(Answered(package.rule, option, then, note, grants, criteria, deferred, head))
    if then == "look":
        return f"not taken: it is no longer what you were shown; `baton next {story.id}` shows it anew"
    if then != "abandon":
        return f"taken; `baton next {story.id}` goes on"
    return f"abandoned; {left}"


def _check_undone(story: OpenStory, package: Package, option: str) -> None:
    """Refuse to go on over changes that a person did not accept: no run can be sent out on top of them."""
    if package.rule != "any/touched-code" or option in ("accept", "abandon"):
        return
    if changes := changed_outside(story):
        what = f"the changes are still there: {shortened(changes)}"
        raise BatonError(what, str(story.project.root), "undo them first, or answer accept")


def _settle(story: OpenStory, package: Package, option: str) -> bool:
    """Keep what is settled, before it counts as answered; whether it still is what the person was shown."""
    asked = package.rule == "start/commands" and option == "accept"
    # If they changed on base since they were shown, they are asked for again.
    if asked and package.text.get("about") == (digest := commands_digest(story.commands)):
        confirm(story.project, commands=digest)
    run = story.state.run
    if package.rule == "any/touched-code" and option == "accept" and run and run.judged:
        check_place(story)
        if run.judged.tree != tree_now(story):
            return False
        message = f"story {story.id}: {run.phase}, accepted by a person"
        made = commit_once(story, message, f"{run.id} accepted", lambda text: commit_changes(story.git, [], text))
        if made.refused:
            raise BatonError(f"git refuses the commit ({made.refused})", str(story.project.root), "mend it first")
    if package.rule == "start/mode" and option != "abandon":
        confirm(story.project, mode=option)
    return True


def _deferred(story: OpenStory, package: Package) -> list[str]:
    """Give the criteria a person defers: those the package names as open."""
    named = package.text["open_criteria"]
    return [one for number, one in enumerate(story.story().criteria, 1) if f"AC{number}: {one}" in named]


def _grants(story: OpenStory, package: Package, option: str) -> list[str]:
    if option == "replan":
        return list(REPLAN_BUDGETS)
    limited = package.rule == "guard/limit" and option == "continue"
    if option != "retry" and not limited and package.answers[option] != "defer":
        return []
    events = story.state.events
    budgets = ["iterations"] if limited else [*PHASE_BUDGETS[str(package.text["phase"])], "iterations"]
    budgets = list(dict.fromkeys(budgets))
    return [one for one in budgets if used(one, events) >= allowed(one, story.limit(one), events)]


def _leave(story: OpenStory) -> str:
    """Leave the story branch, unless the tree holds work that a switch would carry along; says what came of it."""
    sweep_story(story.project, story.id)
    started = story.state.started
    if not started or story.git.branch != started.branch:
        return "its files stay"
    if story.git.tracked_changes() or story.git.unfinished:
        return f"{started.branch} stays checked out, because it has uncommitted changes"
    if not story.git.branch_commit(started.left_branch):
        return f"{started.branch} stays checked out: {started.left_branch} is gone"
    story.git.switch(started.left_branch)
    return f"{started.branch} stays, {started.left_branch} is checked out again"
