"""One finding as a bot writes it: its title, severity, label, key, and its text without the noise."""

import re
from typing import NamedTuple

from baton.feedback.bots.layout import Layout, joined, lay_out, merged, within
from baton.feedback.bots.noise import noise
from baton.feedback.bots.reading import Reading, severity_of
from baton.feedback.text.markdown import Span


class Mark(NamedTuple):
    """What a bot sets at the head of a finding; its first group is a word of severity, or of its kind."""

    pattern: re.Pattern[str]
    cut: bool = False  # whether the mark is left out of the text


HEAD = 2000  # how far a head may reach: some begin with the HTML of a picture for each color scheme
LEVEL = r"(critical|blocker|major|high|moderate|medium|minor|trivial|low|nitpick|info|p[0-4])"
SEVERITY_MARKS = (
    Mark(re.compile(rf"!\[(?:security-)?{LEVEL}(?: badge| priority)?\]\([^()\s]{{0,300}}\)", re.I), cut=True),
    Mark(re.compile(rf"<img\s[^<>]*?alt=\"{LEVEL}\"[^<>]*>", re.I), cut=True),
    Mark(
        re.compile(
            r"<img\s[^<>]*?alt=\"((?:action|remediation|review) (?:required|recommended)|advisory)[^<>]*>", re.I
        )
    ),
    Mark(re.compile(rf"severity(?:_indicator)?_{LEVEL}\.svg", re.I)),
    Mark(re.compile(rf"(?m)^\*\*{LEVEL} severity\*\*[ \t]*$", re.I), cut=True),
    Mark(re.compile(rf"(?m)^<sub>[^<\n]{{0,30}}?\b{LEVEL} risk</sub>[ \t]*$", re.I), cut=True),
    Mark(re.compile(rf"(?m)^(?:> ?)?[*\s-]{{0,4}}severity:?\**:?[ \t]*{LEVEL}\b", re.I)),
    Mark(
        re.compile(r"\A\s*(?:<kbd>|[*\[]{1,4})?(p[0-4])\b(?:</kbd>|[*\]]{1,4})?[*:]{0,3}(?=[ \t])", re.I), cut=True
    ),
    Mark(re.compile(rf"found an? \**{LEVEL}\b", re.I)),
)
EMOJI_LEVELS = {"🔴": "high", "🟠": "high", "🟡": "medium", "🔵": "low", "⚪": "low", "🚩": None, "📝": "low"}
HIDDEN = re.compile(rf"<!--\s*\**{LEVEL} severity\**\s*-->", re.I)
LABEL_MARKS = (
    Mark(re.compile(r"(?m)^\*\*[^\w*\n]{0,12}[a-z]+ \(([a-z_ ]{2,40})\):\*\*[ \t]*")),
    Mark(re.compile(r"\A\s*\*\*[^\w*\n]{0,12}([A-Za-z][a-z_]{2,20}):\*\*[ \t]*")),
    Mark(re.compile(r"\A\s*\[(nitpick)\][ \t]*", re.I)),
    Mark(re.compile(r"category_([a-z-]{2,30})\.svg")),
    Mark(re.compile(r"[ \t]*<code>[^<A-Za-z]{1,12}([A-Za-z][A-Za-z -]{1,30})</code>"), cut=True),
    Mark(re.compile(r"\A\s*## ([A-Za-z][\w.-]{1,30}) / ")),
    Mark(re.compile(r"\[([a-z][a-z ]{2,30}), importance: \d+\][ \t]*$", re.M)),
)
TAG_LINE = re.compile(r"(?m)\A\s*_[^_\n]{2,60}_(?:[ \t]*\|[ \t]*_[^_\n]{2,60}_)*[ \t]*$")
TAG = re.compile(r"_([^_\n]{2,60})_")
FILLER = ("quick win", "heavy lift", "low value", "poor tradeoff")
# One in italics may be a sentence; several with bars between are tags.
ALONE = (*FILLER, "potential issue", "refactor suggestion", "nitpick", "verification agent")
KEYS = re.compile(
    r"BUGBOT_BUG_ID:[ \t]*([0-9a-f-]{8,64})|cr-comment:(v\d:[0-9a-f]{8,64})|<!-- cubic:v=([0-9a-f-]{8,64})"
    r"|<!-- devin-review-comment \{\"id\": ?\"([\w-]{4,100})\"|<!-- DeepSource: id=([\w=+/-]{4,200})"
    r"|<!-- fingerprinting:[\w:]{1,80}:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"|/security/code-scanning/(\d{1,10})"
)
ADDRESSED = re.compile(r"Addressed in commits? ([0-9a-f]{7,40})(?: to ([0-9a-f]{7,40}))?")
HEADING = re.compile(r"(?m)^(?:#{1,6}[ \t]+(?:[A-Za-z][\w.-]{1,30} / )?|\d{1,3}\\?\.[ \t]+)?([^\n]+)$")
BOLD = re.compile(r"[^\w*`\n\[(]{0,12}\*\*([^\n]{2,400}?)\*\*(?![*\w])")
SENTENCE = re.compile(r"(.{8,160}?[.!?])(?:\s|$)")
PREFIX = re.compile(r"\A(?:\[nitpick\]|\[?p[0-4]\]?:?)\s+", re.I)
LOOSE_BOLD = re.compile(r"\A\*\*[ \t]+")
MARKS = re.compile(r"\*+(?=\S)|(?<=\S)\*+|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)|^[#>]+(?=\s)")


