"""The note a run leaves its successor."""

import re
from typing import NamedTuple

from baton.artifacts.findings import Finding
from baton.artifacts.outline import is_heading, plain_title, read_outline, read_sections, without_comments


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.I)


# What a heading or a bold label says, by meaning; real handoffs seldom use the template's words.
NEXT = _any_of(
    r"(?:the )?(?:immediate |recommended |suggested )?next(?: immediate)?"
    r"(?: (?:actions?|phases?|steps?|tasks?|inputs?|work|up|session|run))*(?: (?:for|in|to|of)\b.*)?",
    r"(?:[\w&-]+ ){0,4}(?:for|to) (?:the )?(?:next )?(?:phases?|run|iteration|session|agent)\b.*",
    r"recommended\b.*|recommendations?|continu(?:e|ation)\b.*|follow[ -]?ups?|to-?dos?",
    r"(?:what (?:is |still )?)?(?:remaining|left|open|outstanding)(?: (?:work|phases?|steps?|tasks?|items?))?"
    r"(?: to (?:do|be done))?|what remains(?: to be done)?",
    r"what(?:['\u2019]s| is| comes) next|to do next",
    r"(?:how to |where to )?resume(?: (?:here|from|at|with|point|instructions?|context)\b.*)?",
)
STATE = _any_of(
    r"(?:the )?(?:current |overall |phase [\w.]+ )?(?:state|status|progress|summary)"
    r"(?: (?:of|so far|at|after)\b.*)?",
    r"what (?:was|is|has been) (?:done|completed?|finished|accomplished)(?: (?:so far|in|by|during)\b.*)?",
    r"(?:done|completed|finished)(?: (?:so far|work|phases?|steps?|tasks?))?",
    r"work (?:done|completed)(?: so far)?|where (?:things|we) (?:stand|are)",
)
CLOSED = _any_of(r"\b(?:phase|status|state)\b.{0,80}\bcompleted?\b")
ALL_DONE = _any_of(
    r"\b(?:task|story|plan|implementation|work|all (?:\w+ )?(?:phases|tasks|steps))"
    r"(?: #?\d+)?(?::| is| are| (?:has|have) been)?(?: now| fully| all)* (?:completed?|done|finished)\b",
    r"\b(?:nothing|no (?:further |more |other )?(?:work|phases?|steps?|tasks?)) (?:remains?|(?:is |are )?left)\b",
)
# A line that says it without a heading.
LINE = re.compile(r"\s*(?:[-*+]\s+)?(next(?: \w+){0,2}|status|state): +(\S.*)", re.I)
LABEL = re.compile(r"\s*(?:>\s*)?(?:(?:[-*+]|\d{1,3}[.)])\s+)?(?:\*\*|__)([^*_]+)(?:\*\*|__)(.*)")
SAYS_NOTHING = ("", "none", "nothing", "na", "n a", "not applicable")
NOT_YET = re.compile(r"\b(?:not|isn't|almost|nearly|until|when|once|if)\b", re.I)
LONG, VERY_LONG = 40, 250


class Part(NamedTuple):
    """A heading or bold label with what it says and what stands under it."""

    title: str
    text: str


def check_handoff(text: str, path: str) -> list[Finding]:
    """Find a handoff that does not say what comes next or where the work stands; too long is a warning."""
    parts = _parts(text)
    steps = [part for part in parts if NEXT.fullmatch(part.title)]
    states = [part for part in parts if STATE.fullmatch(part.title)]
    findings = []
    if not any(_says_something(part) for part in steps) and not _says(text, ALL_DONE):
        findings.append(_no_next(text, path, bool(steps)))
    if not any(_says_something(part) for part in states):
        is_unnamed = not states and _says_more(text, steps)
        findings.append(_unnamed_state(path) if is_unnamed else _missing(path, "Current State", bool(states)))
    return findings + _length(text, path)


def _parts(text: str) -> list[Part]:
    """Read headings of level 2 to 4, and bold labels with the words on their line or under it."""
    sections = [section for section in read_sections(text) if 2 <= section.level <= 4]
    parts = [_part(section.title, section.text) for section in sections]
    lines = [line for line in read_outline(text) if not line.fenced]
    for index, line in enumerate(lines):
        label = LABEL.match(line.text)
        if match := LINE.fullmatch(line.text):
            parts.append(_part(match[1], match[2]))
        if label:
            below = lines[index + 1].text if index + 1 < len(lines) else ""
            parts.append(_part(label[1], f"{label[2]}\n{below}"))
    return parts


def _part(title: str, text: str) -> Part:
    """Tell a title from what follows its colon: `Next Phase: 3` says what `Next Phase` is about."""
    words, _, rest = title.partition(":")
    return Part(plain_title(words.rstrip(" ?!")), f"{rest}\n{text}")


def _says_something(part: Part) -> bool:
    return re.sub(r"[\W_]+", " ", without_comments(part.text)).strip().lower() not in SAYS_NOTHING


def _says(text: str, pattern: re.Pattern[str]) -> bool:
    """Whether a line says so, and says no such thing as "not yet"."""
    lines = (re.sub(r"[*_`]", "", line.text) for line in read_outline(text) if not line.fenced)
    return any((match := pattern.search(line)) and not NOT_YET.search(line[: match.end()]) for line in lines)


def _says_more(text: str, steps: list[Part]) -> bool:
    """Whether a note says anything beside its title, headings, and what comes next."""
    known = {line.strip() for part in steps for line in part.text.splitlines()}
    lines = (line for line in read_outline(without_comments(text)) if not line.fenced and not is_heading(line))
    words = (line.text.strip() for line in lines if line.text.strip() not in known and not LABEL.match(line.text))
    return any(re.search(r"\w", line) and not LINE.fullmatch(line) for line in words)


def _no_next(text: str, path: str, is_there: bool) -> Finding:
    if not _says(text, CLOSED):
        return _missing(path, "Immediate Next Action", is_there)
    message = "the phase is completed, and no next one is named: name it, or say that the task is complete"
    return Finding(path, "end", "handoff/no-next-phase", message)


def _unnamed_state(path: str) -> Finding:
    message = "no `## Current State`: what it says beside the next step is taken for it"
    return Finding(path, "end", "handoff/state-unnamed", message, "warning")


def _missing(path: str, name: str, is_there: bool) -> Finding:
    if is_there:
        return Finding(path, "end", "handoff/section-empty", f"nothing stands under `## {name}`")
    return Finding(path, "end", "handoff/section-missing", f"section missing: add `## {name}`")


def _length(text: str, path: str) -> list[Finding]:
    count = text.strip().count("\n") + 1
    if count <= LONG:
        return []
    rule, how = ("very-long", "far too long") if count > VERY_LONG else ("long", "long")
    message = f"{how}: {count} lines, where about {LONG} do: point at files instead of quoting them"
    return [Finding(path, f"line {count}", f"handoff/{rule}", message, "warning")]
