"""Return metadata: what a run says of itself. A claim, checked elsewhere."""

import math
import re
from typing import Any, NamedTuple

from baton.artifacts.data import DATA_FAULTS, load_data, load_object, unreadable
from baton.artifacts.findings import Finding
from baton.artifacts.normalize import COUNTERS, FINISHED_WORDS, Normalized, normalize
from baton.artifacts.schema import check_schema

FAILED = re.compile(r"(?<!\b0 )(?<!\bno )(?<!\bwithout )\bfail(?:ed|ing|s|ures?)?\b", re.I)
REMAINING = re.compile(r"^\s*resume\b|\bremaining\b|\bstill (?:open|to be done)\b", re.I)
OPTIONAL = re.compile(r"\b(?:optional(?:ly)?|later|follow[- ]?ups?|nice to have|future|out of scope)\b", re.I)
# These and `sorry_count` are words of the workflow this form comes from, in which agents prove theorems in Lean.
HARD = (
    "mathematically_false", "missing_dependency", "unresolvable_build_error", "invalid_specification",
    "resource_exhausted", "strategy_failed",
)  # fmt: skip
SOFT = ("timeout", "context_exhaustion_handoff", "phase_incomplete", "mcp_transient")
FINISHED = ("planned", "researched", "implemented")
# So are these, for work that goes on; the schema, which is what agents are shown, does not offer them.
NOT_FINAL = ("implementing", "awaiting_confirmation", "expanded", "tasks_created", "assembled")
# The artifacts whose paths the program or a successor follows.
FOLLOWED = ("plan", "summary", "handoff", "report")
OUTSIDE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.\.(?:[/\\]|$)", re.S)


class Artifact(NamedTuple):
    """A file a run says it left behind."""

    type: str
    path: str
    summary: str


class RunError(NamedTuple):
    """An error a run met, as it reported it."""

    type: str
    message: str
    recoverable: bool
    recommendation: str = ""

    def __str__(self) -> str:
        text = f"{self.type}: {self.message}" if self.type != "error" else self.message
        return f"{text}; the run recommends: {self.recommendation}" if self.recommendation else text


class Metadata(NamedTuple):
    """A run's account of itself, in the program's own words."""

    status: str
    session_id: str = ""
    requires_user_review: bool = False
    review_reason: str = ""
    handoff_path: str = ""
    errors: tuple[RunError, ...] = ()
    files_changed: tuple[str, ...] = ()
    stage: str = ""
    details: str = ""
    next_steps: str = ""
    contradiction: str = ""
    artifacts: tuple[Artifact, ...] = ()
    phases_completed: float | None = None
    phases_total: float | None = None
    summary: str = ""

    @property
    def final(self) -> bool:
        return self.status not in ("in_progress", *NOT_FINAL)

    @property
    def hard_blocker(self) -> bool:
        """Whether only the user can lift what stopped the run: by its stage, or by its errors."""
        types = {self.stage, *(error.type for error in self.errors)}
        beyond = all(not error.recoverable and error.type not in SOFT for error in self.errors)
        return not types.isdisjoint(HARD) or (bool(self.errors) and beyond)


def normalized_metadata(text: str, role: str = "") -> Normalized:
    """Load return metadata in the one form it is stored and read in; JsonFault or YamlFault for what cannot be."""
    return normalize(load_object(text, "return-meta"), role)


def check_metadata(text: str, path: str) -> list[Finding]:
    """Find every fault in return metadata, after what can be normalized has been."""
    try:
        value = load_data(text, "return-meta")
    except DATA_FAULTS as fault:
        return [unreadable(fault, "return-meta", path)]
    if not isinstance(value, dict):
        return check_schema(value, "return-meta", path)
    value = normalize(value).value
    known = value.get("status") in (*NOT_FINAL, *FINISHED_WORDS)
    findings = check_schema({**value, "status": FINISHED[0]} if known else value, "return-meta", path)
    return findings or [*_check_counters(value, path), *_check_paths(value, path)]


