"""From a passed QA to the end its mode asks for: one journalled step after the other, each looked at first."""

from collections.abc import Callable, Sequence

from baton.artefacts.findings import shown
from baton.drive.changed import changed_commands, foreign_commits
from baton.drive.checking import Running, Weighed, subject_of, tries, weigh
from baton.drive.close import write_close
from baton.drive.evidence import changed_criteria
from baton.drive.finish import finish_branch, finish_merge, merged_head
from baton.drive.gate import RUN_LINE, commit_artefacts, commit_once
from baton.drive.merging import has_submodule, merge_once, merge_with_conflicts, open_merge, told_conflict
from baton.drive.opened import OpenStory
from baton.drive.outcome import accepted, decide_step, fix_or_ask, passed, send_to_fix
from baton.drive.start import allow_settings, check_out, check_tree, shortened
from baton.drive.step import Step
from baton.outside.commits import conflicts, find_commit

# After how long to ask again for checks that run on by themselves.
CHECK_SECONDS = 90
STEPS = ("build", "test", "prepush")
CLEAN = (
    "these commands ran in a clean work tree of the commit, which is removed: what is ignored or not committed "
    "was absent there. Where one passes here, that difference is the fault"
)
SKIPPED = "no worker changes — skipping pre-push validation"
NO_PREPUSH = "no prepush command is configured"
# Of several commands of a step, the worst counts.
WORST_FIRST = ("credential", "introduced", "unclear", "preexisting", "pass")


def integrate(story: OpenStory) -> Step | None:
    """Take the integration as far as it goes now; a step to wait for, or None when it completed or stopped."""
    check_tree(story)
    if head := merged_head(story):
        finish_merge(story, head)
        return None
    check_out(story)
    if not (_is_as_judged(story) and _commit_what_was_refused(story) and _allow(story) and _sync(story)):
        return None
    head = checked_commit(story)
    weighed = weigh(subject_of(story), head)
    if isinstance(weighed, Running):
        return _still_running(story, weighed)
    if _judge_commands(story, head, weighed) and (closed := _close(story, weighed)):
        ENDS[story.mode](story, closed)
    return None


def _is_as_judged(story: OpenStory) -> bool:
    """Whether the story is what QA passed: the same criteria, and no commit that nobody judged."""
    now = story.story().criteria
    if tuple(now) != story.state.criteria:
        told = changed_criteria(story.state.criteria, now)
        return passed(story, decide_step(story, "criteria/changed", told), story.git.commit_of("HEAD"))
    foreign = foreign_commits(story)
    if not foreign:
        return True
    return passed(
        story, decide_step(story, "merge/head-moved", shortened(foreign, 5)), story.git.commit_of("HEAD")
    )


def _commit_what_was_refused(story: OpenStory) -> bool:
    """Try the commit of the last gate again if a hook refused it; else base could not be merged in."""
    run = story.state.run
    if run is None or not run.refused:
        return True
    made = commit_once(
        story, f"story {story.id}: {run.phase}", f"{run.id} once more", lambda text: commit_artefacts(story, text)
    )
    if not made.refused:
        return True
    head = story.git.commit_of("HEAD")
    return passed(story, decide_step(story, "close/refused", made.refused), head, made.refused)


def _allow(story: OpenStory) -> bool:
    """Whether the story may go to its base, with the commands it leaves there and those that are run now."""
    about = f"a merge into {story.base}"
    to_production = story.base in story.config.production and story.config.base != story.base
    production = to_production and story.mode != "branch"  # which merges nothing
    outcome = "base/production" if production and not accepted(story, about) else "base/ok"
    if not passed(story, decide_step(story, outcome), story.base, about=about):
        return False
    change, digest = changed_commands(story)
    outcome = "commands/changed" if change and not accepted(story, digest) else "commands/ok"
    # Not by the head, which this integration moves: a call that was cut short would note it once more.
    known = digest[:12] or story.base
    return passed(story, decide_step(story, outcome, change), known, about=digest) and allow_settings(story)


def _sync(story: OpenStory) -> bool:
    """Merge base into the story branch; where that conflicts, begin the merge for a run to resolve."""
    git = story.git
    base = open_merge(story) or git.branch_commit(story.base)
    if not git.contains(base, "HEAD") and (names := conflicts(git, "HEAD", base)):
        if has_submodule(story, names, base):
            told = f"a submodule conflicts: {', '.join(map(shown, names))}"
            return passed(story, decide_step(story, "sync/refused", told), base, told)
        return _resolve(story, base, names)
    made = merge_once(story, base)
    outcome = "sync/refused" if made.refused else "sync/ok"
    return passed(story, decide_step(story, outcome, made.refused), base, made.refused)


