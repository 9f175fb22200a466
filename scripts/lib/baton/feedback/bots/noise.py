"""What no reader of a bot's comment needs: prompts for agents, badges, footers, hidden state, tags."""

import re
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from baton.feedback.bots.layout import Layout, merged
from baton.feedback.text.markdown import Details, Span


class Block(NamedTuple):
    """A kind of collapsed block that is left out, by the words of its summary."""

    name: str
    summary: re.Pattern[str]


# By the words of a summary alone: many a capture has lost its emoji.
BLOCKS = (
    Block("prompt", re.compile(
        r"prompts? for (?:all )?(?:review comments with )?(?:ai|an ai|llm|coding agents?)\b.*|prompts? to fix .*"
        r"|fix all issues with ai.*|agent prompt|ai prompt|prompt for all review comments.*")),
    Block("analysis", re.compile(
        r"(?:supported by )?static analysis|analysis chain|web query|script executed|repository analysis")),
    Block("details", re.compile(r"review details")),
    Block("state", re.compile(
        r"review info|recent review info|run configuration|commits|files selected for processing"
        r"|files (?:ignored|skipped|not reviewed|not summarized|with no).*|additional context used"
        r"|code graph analysis|context from checks skipped.*"
        r"|learnings(?: used| added)?|path based instructions.*|finishing touches|autofix(?: beta)?"
        r"|actions performed"
        r"|knowledge base used|t rex logs|command tips|tool usage guide|tips|show a summary per file"
        r"|about codex in github"
        r"|important files changed|sequence diagrams?|architecture diagram|sourcery is free .*"
        r"|file walkthrough|share"
        r"|view limit details|how to resolve this issue|how do these limits work.*|thanks for using .*"
        r"|comment on this .*|grey divider")),
)  # fmt: skip
WORDS = re.compile(r"[A-Za-z0-9']+")
# What shows that a block swallowed what follows it, because it was never closed.
HELD = re.compile(r"(?m)^#{1,6}[ \t][^\n]*(?:uppressed|missed)[^\n]*\(\d")
SWALLOWED = re.compile(
    r"(?m)^[ \t]*`\d+(?:-\d+)?`[ \t]*:|^### Comment \d+|^<violation number|^\*\*[^\s*][^\n]*:\d+(?:-\d+)?\*\*"
    r"|^[ \t]*\d{1,3}\. `[^`\n]{1,300}`, lines? \d"
)
BETWEEN = (
    ("<!-- devin-review-badge-begin", "devin-review-badge-end -->"),
    ("<!-- tips_start", "tips_end -->"),
    ("<!-- internal state start", "internal state end -->"),
    ("<!-- announcements_start", "announcements_end -->"),
    ("<!-- autopilot:start", "autopilot:end -->"),
    ("<!-- mesa", "mesa -->"),
)
BADGE = (
    r"!\[[^\]\[\n]{0,200}\]\([^()\s]{0,500}?(?:badge|-priority\.svg|shields\.io|/status/|codereviewagent|severity|quality|logo|icon)"
    r"[^()\s]{0,500}\)"
)
# Lines with these words near their beginning: what stands before them is an emoji, or what is left of one.
MARKED = re.compile(
    r"Addressed in commits? [0-9a-f]{7,40}[^\n]*"
    r"|\*\*IMPORTANT\*\*[ \t]*\n(?:> ?)?Carefully review the code before[^\n]*"
    r"|<a href=[^\n]{0,200}?(?:code-review|custom instructions|copilot-instructions)[^\n]*"
)
LINES = re.compile(
    "|".join(
        (
            r"^_Source: [^_\n]+_[ \t]*$",
            r"^Useful\? React with [^\n]*$",
            r"^\*?Was this helpful\? React with [^\n]*$",
            r"^<su[bp]>(?:Note: If this suggestion doesn|Reviewed by |Reply with feedback|TIP|`TIP`|Tip:"
            r"|Help me be)[^\n]*$",
            r"^Help me be more useful! Please click [^\n]*$",
            r"^\*Spotted by [^\n]*$",
            r"^\[?`?\[?To ensure code accuracy, apply this suggestion manually\]?`?$",
            r"^Copilot uses AI\. Check for mistakes\.?[ \t]*$",
            r"^\*\*Tip:\*\* Customize your code reviews[^\n]*$",
            r"^<div><a href=\"https://cursor\.com[^\n]*$",
            r"^<a\s+href=\"https://app\.greptile\.com[^\n]*$",
            r"^<a href=\"https://www\.cubic\.dev[^\n]*$",
            r"^\*\*Knowledge Base Used:\*\*[^\n]*$",
            r"^<code>[^<\n]{0,4}Copy this prompt[^\n]*$",
            r"^\[vc\]: [^\n]*$",
            r"^You can (?:customize|disable) (?:Bugbot|these)[^\n]*$",
        )
    ),
    re.M,
)
BADGES = re.compile(BADGE, re.I)
TAGS = re.compile(
    r"<a href=\"#\">|</?(?:details|summary|blockquote|picture|source|img|sub|sup|br|hr|div|p|h[1-6]|dl|dd|dt"
    r"|strong|em|b|i|ins|kbd|pre|code|span|table|thead|tbody|tr|td|th|ul|ol|li|a|s)(?:[ \t\n][^<>]*)?/?>",
    re.I,
)


