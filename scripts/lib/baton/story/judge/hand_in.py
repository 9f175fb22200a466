"""A sub-agent hands an artifact over from its own work tree: checked, stamped with its run, kept by its hash."""

import json
import os
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from baton.artifacts.findings import Finding, faults, warnings_in
from baton.artifacts.kinds import KINDS, check_artifact
from baton.artifacts.metadata import normalized_metadata, read_metadata
from baton.artifacts.report import ESCALATE, FAIL, REPORT_KINDS, normalized_report, read_report, sound_part
from baton.artifacts.report_text import render_report, report_form
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.commits import changed_files
from baton.journal.events import HandedIn, Rejected, RunStarted
from baton.journal.run import LEARNED, RETURN, Run, may_hand_in
from baton.secrets.scan import secrets_in
from baton.story.ask.answer_source import session_here
from baton.story.begin.story_intake import check_plan_of, keep_hand_in
from baton.story.judge.refusals import (
    END_NOW,
    HONEST,
    MISSING,
    MOST_REFUSALS,
    MOST_UNREADABLE,
    TAKE_OUT,
    UNREADABLE,
    count_refusals,
    is_about_form,
    is_object,
)
from baton.story.run.begin_run import check_own_tree
from baton.story.run.resume_context import place_of
from baton.story.session.session import StorySession
from baton.story.session.story_files import accept_text, keep_report, keep_text, put_report, read_spec
from baton.text import with_article

if TYPE_CHECKING:
    from baton.story.judge.work_gate import WorkGate

# What of a report is held against the story and its work.
PARTS = ("$.criteria", "$.criteria_mapping", "$.changes_made")
# What refuses the commit of a run's work: conflicts that are left do, and have findings of their own.
HOOK_RULE = "commit-hook"
EARLIER = "what was accepted before counts no more: end with what is accepted"
MOST_FILES = 20  # of those it changed, in a form


class HandInResult(NamedTuple):
    """Whether an artifact was taken, its path, the findings, what was read differently, and a form to fill in."""

    accepted: bool
    path: str
    findings: list[Finding]
    normalized: tuple[str, ...] = ()
    form: str = ""


def hand_in_artifact(story: StorySession, kind: str, run_id: str, text: str, source: str) -> HandInResult:
    """Take an artifact or refuse it with findings, in which case the story's folder stays as it is."""
    run = _run_that_is_out(story, kind, run_id)
    if not run.starts:
        story.note(RunStarted(run.id, "", session_here()))  # as without the client's hooks nothing else shows
    findings = [*check_artifact(kind, text, source), *_secrets(story, run, text, source)]
    if kind in REPORT_KINDS:
        return _take_report(story, run, kind, text, source, findings)
    normalized, final, kept = tuple[str, ...](), False, ""
    if kind == RETURN and is_object(kind, findings):
        more, text, final, normalized = _read_return(story, run, text, source, findings)
        findings += more
    if kind in ("criteria", "plan") and not faults(findings):
        kept, more = (keep_hand_in if kind == "criteria" else check_plan_of)(story, run, text, source)
        findings += more
    if faults(findings):
        findings += _earlier(run, kind, source) if kind == RETURN else []
        return _refuse(story, run, kind, text, findings)._replace(normalized=normalized)
    path = place_of(story, run, kind, story.project.root)
    digest = kept or accept_text(story, path, text)
    relative = story.folder.relative_to_root(path)
    story.note(HandedIn(run.id, kind, relative, digest, final, list(normalized)))
    return HandInResult(True, relative, warnings_in(findings), normalized)


def _work_gate(story: StorySession, run: Run, source: str) -> "WorkGate":
    from baton.story.judge.work_gate import WorkGate  # it takes a run's work, and is a third of what this loads

    return WorkGate(story, run, source)


def note_unreadable(story: StorySession, kind: str, run_id: str, why: str) -> None:
    """Journal that a hand-in could not be read: what the run handed in of its kind before counts no more."""
    run = _run_that_is_out(story, kind, run_id)
    if kind in (*REPORT_KINDS, *LEARNED, RETURN):
        kept = keep_text(story, f"{why}\n") if kind in LEARNED else ""
        story.note(Rejected(run.id, kind, [f"{why} [unreadable]"], kept))


def _secrets(story: StorySession, run: Run, text: str, source: str) -> list[Finding]:
    """Find what looks like a secret in an artifact, which is committed; after refusals the gate asks."""
    if count_refusals(story, run, ("secret",)) >= MOST_REFUSALS:
        return []
    return [
        Finding(source, f"line {secret.line}", "secret", f"what looks like a secret ({secret.kind}): {TAKE_OUT}")
        for secret in secrets_in(text, os.environ)
    ]


def _earlier(run: Run, kind: str, source: str) -> list[Finding]:
    return [Finding(source, "$", f"{kind}/earlier", EARLIER, "warning")] if kind in run.handed_in else []