def _resolve(story: OpenStory, base: str, names: Sequence[str]) -> bool:
    names = [shown(name) for name in names]
    conflict = decide_step(story, "sync/conflict", shortened(names))
    chosen = fix_or_ask(story, conflict)
    findings = [f"in conflict: {name}" for name in names]
    if chosen.row.stop is None:
        begun = merge_with_conflicts(story, base)
        if begun.refused:
            return passed(story, decide_step(story, "sync/refused", begun.refused), base, begun.refused)
        findings = [told_conflict(story, base)]
    send_to_fix(story, conflict, chosen, base, findings)
    return False


def _still_running(story: OpenStory, running: Running) -> Step:
    decision = decide_step(story, "build/running", running.told)
    return Step(
        story=story.id,
        phase="integration",
        action=decision.action,
        rule=decision.rule,
        reason=decision.reason,
        seconds=CHECK_SECONDS,
        hold=running.checks.wait,
    )


def _judge_commands(story: OpenStory, commit: str, weighed: list[Weighed]) -> bool:
    """Journal how each step went; one that is not through stops the story, or sends it to be fixed."""
    for step in STEPS:
        of_step = [one for one in weighed if one.command.step == step]
        result, told, about = _result(of_step)
        about = f"{about} on {commit}, try {tries(story)}"
        if step == "prepush" and result == "unset":
            told = [SKIPPED if story.config.prepush else NO_PREPUSH]
        if result in ("unclear", "credential") and accepted(story, about):
            continue
        decision = decide_step(story, f"{step}/{result}", "\n".join(told), commit)
        if decision.action == "judge":
            findings = [one.told for one in weighed if one.triage.provenance == "introduced"] + [CLEAN]
            send_to_fix(story, decision, fix_or_ask(story, decision), commit, findings)
            return False
        log = next((str(one.outcome.log) for one in of_step if one.result == result), "")
        if not passed(story, decision, commit, "\n".join(told), about, log):
            return False
    return True


def _result(weighed: Sequence[Weighed]) -> tuple[str, list[str], str]:
    """Give what a step's commands come to together, what is told of those that make it so, and their names."""
    result = next((one for one in WORST_FIRST if any(one == other.result for other in weighed)), "unset")
    those = [one for one in weighed if one.result == result]
    names = ", ".join(dict.fromkeys(one.outcome.name for one in those))
    return result, [one.told for one in those if result != "pass"], names


def checked_commit(story: OpenStory) -> str:
    """The commit the checks run on: the head, or its parent when the head is the close alone."""
    head = story.git.commit_of("HEAD")
    before = story.git.commit_of(f"{head}~1")
    return before if ("commit", _close_of(before)) in story.state.outbox and _close_commit(story, before) else head


def _close_of(checked: str) -> str:
    """Name the close that follows a checked commit."""
    return f"close of {checked[:12]}"


def _close_commit(story: OpenStory, checked: str) -> str:
    """Give the commit that closed the story upon a checked one and changed its folder alone; else nothing.

    Its message is not enough: an amended commit keeps that.
    """
    found = find_commit(story.git, checked, f"{RUN_LINE} {_close_of(checked)}")
    if not found or story.git.commit_of(f"{found}^1") != checked:
        return ""
    inside = f"{story.folder.relative}/"
    return found if all(name.startswith(inside) for name in story.git.changed(checked, found)) else ""


def _close(story: OpenStory, weighed: list[Weighed]) -> str:
    """Commit the completion report; gives the commit that is to be merged, or nothing when the story stopped."""
    now = story.git.commit_of("HEAD")
    head = checked_commit(story)
    if now != head and any(one.rule == "close/written" and one.commit == now for one in story.state.checked):
        return now
    if not _close_commit(story, head):
        write_close(story, weighed)
    message = f"story {story.id}: complete\n\n{story.state.created.title}"
    made = commit_once(story, message, _close_of(head), lambda text: commit_artefacts(story, text))
    if made.refused:
        passed(story, decide_step(story, "close/refused", made.refused), head, made.refused)
        return ""
    commit = made.commit or head
    passed(story, decide_step(story, "close/ok", commit=commit), commit)
    return commit


def _end_on_branch(story: OpenStory, closed: str) -> None:
    started = story.state.started
    assert started is not None
    if story.git.branch_commit(started.branch) == closed:  # else it moved: look again
        finish_branch(story)


def _merge(story: OpenStory, head: str) -> None:
    """Merge exactly the head that was checked into base."""
    started = story.state.started
    assert started is not None
    git = story.git
    if git.branch_commit(started.branch) != head:
        return  # it moved: look again
    git.switch(story.base)
    if not git.contains("HEAD", head):
        # Base moved while the commands ran: what would be merged is not what was checked. Sync again.
        git.switch(started.branch)
        return
    made = merge_once(story, head)
    if made.refused:
        git.switch(started.branch)
        passed(story, decide_step(story, "merge/refused", made.refused), head, made.refused)
        return
    finish_merge(story, head)


ENDS: dict[str, Callable[[OpenStory, str], None]] = {"local": _merge, "branch": _end_on_branch}
