"""Return metadata: what a run says of itself. A claim, checked elsewhere."""

import re
from dataclasses import dataclass
from typing import Any

from baton.artefacts.findings import Finding
from baton.artefacts.front_matter import YamlFault, load_yaml
from baton.artefacts.schema import check_schema
from baton.artefacts.strict_json import JsonFault, load_json

FAILED = re.compile(r"\bfail(?:ed|ing|s|ure)?\b", re.I)
REMAINING = re.compile(r"^\s*resume\b|\bremaining\b|\bstill (?:open|to be done)\b", re.I)
HARD = (
    "mathematically_false", "missing_dependency", "unresolvable_build_error", "invalid_specification",
    "resource_exhausted", "strategy_failed",
)  # fmt: skip
SOFT = ("timeout", "context_exhaustion_handoff", "phase_incomplete", "mcp_transient")
FINISHED = ("planned", "researched", "implemented")


@dataclass(frozen=True)
class RunError:
    """An error a run met, as it reported it."""

    type: str
    message: str
    recoverable: bool

    def __str__(self) -> str:
        return f"{self.type}: {self.message}" if self.type != "error" else self.message


@dataclass(frozen=True)
class Metadata:
    """What a run says of itself, in the program's own words."""

    status: str
    session_id: str
    requires_user_review: bool
    review_reason: str
    handoff_path: str
    errors: tuple[RunError, ...]
    files_changed: tuple[str, ...]
    stage: str
    details: str
    next_steps: str
    contradiction: str

    @property
    def final(self) -> bool:
        return self.status != "in_progress"

    @property
    def hard_blocker(self) -> bool:
        """Whether only a person can lift what stopped the run: by its stage, or by its errors."""
        types = {self.stage, *(error.type for error in self.errors)}
        beyond = all(not error.recoverable and error.type not in SOFT for error in self.errors)
        return not types.isdisjoint(HARD) or (bool(self.errors) and beyond)


def load_metadata(text: str) -> Any:
    """Load return metadata, JSON or YAML; JsonFault or YamlFault for anything else.

    YAML, because the client asks a person about a here-document that holds JSON unless a hook answers for them.
    """
    return load_json(text) if text.lstrip().startswith(("{", "[")) else load_yaml(text)


def check_metadata(text: str, path: str) -> list[Finding]:
    """Find every fault in return metadata."""
    try:
        value = load_metadata(text)
    except (JsonFault, YamlFault) as fault:
        form = "JSON" if isinstance(fault, JsonFault) else "YAML"
        return [Finding(path, "$", f"return-meta/{form.lower()}", f"not readable as {form}: {fault}")]
    return check_schema(value, "return-meta", path)


def read_metadata(text: str) -> Metadata:
    """Read return metadata that `check_metadata` found nothing wrong with."""
    value: dict[str, Any] = load_metadata(text)
    progress = value.get("partial_progress") or {}
    return Metadata(
        status=value["status"],
        session_id=(value.get("metadata") or {}).get("session_id", ""),
        requires_user_review=value.get("requires_user_review", False),
        review_reason=value.get("review_reason") or "",
        handoff_path=progress.get("handoff_path") or "",
        errors=tuple(_error(one) for one in value.get("errors", ())),
        files_changed=tuple(value.get("files_changed", ())),
        stage=progress.get("stage", ""),
        details=progress.get("details", ""),
        next_steps=value.get("next_steps") or "",
        contradiction=_contradiction(value),
    )


def _contradiction(value: dict[str, Any]) -> str:
    """Quote what in the metadata itself speaks against finished work; empty when nothing does."""
    places = [value, *(value.get(name) or {} for name in ("metadata", "completion_data", "partial_progress"))]
    for place in places:
        count = place.get("sorry_count")
        if isinstance(count, int) and count > 0:
            return f"sorry_count is {count}"
        said = place.get("verification")
        words = said.get("status", said.get("passed")) if isinstance(said, dict) else said
        if words is False or (isinstance(words, str) and FAILED.search(words)):
            return f"its verification says {words}"
    steps = value.get("next_steps") or ""
    return f"its next steps are: {steps}" if REMAINING.search(steps) else ""


def _error(one: dict[str, Any]) -> RunError:
    return RunError(one.get("type", "error"), one["message"], one.get("recoverable", True))
