"""Every kind of artifact that can be checked."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from baton.artifacts.findings import Finding, faults
from baton.artifacts.outline import FENCE_LINE
from baton.artifacts.strict_json import JsonFault
from baton.artifacts.strict_yaml import YamlFault


class Kind(NamedTuple):
    """A kind of artifact: the module that knows it, what checks and normalizes it there; whether it is handed in.

    With `of_several` these functions serve several kinds, and take the kind first.
    """

    module: str
    check: str
    handed_in: bool
    normalized: str = ""
    of_several: bool = False


READING = "feedback-reading"
# A call loads the modules of the kinds it asks for and no other.
KINDS = {
    "story": Kind("story_file", "check_story", False),
    "return-meta": Kind("metadata", "check_metadata", True, "normalized_metadata"),
    "criteria": Kind("data", "check_by_schema", True, of_several=True),
    "plan": Kind("plan", "check_plan", True),
    "plan-blocked": Kind("plan", "check_plan_blocked", True),
    "impl-report": Kind("report", "check_report", True, "normalized_report", of_several=True),
    "qa-report": Kind("report", "check_report", True, "normalized_report", of_several=True),
    "micro-delivery-report": Kind("report", "check_report", True, "normalized_report", of_several=True),
    "memory-delta": Kind("memory_delta", "check_memory_delta", True),
    "handoff": Kind("handoff", "check_handoff", True),
    "resolver-result": Kind("resolver_result", "check_result", True, "normalized_result"),
    READING: Kind("data", "check_by_schema", True, of_several=True),
    "summary": Kind("summary", "check_summary", False),
}

IN_A_FENCE = "it stands in a code fence: hand in what is within, and nothing around it"


def check_artifact(kind: str, text: str, path: str) -> list[Finding]:
    """Find every fault in an artifact of `kind`, and what is only a warning; the findings call it `path`."""
    if not text.strip():
        return [Finding(path, "line 1", f"{kind}/empty", "the file is empty")]
    check = _function(kind, KINDS[kind].check)
    findings: list[Finding] = check(text, path)
    if faults(findings) and (fenced := _fenced(text)):
        line, inner = fenced
        within: list[Finding] = check(inner, path)
        data = {f"{kind}/yaml", f"{kind}/json"}
        unread = [not data.isdisjoint(fault.rule for fault in listed) for listed in (findings, within)]
        if len(faults(within)) < len(faults(findings)) or unread == [True, False]:
            return [Finding(path, f"line {line}", f"{kind}/fenced", IN_A_FENCE), *within]
    return findings


def _fenced(text: str) -> tuple[int, str] | None:
    """Return the line of the first code fence, and what stands from there to the last; None without them."""
    lines = text.split("\n")
    fences = [(number, match) for number, line in enumerate(lines) if (match := FENCE_LINE.match(line))]
    if len(fences) < 2 or fences[-1][1][2].strip() or fences[-1][1][1][0] != fences[0][1][1][0]:
        return None
    first, last = fences[0][0], fences[-1][0]
    return first + 1, "\n".join(lines[first + 1 : last])


def is_valid(kind: str, text: str) -> bool:
    """Whether an artifact is there and has no fault; warnings leave it valid."""
    return bool(text) and not faults(check_artifact(kind, text, kind))


def notes_on(kind: str, text: str) -> list[str]:
    """Return notes on what in an artifact is read otherwise than it says; none for one that cannot be read."""
    if not KINDS[kind].normalized:
        return []
    try:
        return list(_function(kind, KINDS[kind].normalized)(text).notes)
    except (JsonFault, YamlFault):
        return []


def _function(kind: str, name: str) -> Callable[..., Any]:
    """Return a function of the module that knows a kind, to be called without the kind."""
    known = KINDS[kind]
    function: Callable[..., Any] = getattr(import_module(f"baton.artifacts.{known.module}"), name)
    return partial(function, kind) if known.of_several else function
