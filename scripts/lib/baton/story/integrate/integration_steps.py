"""The steps of the integration: the row that decides each, and what follows: the next, a fix, or a question."""

from collections.abc import Collection, Mapping, Sequence

from baton.artifacts.config import Command
from baton.errors import BatonError
from baton.git.kept_refs import LostRef, is_in_reflog
from baton.git.paper_trees import same_code
from baton.journal.events import IntegrationStepDone, Judged
from baton.journal.run import MICRO_REPORT, Run
from baton.rules.budgets import attempts_allowed, attempts_used
from baton.rules.engine import Decision, decide
from baton.rules.facts import DeliveryFacts, FixFacts, IntegrationFacts
from baton.rules.pages import table_of
from baton.story.ask.question import ask_question, was_accepted
from baton.story.begin.origin import changed_sources
from baton.story.checks.gate import what_would_land
from baton.story.judge.run_facts import changed_text, passed_by, passing_run
from baton.story.session.session import (
    StorySession,
    base_commit_of,
    commands_for,
    is_delivered,
    limit_of,
    papers_of,
    remote_base_of,
    tip_of,
)
from baton.story.session.story_branch import describe_commits, text_changed
from baton.story.session.story_files import digest_of, edited_since
from baton.text import join_words

SHOWN_CONCERNS = 12


def decide_step(story: StorySession, outcome: str, evidence: str = "", commit: str = "") -> Decision:
    """Decide a step by its outcome, `step/result`; `commit` is the one it is about, if not the story's tip."""
    values = {
        "base": remote_base_of(story),
        "branch": story.branch,
        "commit": (commit or tip_of(story))[:12],
        "evidence": evidence,
    }
    if any(row.rule == outcome for row in table_of("integration").rows):
        return decide(table_of("integration"), IntegrationFacts(outcome), values)
    if any(row.rule == outcome for row in table_of("delivery").rows):
        return decide(table_of("delivery"), DeliveryFacts(outcome), values)
    remedy = "fix the page, or install the plugin again"
    raise BatonError(f"no rule `{outcome}`", "skills/implement/stages/integrate.md and deliver.md", remedy)


def record_or_ask(
    story: StorySession, decision: Decision, commit: str, evidence: str = "", about: str = "", see: str = "",
    allows: Sequence[str] = (),
) -> bool:  # fmt: skip
    """Journal a step that went through, once; at one that did not, stop the story and ask the user.

    `about` names what the user is asked to accept, `allows` each part of it; `see` is the file they should look
    at, if not the last report.
    """
    if decision.row.asks is not None:
        _ask(story, decision, [evidence] if evidence else [], about, see, allows)
        return False
    if not any(step.rule == decision.rule and step.commit == commit for step in story.state.checked):
        story.note(IntegrationStepDone(decision.rule, commit, decision.reason, evidence))
    return True


def ask_unless_landable(story: StorySession, base: str, tree: str, texts: Mapping[str, str]) -> bool:
    """Return True where all between a commit of base and a tree may go there; else ask the user."""
    concerns = what_would_land(story, base, tree, texts)
    if not concerns:
        return True
    more = [f"and {len(concerns) - SHOWN_CONCERNS} more"] if len(concerns) > SHOWN_CONCERNS else []
    evidence = "; ".join([*(concern.told for concern in concerns[:SHOWN_CONCERNS]), *more])
    keys = sorted(concern.key for concern in concerns)
    about = f"{digest_of(chr(10).join(keys))[:16]} lands"
    return record_or_ask(
        story, decide_step(story, "integrate/gate", evidence), tree, evidence, about=about, allows=keys
    )


def bases_of(story: StorySession) -> list[str]:
    """Return the commits of base that the story was begun from and merged with, the newest first."""
    steps = (event for event in reversed(story.state.events) if isinstance(event, IntegrationStepDone))
    merged = [step.commit for step in steps if step.rule in ("sync/clean", "sync/conflict")]
    held = [commit for commit in dict.fromkeys(merged) if story.git.contains(commit, tip_of(story))]
    begun_from = story.state.started.base_commit if story.state.started else ""
    # A branch that was there before its journal began from a commit of its own.
    return [*held, *({begun_from} - {"", story.state.created.tip})]