def _check_counters(value: dict[str, Any], path: str) -> list[Finding]:
    done, total = (_counter(value, name) for name in COUNTERS)
    if done is None or total is None or (done, total) == (0, 0) or math.floor(done) <= math.floor(total) > 0:
        return []
    message = f"{done:g} of {total:g} phases completed: more than there are"
    return [Finding(path, "$.metadata.phases_completed", "return-meta/counters", message)]


def _check_paths(value: dict[str, Any], path: str) -> list[Finding]:
    findings = []
    for index, artifact in enumerate(value.get("artifacts", ())):
        if OUTSIDE.match(artifact["path"]):
            severity = "error" if artifact.get("type") in FOLLOWED else "warning"
            findings.append(_outside(path, f"$.artifacts[{index}].path", artifact["path"], severity))
    handoff = (value.get("partial_progress") or {}).get("handoff_path") or ""
    if OUTSIDE.match(handoff):
        findings.append(_outside(path, "$.partial_progress.handoff_path", handoff, "error"))
    return findings


def _outside(path: str, where: str, named: str, severity: str) -> Finding:
    message = f"`{' '.join(named.split())[:200]}` is absolute or has `..`: name it from the project's root"
    return Finding(path, where, "return-meta/path", message, severity)


def _counter(value: dict[str, Any], name: str) -> float | None:
    """Return a counter from where it counts: the metadata, else the partial progress."""
    places = (value.get("metadata") or {}, value.get("partial_progress") or {})
    return next((place[name] for place in places if place.get(name) is not None), None)


def read_metadata(text: str, role: str = "") -> Metadata:
    """Read return metadata that `check_metadata` found no fault in; `role` is that of the run, if it is known."""
    value = normalized_metadata(text, role).value
    progress = value.get("partial_progress") or {}
    done, total = (_counter(value, name) for name in COUNTERS)
    return Metadata(
        status=value["status"],
        session_id=(value.get("metadata") or {}).get("session_id") or "",
        requires_user_review=value.get("requires_user_review", False),
        review_reason=value.get("review_reason") or "",
        handoff_path=progress.get("handoff_path") or "",
        errors=tuple(read_error(error) for error in value.get("errors", ())),
        files_changed=tuple(value.get("files_changed", ())),
        stage=progress.get("stage") or "",
        details=progress.get("details") or "",
        next_steps=value.get("next_steps") or "",
        contradiction=_contradiction(value),
        artifacts=tuple(
            Artifact(artifact.get("type") or "", artifact["path"], artifact.get("summary") or "")
            for artifact in value.get("artifacts", ())
        ),
        phases_completed=None if total == 0 else done,
        phases_total=total or None,
        summary=value.get("summary") or "",
    )


def _contradiction(value: dict[str, Any]) -> str:
    """Quote what in the metadata itself speaks against finished work; empty when nothing does.

    A `sorry_count` does where it names `files` that the run changed: most count the whole repository.
    """
    places = [value, *(value.get(name) or {} for name in ("metadata", "completion_data", "partial_progress"))]
    changed = set(value.get("files_changed", ()))
    for place in places:
        check = place.get("verification")
        for holder in (place, check if isinstance(check, dict) else {}):
            count, files = holder.get("sorry_count"), holder.get("files")
            if isinstance(count, int) and count > 0 and isinstance(files, list) and changed & {*map(str, files)}:
                return f"sorry_count is {count}"
        words = check.get("status", check.get("passed")) if isinstance(check, dict) else check
        if words is False or (isinstance(words, str) and FAILED.search(words)):
            return f"its verification says {words}"
    steps = value.get("next_steps") or ""
    left = [step for step in re.split(r"[;.\n]", steps) if REMAINING.search(step) and not OPTIONAL.search(step)]
    return f"its next steps are: {steps}" if left else ""


def read_error(raw: dict[str, Any]) -> RunError:
    """Read an error of a run, as its schema has it."""
    return RunError(
        raw.get("type") or "error", raw["message"], raw.get("recoverable", True), raw.get("recommendation") or ""
    )
