"""The story's summary: how far it is, and one entry a run in its Phase Log."""

import re

from baton.artifacts.findings import Finding
from baton.artifacts.outline import find_section, read_outline, read_sections

ITEM = re.compile(r" ?[-*+]\s+(.*)")
ENTRY = re.compile(r"[`*]*[\w.:/-]+[`*]*\s*[:\u2013\u2014-]\s*\S")
# A story that is done in one run has none.
COUNT = re.compile(r"(?<![\d./])(\d{1,6})\s*(?:/|of)\s*(\d{1,6})(?![\d/])|\bno phases\b", re.I)
WHOLE = re.compile(r"\W*phases closed\W", re.I)


def check_summary(text: str, path: str) -> list[Finding]:
    """Find a summary without its count, its Phase Log, or an entry with a run's id, its phases and its result."""
    findings = []
    whole = next((line for line in read_outline(text) if not line.fenced and WHOLE.match(line.text)), None)
    if whole is None or not COUNT.search(whole.text):
        message = "does not say how far the story is: write `Phases closed: 1 of 3`"
        findings.append(Finding(path, "top", "summary/no-count", message))
    elif _is_too_much(whole.text):
        findings.append(_too_much(path, whole.number))
    log = find_section(read_sections(text), "phase log")
    if log is None:
        return [*findings, Finding(path, "end", "summary/no-log", "section missing: add `## Phase Log`")]
    items = [(line.number, match[1]) for line in log.body if not line.fenced and (match := ITEM.match(line.text))]
    if not items:
        message = "the Phase Log has no entry: it gets one for each run"
        findings.append(Finding(path, f"line {log.line}", "summary/no-entry", message, "warning"))
    return findings + [fault for number, words in items for fault in _check_entry(words, number, path)]


def _check_entry(words: str, number: int, path: str) -> list[Finding]:
    if not ENTRY.match(words) or not COUNT.search(words):
        example = "`- r1: implementation/continue, 1/3 phases`"
        message = f"not an entry: name the run, its result and its phases, as in {example}"
        return [Finding(path, f"line {number}", "summary/entry", message)]
    return [_too_much(path, number)] if _is_too_much(words) else []


def _is_too_much(words: str) -> bool:
    match = COUNT.search(words)
    return match is not None and int(match[1] or 0) > int(match[2] or 0)


def _too_much(path: str, number: int) -> Finding:
    return Finding(path, f"line {number}", "summary/count", "more phases closed than there are")
