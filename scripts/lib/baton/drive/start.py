"""Whether a story may start here, and what a person must settle first."""

from baton.decide.engine import decide
from baton.decide.facts import StartFacts
from baton.decide.tables import START
from baton.drive.opened import OpenStory
from baton.drive.package import stop
from baton.drive.settings import read_confirmed
from baton.errors import BatonError
from baton.story.events import Judged, Started
from baton.story.journal import Journal
from baton.story.state import fold

REMEDIES = {
    "start/dirty": "commit or set aside those changes, then call again",
    "start/busy": "wait for it to end, or use another work tree (`git worktree add`)",
}


def start(story: OpenStory) -> None:
    """Decide how a new story begins: refuse, ask, or begin (the first run is then to be spawned)."""
    not_ready, remedy = obstacle(story)
    changes = [] if not_ready else changed_outside(story)
    busy = busy_story(story)
    confirmed = read_confirmed(story.project)
    digest = story.config.commands_digest
    facts = StartFacts(
        ready=not not_ready,
        dirty=bool(changes),
        busy=bool(busy),
        commands="none" if not digest else "confirmed" if digest in confirmed.commands else "unconfirmed",
        mode=bool(story.config.mode or confirmed.mode),
    )
    told = {
        "not_ready": not_ready,
        "dirty": shortened(changes),
        "busy": busy,
        "base": story.base,
        "commands": "\n".join(f"  {name}: {line}" for name, line in story.config.commands.items()),
    }
    decision = decide(START, facts, told)
    assert decision is not None
    if decision.action == "refuse":
        raise BatonError(decision.reason, str(story.project.root), REMEDIES.get(decision.rule, remedy))
    if decision.action == "ask":
        stop(story, decision, "planning", ".baton.yaml", [])
        return
    _begin(story)
    story.note(Judged("", decision.rule, decision.action, decision.then, decision.reason))


def _begin(story: OpenStory) -> None:
    story.note(
        Started(
            base=story.base,
            base_commit=story.git.branch_commit(story.base),
            branch=story.folder.branch,
            left_branch=story.git.branch,
            criteria=list(story.story().criteria),
            untracked=story.git.untracked(),
        )
    )


def obstacle(story: OpenStory) -> tuple[str, str]:
    """Say what is wrong with the repository and how to mend it; two empty strings when nothing is."""
    git = story.git
    if not git.commit_of("HEAD"):
        return "no commit yet (an unborn branch)", "make a first commit"
    if git.unfinished:
        return f"a {git.unfinished} is in progress", f"conclude it or `git {git.unfinished} --abort`"
    if not git.branch:
        return "HEAD is detached", "check out a branch: `git switch BRANCH`"
    if not git.has_identity:
        return "git does not know who commits", "`git config user.name …` and `git config user.email …`"
    if not story.base or not git.branch_commit(story.base):
        return "no base branch", "name it: `base:` in .baton.yaml, committed"
    return "", ""


def changed_outside(story: OpenStory) -> list[str]:
    """Give the tracked files with uncommitted changes, the story's own folder aside."""
    inside = f"{story.folder.relative}/"
    return [name for name in story.git.tracked_changes() if not name.startswith(inside)]


def busy_story(story: OpenStory) -> str:
    """Name another story that has a run out in this work tree, or give nothing."""
    for other in story.project.story_ids():
        if other == story.id:
            continue
        records = Journal(story.project.journal(other)).records
        state = fold(records) if records else None
        if state and state.stage == "out" and state.started and state.started.branch == story.git.branch:
            return other
    return ""


def shortened(names: list[str], most: int = 10) -> str:
    """Join names for a person: the first few, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