def _refuse(story: StorySession, run: Run, kind: str, text: str, findings: list[Finding]) -> HandInResult:
    kept = keep_text(story, text) if kind in LEARNED and text.strip() else ""
    story.note(Rejected(run.id, kind, [str(fault) for fault in faults(findings)], kept))
    if count_refusals(story, run, UNREADABLE) >= MOST_UNREADABLE:
        findings.append(Finding(kind, "file", "unreadable", END_NOW, "warning"))
    return HandInResult(False, "", findings)


def _take_report(
    story: StorySession, run: Run, kind: str, text: str, source: str, findings: list[Finding]
) -> HandInResult:
    """Take the report that ends a run, or refuse it with its form, filled with what the program knows itself."""
    criteria, notes = read_spec(story).criteria, tuple[str, ...]()
    path = story.folder.artifact(kind)
    if is_object(kind, findings):
        value, notes = normalized_report(kind, text)
        sound = sound_part(value, findings)
        report, gate = read_report(sound), _work_gate(story, run, source)
        more = gate.check_report(kind, report)
        old = [finding for finding in more if finding.where == "$.blocking_failures"]
        if old and len(old) >= len(report.blocking_failures):  # what base fails, too, blocks nothing
            sound = {**sound, "blocking_failures": []}
        # What has a secret is kept nowhere.
        has_secret = any(finding.rule == "secret" for finding in findings)
        digest = "" if has_secret else keep_report(story, sound, render_report(kind, sound, criteria))
        handed = HandedIn(run.id, kind, story.folder.relative_to_root(path), digest, True, list(notes))
        claims = report.status not in HONEST and report.verdict not in (FAIL, ESCALATE)
        more += gate.check_work(handed, report.metadata, claims)
        findings += _without_parts(findings, sound, more)
    if faults(findings):
        files = [change for change in changed_files(Git(story.project)) if not story.folder.papers.has(change)]
        form = report_form(kind, criteria, files[:MOST_FILES]) if is_about_form(kind, findings) else ""
        findings += _earlier(run, kind, source)
        return _refuse(story, run, kind, text, findings)._replace(normalized=notes, form=form)
    put_report(story, path, digest)
    story.note(handed)
    return HandInResult(True, handed.path, warnings_in(findings), notes)


def _run_that_is_out(story: StorySession, kind: str, run_id: str) -> Run:
    if kind not in KINDS or not KINDS[kind].handed_in:
        kinds = ", ".join(name for name, meaning in KINDS.items() if meaning.handed_in)
        raise BatonError(f"`{kind}` is not handed in", f"story {story.id}", f"one of: {kinds}")
    out = story.state.run if story.state.stage == "running" else None
    if out is None or out.id != run_id:
        state = f"{out.id} is running" if out else "no run is active"
        known = story.state.find_run(run_id) is not None
        remedy = "it was closed without you: end your turn" if known else "use the RUN in your brief"
        raise BatonError(f"run {run_id} is not at work ({state})", f"story {story.id}", remedy)
    check_own_tree(story.project, out.id, *((out.begun.tree, out.begun.git_dir) if out.begun else ("", "")))
    if not may_hand_in(out.role, kind):
        raise BatonError(f"{with_article(out.role)} does not hand in `{kind}`", f"run {run_id}", "see your brief")
    return out


def _read_return(
    story: StorySession, run: Run, text: str, source: str, findings: Sequence[Finding]
) -> tuple[list[Finding], str, bool, tuple[str, ...]]:
    """Put metadata into its one form, with the run's id, and hold it against the run's work, its faults aside.

    Returns findings, text, whether it ends the run, and what was read otherwise.
    """
    value, notes = normalized_metadata(text, run.role)
    sound = sound_part(value, findings)
    about = sound.setdefault("metadata", {})
    named, more = about.get("session_id", ""), list[Finding]()
    if named != run.id and story.state.find_run(named):
        message = f"this is the metadata of {named}: write that of {run.id}"
        more.append(Finding(source, "$.metadata.session_id", "return-meta/other-run", message))
    about["session_id"] = run.id
    kept = json.dumps(sound, indent=1, ensure_ascii=False) + "\n"
    if "status" not in sound:
        return more, kept, False, notes
    metadata = read_metadata(kept, run.role)
    more += _without_parts(findings, sound, _work_gate(story, run, source).check_metadata(metadata))
    return more, kept, metadata.final, notes


def _without_parts(
    findings: Sequence[Finding], sound: Collection[str], more: Sequence[Finding]
) -> Iterator[Finding]:
    """Leave out what was found of a part that has a fault of its own or is not there, and what is said already."""
    is_whole = not faults(findings)
    messages = [finding.message for finding in (*findings, *more) if finding.rule != HOOK_RULE]
    for finding in more:
        if finding.rule == HOOK_RULE and any(message in finding.message for message in messages):
            continue
        part = finding.where.removeprefix("$.") if finding.where in PARTS else ""
        if is_whole or not (finding.rule in MISSING or (part and part not in sound)):
            yield finding
