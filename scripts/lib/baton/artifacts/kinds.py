"""Every kind of artifact that can be checked."""

import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from baton.artifacts.findings import Finding, faults
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

# A Markdown file, shown instead of written.
IN_A_FENCE = re.compile(r"\s*(`{3,}|~{3,})(?:markdown|md)?[ \t]*\n(?!\s*[{\[]).*\n\1\s*", re.S)


def check_artifact(kind: str, text: str, path: str) -> list[Finding]:
    """Find every fault in an artifact of `kind`, and what is only a warning; the findings call it `path`."""
    if not text.strip():
        return [Finding(path, "line 1", f"{kind}/empty", "the file is empty")]
    findings: list[Finding] = _function(kind, KINDS[kind].check)(text, path)
    if faults(findings) and IN_A_FENCE.fullmatch(text):
        return [Finding(path, "line 1", f"{kind}/fenced", "all of it stands in a code fence: hand it in without")]
    return findings


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
