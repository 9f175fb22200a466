"""A sub-agent hands an artefact over: checked, stamped with its run, put in its place in one move."""

import hashlib
import json
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from baton.artefacts.findings import Finding, faults, mild
from baton.artefacts.kinds import KINDS, check_artefact
from baton.artefacts.metadata import load_metadata, read_metadata
from baton.drive.claims import check_claims
from baton.drive.opened import OpenStory
from baton.errors import BatonError
from baton.story.durable import write_durably
from baton.story.events import HandedIn, Rejected, StartSeen
from baton.story.places import is_inside
from baton.story.state import Run

ROLES = {
    "plan": ("planner",),
    "plan-blocked": ("planner",),
    "impl-report": ("implementer",),
    "qa-report": ("qa",),
    "handoff": ("implementer",),
    "return-meta": ("planner", "implementer", "qa"),
}


class Receipt(NamedTuple):
    """Whether an artefact was taken, where it lies now, and what was found."""

    accepted: bool
    path: str
    findings: list[Finding]


def receive(story: OpenStory, kind: str, run_id: str, text: str, source: str) -> Receipt:
    """Take an artefact or refuse it with findings, in which case nothing is written but the journal."""
    run = _run_that_is_out(story, kind, run_id)
    if not run.starts:
        # Without the client's hooks a run's first hand-in is what shows that it was started.
        story.note(StartSeen(run.id, "", os.environ.get("CLAUDE_CODE_SESSION_ID", "")))
    findings = check_artefact(kind, text, source)
    if kind == "return-meta" and not faults(findings):
        refused, text = _stamp(story, run, text, source)
        findings += refused
    findings += check_claims(story, run, kind, text, source)
    if faults(findings):
        story.note(Rejected(run.id, kind, [str(one) for one in faults(findings)]))
        return Receipt(False, "", findings)
    path = _place(story, kind)
    write_durably(path, text)
    relative = story.folder.relative_to_root(path)
    final = kind == "return-meta" and read_metadata(text).final
    digest = hashlib.sha256(text.encode()).hexdigest()
    story.note(HandedIn(run.id, kind, relative, digest, final))
    return Receipt(True, relative, mild(findings))


def _run_that_is_out(story: OpenStory, kind: str, run_id: str) -> Run:
    if kind not in ROLES:
        kinds = ", ".join(one for one, meaning in KINDS.items() if meaning.handed_in)
        raise BatonError(f"`{kind}` is not handed in", f"story {story.id}", f"one of: {kinds}")
    out = story.state.run if story.state.stage == "out" else None
    if out is None or out.id != run_id:
        state = f"{out.id} is out" if out else "no run is out"
        known = story.state.find_run(run_id) is not None
        remedy = "it was closed without you: end your turn" if known else "take the RUN of your brief"
        raise BatonError(f"run {run_id} is not out ({state})", f"story {story.id}", remedy)
    started = story.state.started
    if started and story.git.branch != started.branch:
        what = f"the work tree is not on {started.branch}"
        raise BatonError(what, f"run {run_id}", "end your turn saying so; your files stay as they are")
    if out.role not in ROLES[kind]:
        raise BatonError(f"a {out.role} does not hand in `{kind}`", f"run {run_id}", "see your brief")
    return out


def _stamp(story: OpenStory, run: Run, text: str, source: str) -> tuple[list[Finding], str]:
    """Put the run's id into its metadata; metadata that names another known run is refused."""
    value = load_metadata(text)
    metadata = value.setdefault("metadata", {})
    named = metadata.get("session_id", "")
    if named != run.id and story.state.find_run(named):
        message = f"this is the metadata of {named}: write that of {run.id}"
        return [Finding(source, "$.metadata.session_id", "return-meta/other-run", message)], text
    metadata["session_id"] = run.id
    handoff = (value.get("partial_progress") or {}).get("handoff_path")
    if handoff and not is_inside(story.project.root, handoff):
        message = f"no such file in this project: {handoff}"
        return [Finding(source, "$.partial_progress.handoff_path", "return-meta/no-file", message)], text
    return [], json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _place(story: OpenStory, kind: str) -> Path:
    if kind != "handoff":
        return story.folder.artefact(kind)
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    run = story.state.run
    iteration = run.dispatched.iteration if run else 0
    return story.folder.path / "handoffs" / f"phase-{iteration}-handoff-{stamp}.md"
