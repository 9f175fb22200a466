"""From a passed QA to a merged branch: one journalled step after the other, each looked at before it is done."""

from baton.decide.engine import Decision, decide
from baton.decide.facts import IntegrationFacts
from baton.decide.tables import INTEGRATION
from baton.drive.close import passed_by, write_close
from baton.drive.gate import RUN_LINE, commit_artefacts, commit_once
from baton.drive.opened import OpenStory
from baton.drive.package import stop
from baton.drive.start import allow_commands, check_out, check_tree
from baton.drive.step import Step
from baton.outside.checks import Checks, Outcome, sweep_trees
from baton.outside.commits import Commit, find_commit, merge
from baton.outside.commits import conflicts as find_conflicts
from baton.outside.outbox import Effect
from baton.story.durable import write_durably
from baton.story.events import Answered, Completed, Stepped

# After how long to ask again for checks that run on by themselves.
CHECK_SECONDS = 90


def integrate(story: OpenStory) -> Step | None:
    """Take the integration as far as it goes now; a step to wait for, or None when it completed or stopped."""
    check_tree(story)
    if head := _merged_head(story):
        story.git.switch(story.base)
        _merge_once(story, head)
        _finish(story, _decide(story, "merge", "ok"))
        return None
    check_out(story)
    if not _commit_what_was_refused(story):
        return None
    if not (_allow_base(story) and allow_commands(story) and _sync(story)):
        return None
    checks = Checks(story.project, story.id, checked_commit(story), story.commands, _tries(story))
    outcomes = checks.begin() if checks.commands else []
    if outcomes is None:
        return _still_running(story, checks)
    if _judge_checks(story, checks.commit, outcomes) and _close(story, outcomes):
        _merge(story)
    return None


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
    return _passed(story, _decide(story, "close", "refused", made.refused), head, made.refused)


def _merged_head(story: OpenStory) -> str:
    """Give the closed story's head if base contains it: merged by a step that was interrupted, or by a person."""
    started = story.state.started
    assert started is not None
    closed = [one.commit for one in story.state.events if isinstance(one, Stepped) and one.rule == "close/written"]
    head = story.git.branch_commit(started.branch) or (closed[-1] if closed else "")
    return head if closed and story.git.contains(head, story.git.branch_commit(story.base)) else ""


def checked_commit(story: OpenStory) -> str:
    """The commit the checks run on: the head, or its parent when the head is the close alone."""
    head = story.git.commit_of("HEAD")
    before = story.git.commit_of(f"{head}~1")
    return before if ("commit", _close_of(before)) in story.state.outbox and _close_commit(story, before) else head


def _close_of(checked: str) -> str:
    """Name the close that follows a checked commit."""
    return f"close of {checked[:12]}"


def _close_commit(story: OpenStory, checked: str) -> str:
    """Give the commit that closed the story upon a checked one, journalled or not; nothing when there is none."""
    return find_commit(story.git, checked, f"{RUN_LINE} {_close_of(checked)}")


def _tries(story: OpenStory) -> int:
    """Count how often a person asked for the integration to be tried again."""
    return sum(isinstance(event, Answered) and event.then == "integrate" for event in story.state.events)


def _decide(story: OpenStory, step: str, result: str, evidence: str = "", commit: str = "") -> Decision:
    facts = IntegrationFacts(outcome=f"{step}/{result}")  # type: ignore[arg-type]
    started = story.state.started
    told = {
        "base": story.base,
        "branch": started.branch if started else "",
        "commit": (commit or story.git.commit_of("HEAD"))[:12],
        "evidence": evidence,
    }
    decision = decide(INTEGRATION, facts, told)
    assert decision is not None
    return decision


def _passed(story: OpenStory, decision: Decision, commit: str, evidence: str = "") -> bool:
    """Journal a step that is through, once; stop the story at one that is not."""
    if decision.row.stop is not None:
        report = story.folder.relative_to_root(story.folder.artefact(passed_by(story)))
        stop(story, decision, "integration", report, [evidence] if evidence else [])
        return False
    if not any(one.rule == decision.rule and one.commit == commit for one in story.state.checked):
        story.note(Stepped(decision.rule, commit, decision.reason, evidence))
    return True


def _allow_base(story: OpenStory) -> bool:
    answers = [one for one in story.state.events if isinstance(one, Answered)]
    accepted = any(one.rule == "integrate/production" and one.option == "accept" for one in answers)
    production = story.base in story.config.production and story.config.base != story.base
    result = "production" if production and not accepted else "ok"
    return _passed(story, _decide(story, "base", result), story.base)


