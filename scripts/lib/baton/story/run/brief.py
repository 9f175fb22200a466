"""The brief of a run: one file, given by path, rendered from its role's template."""

from baton.artifacts.report_text import report_form
from baton.artifacts.story_file import named_criteria
from baton.journal.events import Judged
from baton.journal.run import FIXES_DELTA, MICRO_REPORT, ROLES
from baton.journal.state import NextAction
from baton.rules.budgets import FIX_RUNS
from baton.story.begin.story_intake import unread_sources
from baton.story.checks.baseline import fails_on_base
from baton.story.run.resume_context import next_run, plan_of, resume_context
from baton.story.session.session import StorySession, commands_for, language_of
from baton.story.session.story_files import read_spec
from baton.templates.render import render

# They say nothing of the work.
WITHOUT_A_VERDICT = ("qa/no-verdict", "qa/verdict-exhausted")
# The judgments of a report that names blocking failures, and of any that says what blocks now.
BLOCKING = ("report/blocking", "report/still-blocking")
REPORTED = ("report/valid", *BLOCKING)


def brief_text(story: StorySession, pending: NextAction) -> str:
    """Return the brief of the run that is due, from how its story stands."""
    role = pending.then
    run_id, number = next_run(story, role)
    place = story.folder.relative_to_root  # as in the run's tree
    known, fixes_delta = read_spec(story), pending.rule in FIXES_DELTA
    return render(
        f"brief-{role}.md.j2",
        id=story.id,
        title=story.state.created.title,
        run=run_id,
        role=role,
        number=number,
        base=story.settings().base,
        folder=story.folder.relative,
        story_path=place(story.folder.artifact("story")),
        plan_path=place(story.folder.artifact("plan")),
        report_path=place(story.folder.artifact("impl-report")),
        criteria=named_criteria(known.criteria),
        deferred=known.deferred,
        made_of=known,
        sources=unread_sources(story),
        commands=[(command.name, command.line) for command in commands_for(story)],
        before=_filed_before(story),
        findings=_to_fix(story, pending),
        warnings=pending.warnings,
        answers=story.state.replies[story.state.replies_delivered :],
        decided=story.state.replies[: story.state.replies_delivered],
        rule=pending.rule,
        reason=pending.reason,
        resume=resume_context(story, run_id, number),
        total=len(plan_of(story).phases),
        language_brief=language_of(story).brief,
        since_fix=_fixed(story),
        delta_path=place(story.folder.artifact("memory-delta")),
        fixes_delta=fixes_delta,
        fails_on_base=fails_on_base(story) if role != "planner" and not fixes_delta else [],
        changes_code=ROLES[role].changes_code,
        form=report_form(ROLES[role].artifact, [""] * len(known.criteria)) if role != "planner" else "",
    )


def _to_fix(story: StorySession, pending: NextAction) -> list[str]:
    """Return what this run must fix: the new findings, and those that no verdict has called fixed since."""
    findings = list(pending.findings)
    last = story.state.run
    if last and last.refused and not any(last.refused in finding for finding in findings):
        findings.append(f"the work so far is not committed: {last.refused}")
    if ROLES[pending.then].changes_code:
        findings = [*_still_due(story), *findings]
    return list(dict.fromkeys(findings))


def _fixed(story: StorySession) -> str:
    """Return why the work was sent to be fixed since a verdict passed it; nothing when it was not."""
    judged = [event for event in story.state.events if isinstance(event, Judged)]
    last = next((event for event in reversed(judged) if event.rule in ("qa/pass", "micro/pass", *FIX_RUNS)), None)
    return last.reason if last and last.rule in FIX_RUNS else ""


def _still_due(story: StorySession) -> list[str]:
    """Return what QA failed last, what a report named blocking, and what kept the story from being integrated.

    Of each only what has not passed since.
    """
    failed, blocking, reported = list[str](), list[str](), False
    for event in reversed([event for event in story.state.events if isinstance(event, Judged)]):
        if event.rule in FIX_RUNS:
            return [*event.findings, *failed, *blocking]
        if event.rule in BLOCKING and not reported:
            blocking = event.findings
        reported = reported or event.rule in REPORTED or event.rule.startswith("qa/")
        if event.rule in ("qa/fail", "qa/fail-twice"):
            failed = failed or event.findings
        elif event.rule == "micro/pass" or (event.rule.startswith("qa/") and event.rule not in WITHOUT_A_VERDICT):
            break
    return [*failed, *blocking]


def _filed_before(story: StorySession) -> list[str]:
    """Return the paths of what the last runs filed in history/, newest last, and of what still stands."""
    paths = list[str]()
    for run in story.state.runs[-3:]:
        folder = story.folder.history(run.id)
        if folder.is_dir():
            filed = [path for path in folder.iterdir() if not path.name.startswith("return-meta")]
            paths += sorted(story.folder.relative_to_root(path) for path in filed)
    stays = [story.folder.artifact(kind) for kind in (MICRO_REPORT, "memory-delta")]
    return [*paths, *(story.folder.relative_to_root(path) for path in stays if path.exists())]
