"""The note a run leaves its successor."""

from baton.artefacts.findings import Finding
from baton.artefacts.outline import find_section, read_sections

NEEDED = {
    "Immediate Next Action": (
        "immediate next action", "next action", "next phase", "next step", "next steps", "resume",
    ),
    "Current State": ("current state", "what was done", "status", "summary", "completed"),
}  # fmt: skip


def check_handoff(text: str, path: str) -> list[Finding]:
    """Find a handoff that does not say where the work stands or what comes next."""
    sections = read_sections(text)
    return [
        Finding(path, "end", "handoff/section-missing", f"section missing: add `## {name}`")
        for name, aliases in NEEDED.items()
        if find_section(sections, *aliases) is None
    ]