class Head(NamedTuple):
    """What the head of a finding says, and which of it is left out of the text."""

    severity: str | None
    label: str
    cuts: list[Span]


def read_inline(body: str) -> Reading:
    """Read a comment on a line of the diff."""
    layout = lay_out(body)
    text, head = finding_text(layout, Span(0, len(layout.text)), noise(layout))
    key, hidden = KEYS.search(body), HIDDEN.search(body[:HEAD])
    addressed = _addressed(layout.prose)
    return Reading(
        text=text,
        boilerplate="" if text else "hidden marks",
        title=title_of(text),
        severity=head.severity or (severity_of(hidden[1]) if hidden else None),
        label=head.label,
        key=next(filter(None, key.groups()), "") if key else "",
        addressed=addressed,
    )


def _addressed(prose: str) -> str:
    """Return the last commit of a line that begins, but for an emoji, with words that the finding is addressed."""
    for found in ADDRESSED.finditer(prose):
        if found.start() - prose.rfind("\n", 0, found.start()) <= 15:
            return found[2] or found[1]
    return ""


def finding_text(layout: Layout, outer: Span, spans: list[Span]) -> tuple[str, Head]:
    """Return the text of the finding in that part of a body, and what its head says."""
    head = read_head(layout.prose[outer.start : min(outer.end, outer.start + HEAD)])
    cuts = [Span(outer.start + cut.start, outer.start + cut.end) for cut in head.cuts]
    text = joined(layout.text, outer, merged([*within(spans, outer), *cuts]))
    return LOOSE_BOLD.sub("**", text), head


def read_head(text: str) -> Head:
    """Read severity and label off the head of a finding."""
    cuts: list[Span] = []
    severity, label = None, ""
    if (tags := TAG_LINE.match(text)) and (words := _tags(tags[0])):
        severity, label = _kind(words)
        cuts.append(Span(*tags.span()))
    for mark in SEVERITY_MARKS if severity is None else ():
        if found := mark.pattern.search(text):
            severity = severity_of(found[1])
            cuts += [Span(*found.span())] if mark.cut else []
            break
    if severity is None and (emoji := text.lstrip()[:1]) in EMOJI_LEVELS:
        severity = EMOJI_LEVELS[emoji]
    for mark in LABEL_MARKS if not label else ():
        if labels := list(mark.pattern.finditer(text)):
            label = labels[0][1].strip()
            cuts += [Span(*one.span()) for one in labels] if mark.cut else []
            break
    if label.lower() == "nitpick":
        severity, label = severity or "low", "nitpick"
    return Head(severity, label, sorted(cuts))


def _tags(line: str) -> list[str]:
    """Return the words of each tag of a line: `_⚠️ Potential issue_ | _🟠 Major_`; nothing if they are none."""
    tags = [" ".join(re.findall(r"[A-Za-z&-]+", tag)) for tag in TAG.findall(line)]
    alone = tags[0].lower() in ALONE or (severity_of(tags[0]) is not None and len(tags[0].split()) == 1)
    return tags if len(tags) > 1 or alone else []


def _kind(tags: list[str]) -> tuple[str | None, str]:
    """Return the severity and the kind that tags tell of."""
    kinds = [tag for tag in tags if tag and tag.lower() not in FILLER]
    levels = [tag for tag in kinds if len(tag.split()) == 1 and severity_of(tag)]
    severity = next((severity_of(tag) for tag in levels), None)
    nitpick = "nitpick" if any(tag.lower() == "nitpick" for tag in levels) else ""
    return severity, next((tag for tag in kinds if tag not in levels), nitpick)


def title_of(text: str) -> str:
    """Return the title of a finding: its first bold words or heading, else its first sentence."""
    line = next(
        (line for line in text.split("\n") if line.strip() and not line.lstrip().startswith(("```", "~~~"))), ""
    )
    if bold := BOLD.match(line.strip()):
        rest = line.strip()[bold.end() :].strip()
        if not bold[1].rstrip().endswith(":") or not rest:
            return _bare(bold[1])
        line = rest
    heading = HEADING.match(line.strip())
    words = PREFIX.sub("", _bare(heading[1] if heading else line))
    sentence = SENTENCE.match(words)
    return sentence[1] if sentence else words[:160].rstrip()


def _bare(text: str) -> str:
    return " ".join(MARKS.sub("", text).split()).strip(" :")
