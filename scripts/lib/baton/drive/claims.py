"""What a hand-in claims, held against what the program sees, while the run can still mend it."""

import os
from collections.abc import Collection
from pathlib import PurePath

from baton.artefacts.document import read_document
from baton.artefacts.findings import Finding, faults
from baton.artefacts.kinds import check_artefact, is_valid
from baton.artefacts.metadata import Metadata, read_metadata
from baton.artefacts.plan import read_plan
from baton.artefacts.report import blocking_failures, declared_files, open_criteria, read_verdict
from baton.drive.gate import declared, new_files, undeclared
from baton.drive.merging import unresolved
from baton.drive.opened import OpenStory
from baton.drive.start import changed_outside
from baton.story.places import is_inside
from baton.story.roles import MENDS_DELTA, MICRO_REPORT, ROLES
from baton.story.run import Run


def check_claims(story: OpenStory, run: Run, kind: str, text: str, source: str) -> list[Finding]:
    """Find what an artefact says that is not so; its form is checked elsewhere."""
    if kind == "impl-report":
        names = declared_files(text)
        return _undeclared(story, names) + ([] if blocking_failures(text) else _unresolved(story, names))
    if kind == "qa-report":
        return _unproved(story, text, source)
    if kind == MICRO_REPORT:
        names = declared_files(text)
        left = _unresolved(story, names) if read_verdict(text).value == "pass" else []
        return [*_undeclared(story, names), *left, *_unproved(story, text, source)]
    if kind != "return-meta" or not is_valid(kind, text):
        return []
    metadata = read_metadata(text, run.role)
    missing = _missing(story, metadata, source) + _silent(metadata, run.handed_in, source)
    if not metadata.final:
        return missing
    return missing + _untrue(story, run, metadata, source)


def _untrue(story: OpenStory, run: Run, metadata: Metadata, source: str) -> list[Finding]:
    """What final metadata says of the run's work that the tree or the plan does not bear out."""
    if ROLES[run.role].changes_code:
        names = frozenset(metadata.files_changed)
        still_open = _still_open(story, metadata, source) if run.role == "implementer" else []
        left = _unresolved(story, names) if metadata.status == "implemented" else []
        return [*_undeclared(story, names), *left, *still_open]
    return [
        *_touched(story, run),
        *_without_its_work(run, metadata, source),
        *(_invalid_delta(story) if run.role == "qa" else []),
    ]


def _missing(story: OpenStory, metadata: Metadata, source: str) -> list[Finding]:
    """Files it names that are not in this project: a handoff, or an artifact the run did not delete."""
    root = story.project.root
    named = [(f"$.artifacts[{index}].path", one.path) for index, one in enumerate(metadata.artifacts)]
    gone = [(where, path) for where, path in named if not _is_known(story, path)]
    if metadata.handoff_path and not is_inside(root, metadata.handoff_path):
        gone.append(("$.partial_progress.handoff_path", metadata.handoff_path))
    return [
        Finding(source, where, "return-meta/no-file", f"no such file in this project: {path}")
        for where, path in gone
    ]


def _is_known(story: OpenStory, path: str) -> bool:
    """Whether an artifact is there, or lies outside (which is a warning of its own), or git knew it: deleted."""
    if PurePath(path).is_absolute() or path in ("", "."):
        return True
    try:
        return os.path.lexists(story.project.root / path) or story.git.has(path)
    except ValueError:  # a NUL
        return False


def _undeclared(story: OpenStory, names: frozenset[str]) -> list[Finding]:
    """New files that this hand-in and the earlier ones leave undeclared: they would not be committed."""
    return undeclared(story.git, story.folder, story.untracked_before, _named(story, names))


def _unresolved(story: OpenStory, names: frozenset[str]) -> list[Finding]:
    """What is left of the conflicts of a merge the program began: it could not be concluded."""
    return unresolved(story, _named(story, names))


def _named(story: OpenStory, names: frozenset[str]) -> frozenset[str]:
    """Give the files that this hand-in and the earlier ones declare."""
    return frozenset(one.removeprefix("./") for one in names) | declared(story)


def _unproved(story: OpenStory, text: str, source: str) -> list[Finding]:
    """A PASS without a passing row for each criterion."""
    if read_verdict(text).value != "pass":
        return []
    return [
        Finding(
            source,
            "criteria",
            "qa-report/open-criterion",
            f"PASS, but no passing row for {one}: FAIL if it can be mended, else ESCALATE",
        )
        for one in open_criteria(text, story.story().criteria)
    ]


def _still_open(story: OpenStory, metadata: Metadata, source: str) -> list[Finding]:
    """`implemented` while the plan's own marks say otherwise."""
    path = story.folder.artefact("plan")
    phase = read_plan(read_document(path)).first_open if path.exists() else None
    if metadata.status != "implemented" or phase is None:
        return []
    where = story.folder.relative_to_root(path)
    message = f"`implemented`, but {where} has phase {phase.id} as [{phase.mark}]: mark it true, or say `partial`"
    return [Finding(source, "$.status", "return-meta/open-phases", message)]


def _touched(story: OpenStory, run: Run) -> list[Finding]:
    """Files a planner or QA changed or left behind: neither changes any."""
    names = [*changed_outside(story), *new_files(story.git, story.folder, story.untracked_before)]
    message = (
        f"changed or made while the {run.role} was out, which changes no file: undo it if you did it; if not, "
    )
    message += "leave it alone and end your turn without metadata"
    return [Finding(name, "file", "touched-file", message) for name in names]


def _without_its_work(run: Run, metadata: Metadata, source: str) -> list[Finding]:
    """Success of a planner or QA that handed in no plan or no verdict."""
    kind = ROLES[run.role].artefact
    if not metadata.finished or kind in run.handed_in or run.dispatched.rule in MENDS_DELTA:
        return []
    message = f"`{metadata.status}`, but no {kind} was handed in: hand it in first"
    return [Finding(source, "$.status", f"return-meta/no-{kind}", message)]


def _invalid_delta(story: OpenStory) -> list[Finding]:
    """A memory delta that lies there and is not valid: it would come back as a finding."""
    path = story.folder.artefact("memory-delta")
    if not path.exists():
        return []
    return faults(check_artefact("memory-delta", read_document(path), story.folder.relative_to_root(path)))


def _silent(metadata: Metadata, handed_in: Collection[str], source: str) -> list[Finding]:
    """`blocked` or `failed` without a word on why: a person could not decide from it."""
    said = metadata.errors or metadata.details or metadata.review_reason or "plan-blocked" in handed_in
    if metadata.status not in ("blocked", "failed") or said:
        return []
    message = f"`{metadata.status}`, but not why: say it in `errors`, as `- message: …`"
    return [Finding(source, "$.errors", "return-meta/no-reason", message)]
