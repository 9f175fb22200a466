"""Every kind of artefact that can be checked."""

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from baton.artefacts.findings import Finding, faults

Check = Callable[[str, str], list[Finding]]


class Kind(NamedTuple):
    """A kind of artefact: the module that knows it, what checks it there, and whether a sub-agent hands it in."""

    module: str
    check: str
    handed_in: bool


# A call loads the modules of the kinds it asks for and no other.
KINDS = {
    "story": Kind("story_file", "check_story", False),
    "return-meta": Kind("metadata", "check_metadata", True),
    "plan": Kind("plan", "check_plan", True),
    "plan-blocked": Kind("plan", "check_plan_blocked", True),
    "impl-report": Kind("report", "check_impl_report", True),
    "qa-report": Kind("report", "check_qa_report", True),
    "micro-delivery-report": Kind("report", "check_micro_report", True),
    "memory-delta": Kind("memory_delta", "check_memory_delta", True),
    "handoff": Kind("handoff", "check_handoff", True),
    "resolver-result": Kind("resolver_result", "check_result", True),
    "summary": Kind("summary", "check_summary", False),
}


def check_artefact(kind: str, text: str, path: str) -> list[Finding]:
    """Find every fault in an artefact of `kind`, and what is only a warning; the findings call it `path`."""
    if not text.strip():
        return [Finding(path, "line 1", f"{kind}/empty", "the file is empty")]
    known = KINDS[kind]
    check: Check = getattr(import_module(f"baton.artefacts.{known.module}"), known.check)
    return check(text, path)


def is_valid(kind: str, text: str) -> bool:
    """Whether an artefact is there and has no fault; warnings leave it valid."""
    return bool(text) and not faults(check_artefact(kind, text, kind))


def notes_on(kind: str, text: str) -> list[str]:
    """Tell what in an artefact is read as something else than it says; nothing for one that cannot be read."""
    if kind not in ("return-meta", "resolver-result"):
        return []
    from baton.artefacts.front_matter import YamlFault
    from baton.artefacts.metadata import normalised_metadata
    from baton.artefacts.resolver_result import normalised_result
    from baton.artefacts.strict_json import JsonFault

    read = normalised_metadata if kind == "return-meta" else normalised_result
    try:
        return list(read(text).notes)
    except (JsonFault, YamlFault):
        return []