class Doubts(NamedTuple):
    """Where things stand that a block left out never holds: it would have swallowed what follows it."""

    findings: list[int]  # headings of findings, and prompts
    details: list[int]  # those, and headings of findings that are held back
    tags: list[int]  # fences with tags in them, which nothing closed where it should have

    def within(self, block: Details, places: list[int]) -> bool:
        return bisect_left(places, block.content.start) < bisect_left(places, block.content.end)


def noise(layout: Layout) -> list[Span]:
    """Return the spans of a body that no reader needs, sorted."""
    spans = list(layout.comments)
    doubts = _doubts(layout)
    until = 0
    for block in layout.details:
        if block.start >= until and (name := block_name(block.summary)):
            left_out = _left_out(layout, block, name, doubts)
            spans += left_out
            until = left_out[-1].end
    for begin, end in BETWEEN:
        spans += _between(layout.text, begin, end)
    spans += [Span(*match.span()) for match in LINES.finditer(layout.prose)]
    spans += _marked(layout.prose)
    for pattern in (BADGES, TAGS):
        spans += [Span(*match.span()) for match in pattern.finditer(layout.bare)]
    return merged(spans)


def _doubts(layout: Layout) -> Doubts:
    prompts = [block.start for block in layout.details if block_name(block.summary) == "prompt"]
    fenced = ((fence.start, layout.text[fence.start : fence.end]) for fence in layout.fences)
    findings = sorted([*prompts, *(match.start() for match in SWALLOWED.finditer(layout.prose))])
    held = [match.start() for match in HELD.finditer(layout.prose)]
    tags = [start for start, text in fenced if "</details" in text and "<summary" in text]
    return Doubts(findings, sorted(findings + held), tags)


def plain_words(text: str) -> str:
    """Return the words of a heading in small letters, without the count that ends it."""
    words = WORDS.findall(text[:300])
    if words and words[-1].isdigit() and len(words) > 1:
        words.pop()
    return " ".join(words).lower()


@lru_cache(maxsize=256)
def block_name(summary: str) -> str:
    """Return the kind of block that is left out, or nothing."""
    words = plain_words(summary)
    return next((block.name for block in BLOCKS if block.summary.fullmatch(words)), "") if words else ""


def _left_out(layout: Layout, block: Details, name: str, doubts: Doubts) -> list[Span]:
    """Return the whole block; of one that ends where another should, only what is surely its own."""
    tags = doubts.within(block, doubts.tags)
    unsure = {"state": [], "details": doubts.details}.get(name, doubts.findings)
    if block.closed and not tags and not doubts.within(block, unsure):
        return [Span(block.start, block.end)]
    spans = [Span(block.start, block.content.start)]
    fence = layout.first_fence(block.content)
    if name == "prompt" and not tags and fence and fence.start - block.content.start < 99:
        spans.append(Span(fence.start, fence.end))
    return spans


def _marked(prose: str) -> list[Span]:
    spans = []
    for match in MARKED.finditer(prose):
        begin = prose.rfind("\n", 0, match.start()) + 1
        if match.start() - begin <= 14:
            spans.append(Span(begin, match.end()))
    return spans


def _between(text: str, begin: str, end: str) -> list[Span]:
    spans = []
    start = text.find(begin)
    while start >= 0:
        stop = text.find(end, start)
        if stop < 0:
            break
        spans.append(Span(start, stop + len(end)))
        start = text.find(begin, stop)
    return spans
