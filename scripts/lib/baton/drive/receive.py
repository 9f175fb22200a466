"""A sub-agent hands an artefact over: checked, stamped with its run, put in its place in one move."""

import hashlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from baton.artefacts.document import read_document
from baton.artefacts.findings import Finding, faults, mild
from baton.artefacts.kinds import KINDS, check_artefact
from baton.artefacts.metadata import normalised_metadata, read_metadata
from baton.artefacts.plan import Plan, read_plan
from baton.drive.claims import check_claims
from baton.drive.opened import OpenStory
from baton.errors import BatonError
from baton.story.durable import write_durably
from baton.story.events import HandedIn, Rejected, StartSeen
from baton.story.roles import RETURN, may_hand_in
from baton.story.run import Run

EARLIER = "what was accepted before counts no more: end with metadata that is accepted"


class Receipt(NamedTuple):
    """Whether an artefact was taken, where it lies now, what was found, and what was read differently."""

    accepted: bool
    path: str
    findings: list[Finding]
    normalised: tuple[str, ...] = ()


def receive(story: OpenStory, kind: str, run_id: str, text: str, source: str) -> Receipt:
    """Take an artefact or refuse it with findings, in which case nothing is written but the journal."""
    run = _run_that_is_out(story, kind, run_id)
    if not run.starts:
        # Without the client's hooks a run's first hand-in is what shows that it was started.
        story.note(StartSeen(run.id, "", os.environ.get("CLAUDE_CODE_SESSION_ID", "")))
    findings = check_artefact(kind, text, source)
    normalised: tuple[str, ...] = ()
    if kind == "return-meta" and not faults(findings):
        refused, text, normalised = _stamp(story, run, text, source)
        findings += refused
    findings += check_claims(story, run, kind, text, source)
    if faults(findings):
        if kind == RETURN and RETURN in run.handed_in:
            findings.append(Finding(source, "$", "return-meta/earlier", EARLIER, "warning"))
        story.note(Rejected(run.id, kind, [str(one) for one in faults(findings)]))
        return Receipt(False, "", findings, normalised)
    path = _place(story, run, kind)
    write_durably(path, text, story.project.root)
    relative = story.folder.relative_to_root(path)
    final = kind == "return-meta" and read_metadata(text).final
    digest = hashlib.sha256(text.encode()).hexdigest()
    story.note(HandedIn(run.id, kind, relative, digest, final, list(normalised)))
    return Receipt(True, relative, mild(findings), normalised)


def _run_that_is_out(story: OpenStory, kind: str, run_id: str) -> Run:
    if kind not in KINDS or not KINDS[kind].handed_in:
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
    if not may_hand_in(out.role, kind):
        raise BatonError(f"a {out.role} does not hand in `{kind}`", f"run {run_id}", "see your brief")
    return out


def _stamp(story: OpenStory, run: Run, text: str, source: str) -> tuple[list[Finding], str, tuple[str, ...]]:
    """Put metadata into its one form, with the run's id; metadata that names another known run is refused.

    Gives the findings, the text as it is stored, and what was read as something else than it said.
    """
    value, notes = normalised_metadata(text, run.role)
    metadata = value.setdefault("metadata", {})
    named = metadata.get("session_id", "")
    if named != run.id and story.state.find_run(named):
        message = f"this is the metadata of {named}: write that of {run.id}"
        return [Finding(source, "$.metadata.session_id", "return-meta/other-run", message)], text, notes
    metadata["session_id"] = run.id
    return [], json.dumps(value, indent=1, ensure_ascii=False) + "\n", notes


def _place(story: OpenStory, run: Run, kind: str) -> Path:
    if kind != "handoff":
        return story.folder.artefact(kind)
    # The run's own time: handed in again, after a crash or to mend it, a handoff replaces itself.
    stamp = run.time.replace("-", "").replace(":", "")
    path = story.folder.artefact("plan")
    plan = read_plan(read_document(path)) if path.exists() else Plan(())
    phase = plan.first_open or (plan.phases[-1] if plan.phases else None)
    return story.folder.path / "handoffs" / f"phase-{phase.id if phase else 0}-handoff-{stamp}.md"
