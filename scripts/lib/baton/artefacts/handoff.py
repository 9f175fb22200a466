"""The note a run leaves its successor."""

import re

from baton.artefacts.findings import Finding
from baton.artefacts.outline import plain, read_lines, read_sections

NEEDED = {
    "Immediate Next Action": (
        "immediate next action", "next action", "next phase", "next step", "next steps", "resume",
    ),
    "Current State": ("current state", "what was done", "status", "summary", "completed"),
}  # fmt: skip
LABEL = re.compile(r"\s*(?:[-*+]\s+)?\*\*([^*]+)\*\*")


def check_handoff(text: str, path: str) -> list[Finding]:
    """Find a handoff without a heading or bold label that says where the work stands, or what comes next."""
    labels = (LABEL.match(line.text) for line in read_lines(text) if not line.fenced)
    titles = {plain(section.title) for section in read_sections(text)}
    titles |= {plain(label[1]) for label in labels if label}
    return [
        Finding(path, "end", "handoff/section-missing", f"section missing: add `## {name}`")
        for name, aliases in NEEDED.items()
        if titles.isdisjoint(aliases)
    ]