def ask_unless_base_kept(story: StorySession) -> bool:
    """Return True where base has all it had when the story met it or sent a run out; else ask the user.

    What they did in their own checkout is theirs, unless the story would bring it back. On GitHub that is looked
    at as base is fetched.
    """
    git, base, lost = story.git, base_commit_of(story), dict[str, str]()
    known = [] if is_delivered(story) else [*bases_of(story), *(run.dispatched.base for run in story.state.runs)]
    for was in dict.fromkeys(known):
        gone = LostRef("ref", f"refs/heads/{story.settings().base}", was, base, "")
        held = git.contains(was, tip_of(story))
        if git.commit_of(was) and not git.contains(was, base) and (held or not is_in_reflog(git, gone)):
            has = "which the story has" if held else "which the story does not have either"
            lost[was] = f"{describe_commits(story, base, was)}, {has}"
    about, evidence = f"{story.settings().base} without {' '.join(lost)}", "; ".join(lost.values())
    if not lost or was_accepted(story, about):
        return True
    return record_or_ask(story, decide_step(story, "sync/rewritten", evidence), base, evidence, about)


def choose_fixer(story: StorySession, decision: Decision) -> Decision:
    """Decide who fixes a failed step: a run, or, when enough runs tried, the user."""
    events = story.state.events
    fixes = attempts_used("integration_fixes", events)
    facts = FixFacts(
        small=passed_by(story) == MICRO_REPORT,
        integration_fixes_used_up=fixes
        >= attempts_allowed("integration_fixes", limit_of(story, "integration_fixes"), events),
    )
    # The run's brief holds the whole of it; who only starts the run needs no more than the first line.
    values = {"fixes": fixes, "evidence": decision.reason, "failure": decision.reason.partition("\n")[0]}
    return decide(table_of("fix"), facts, values)


def send_to_fix(
    story: StorySession, step: Decision, chosen: Decision, commit: str, findings: list[str], see: str = "",
    more: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """Journal the step that failed, and the run that is to fix it, or the question to the user.

    `see` is its log, and `more` what the question shows beside.
    """
    failed = IntegrationStepDone(step.rule, commit, step.reason, "\n".join(findings))
    if story.state.events[-1] != failed:  # else a crash came between
        story.note(failed)
    if chosen.row.asks is not None:
        _ask(story, chosen, findings, see=see, more=more)
        return
    run = story.state.run
    last = run.judged if run else None
    judged = Judged("", chosen.rule, chosen.action, chosen.then, chosen.reason, chosen.row.charges)
    closed, total = (last.closed, last.total) if last else (0, 0)
    story.note(judged._replace(findings=findings, closed=closed, total=total))


def _ask(
    story: StorySession, decision: Decision, findings: list[str], about: str = "", see: str = "",
    allows: Sequence[str] = (), more: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    report = str(story.folder.artifact(passed_by(story)))
    shown = {**(more or {}), **({"allows": list(allows)} if allows else {})}
    ask_question(story, decision, "integration", see or report, about, findings, shown)


def skipped_prepush(story: StorySession, ran: Collection[Command]) -> str:
    """Name the folders whose prepush did not run, for the story changes nothing there; empty for none."""
    skipped = [command.path for command in commands_for(story) if command.step == "prepush" and command not in ran]
    return f"prepush was skipped: nothing changes in {join_words([*dict.fromkeys(skipped)])}" if skipped else ""


def stop_unless_passed(story: StorySession) -> bool:
    """Return True where the story is what was passed; else ask the user, or start again who passed it."""
    if text_changed(story):
        evidence = changed_text(story)
        return record_or_ask(story, decide_step(story, "integrate/criteria-changed", evidence), tip_of(story))
    if changed := changed_sources(story):
        decision = decide_step(story, "integrate/criteria-changed", changed.pop("changed"))
        ask_question(story, decision, "integration", changed["artifact"], more=changed)
        return False
    run = passing_run(story)
    edited = edited_since(story, run, "story")
    if not edited and same_code(story.git, _before_closing(story), _judged(run), papers_of(story)):
        return True
    evidence = (
        "the user changed the story" if edited else describe_commits(story, run.dispatched.head, tip_of(story))
    )
    moved = decide_step(
        story, "merge/head-moved-small" if run.role == "micro-delivery" else "merge/head-moved", evidence
    )
    story.note(IntegrationStepDone(moved.rule, tip_of(story), moved.reason))
    story.note(Judged("", moved.rule, moved.action, moved.then, moved.reason))
    return False


def _judged(run: Run) -> str:
    """Return the commit that was passed: the one QA was started for, or what a small story's run left."""
    return (run.kept.commit if run.kept else "") or run.dispatched.head


def _before_closing(story: StorySession) -> str:
    """Return the tip, or what it was before the program closed the story on it: that merged base in as well."""
    steps = (event for event in story.state.events if isinstance(event, IntegrationStepDone))
    closed = {step.commit: step.evidence for step in steps if step.rule == "close/written" and step.evidence}
    tip = tip_of(story)
    while closed.get(tip, tip) != tip:
        tip = closed[tip]
    return tip