def _sync(story: OpenStory) -> bool:
    git = story.git
    base = git.branch_commit(story.base)
    if not git.contains(base, "HEAD") and (conflicts := find_conflicts(git, "HEAD", base)):
        return _passed(story, _decide(story, "sync", "conflict", conflicts), base, conflicts)
    made = _merge_once(story, base)
    if made.refused:
        return _passed(story, _decide(story, "sync", "conflict", made.refused), base, made.refused)
    return _passed(story, _decide(story, "sync", "ok"), base)


def _merge_once(story: OpenStory, commit: str) -> Commit:
    """Merge a commit into the branch that is checked out, unless it is in it; what git refused with otherwise."""
    git = story.git
    into_base = git.branch == story.base
    message = f"story {story.id}: {story.state.created.title if into_base else f'merge {story.base}'}"

    def look(_: str) -> str:
        head = git.commit_of("HEAD")
        return head if git.contains(commit, head) else ""

    def act() -> Commit:
        merged = merge(git, commit, message)
        return Commit("", merged.said) if merged.code != 0 else Commit(git.commit_of("HEAD"))

    about = f"{commit[:12]} into {git.branch}"
    return story.perform(Effect("merge", about, git.commit_of("HEAD"), look, act))


def _still_running(story: OpenStory, checks: Checks) -> Step:
    decision = _decide(story, "build", "running", str(checks.folder), checks.commit)
    return Step(
        story=story.id,
        phase="integration",
        action=decision.action,
        rule=decision.rule,
        reason=decision.reason,
        seconds=CHECK_SECONDS,
        hold=checks.wait,
    )


def _judge_checks(story: OpenStory, commit: str, outcomes: list[Outcome]) -> bool:
    failed = next((one for one in outcomes if one.code != 0), None)
    ran = {one.name for one in outcomes}
    for step in ("build", "test"):
        configured = step in story.commands
        if failed and (failed.name in ("worktree", "setup", step) or (configured and step not in ran)):
            said = f"`{failed.name}` ended with {failed.code}:\n{failed.tail}\nwhole output: {failed.log}"
            return _passed(story, _decide(story, step, "failed", said, commit), commit, said)
        result = "ok" if step in ran else "unset"
        if not _passed(story, _decide(story, step, result, commit=commit), commit):
            return False
    return True


def _close(story: OpenStory, outcomes: list[Outcome]) -> bool:
    now = story.git.commit_of("HEAD")
    if any(one.rule == "close/written" and one.commit == now for one in story.state.checked):
        return True
    head = checked_commit(story)
    if not _close_commit(story, head):
        write_close(story, outcomes)
    message = f"story {story.id}: complete\n\n{story.state.created.title}"
    made = commit_once(story, message, _close_of(head), lambda text: commit_artefacts(story, text))
    if made.refused:
        return _passed(story, _decide(story, "close", "refused", made.refused), head, made.refused)
    commit = made.commit or head
    return _passed(story, _decide(story, "close", "ok", commit=commit), commit)


def _merge(story: OpenStory) -> None:
    started = story.state.started
    assert started is not None
    git = story.git
    head = git.branch_commit(started.branch)
    git.switch(story.base)
    if not git.contains("HEAD", head):
        # Base moved while the commands ran: what would be merged is not what was checked. Sync again.
        git.switch(started.branch)
        return
    made = _merge_once(story, head)
    if made.refused:
        git.switch(started.branch)
        _passed(story, _decide(story, "merge", "refused", made.refused), head, made.refused)
        return
    _finish(story, _decide(story, "merge", "ok"))


def _finish(story: OpenStory, decision: Decision) -> None:
    started = story.state.started
    assert started is not None
    commit = story.git.commit_of("HEAD")
    text = story.folder.artefact("completion-report").read_text(encoding="utf-8")
    sweep_trees(story.project, story.id)
    copy = story.project.state / story.id / "report.md"
    write_durably(copy, text + _merged_line(story, commit), story.project.common)
    # Kept where git finds commits of it that base lacks; a left branch that is gone is no reason to fail now.
    # Of a branch that has an upstream, as in a clone, git would ask whether that has them.
    story.git.ask("branch", "--quiet", "--unset-upstream", started.branch, no=(128,))
    story.git.ask("branch", "--quiet", "--delete", "--", started.branch)
    if started.left_branch != story.base and story.git.branch_commit(started.left_branch):
        story.git.switch(started.left_branch)
    _passed(story, decision, commit)
    story.note(Completed("close/done", commit, str(copy)))


def _merged_line(story: OpenStory, commit: str) -> str:
    return f"\nMerged into `{story.base}` as `{commit[:12]}`.\n"
