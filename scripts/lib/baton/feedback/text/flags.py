"""A text that hides something from a person, or reads like an order to an agent: its labels; prompts folded."""

import re
from collections.abc import Callable, Sequence
from html import unescape
from itertools import pairwise

from baton.feedback.text.markdown import (
    CLOSED_SUMMARY,
    MOST_MARKS,
    TAG,
    Fence,
    Span,
    blank_spans,
    comments_in,
    fences_in,
    is_in,
    parse_inline,
    plain_summary,
    replace_spans,
)
from baton.text import hidden, plural, seen

# Wide enough to be seen, and everyday in French and Chinese.
SPACES = frozenset("\u00a0\u202f\u3000")
LONGEST_TEXT = 10_000  # characters
# What GitHub does not show: a comment, a declaration, an instruction of XML, math without color or size, the
# definition of a link, the title of one.
UNSHOWN = re.compile(
    r"<![-\[a-z]|<\?|\$[^$\n]{0,200}\\(?:[hv]?phantom|(?:text)?color|tiny|hspace|kern)\b"
    r"|^[ \t>]*(?:[-*+][ \t]+)?\[(?!\^)[^\[\]]+\]:[\s>]*[^\s>]"
    r"|\]\((?:[^()\s]*\([^()\s]*\)){0,4}[^()\s]*\s+[\"'(]|<[a-z][^<>]*\s(?:title|aria-label)\s*=",
    re.I | re.M,
)
# How the line begins that a folded prompt becomes.
FOLDED = "[… a prompt for agents,"
FOLD = re.compile(rf"<details(?=[\s/>])|{re.escape(FOLDED)}", re.I)
# A link whose text is an address, and where it leads.
LINK = re.compile(
    r"\[(?:https?://|www\.|(?=[\w.-]+/))((?:[\w-]+\.)+[a-z]{2,})(?=[/:\]])[^\[\]]*\]\(<?https?://([^/()\s:>]+)",
    re.I,
)
AGENT = r"(?:ai|llms?|agents?|claude|codex|cursor|copilot|gemini|assistants?|language models?)\b"
FOR_AGENTS = rf"s?\s+(?:for|to)\s+(?:(?:[\w-]+\s+){{0,6}}{AGENT}|all\s+(?:review\s+)?comments)"
# How the summary of a folded prompt begins; made from these of evals/reader/bodies/: coderabbitai/page-review.md
# and kody-ai/inline.md (`Prompt for …`), qodo-code-review/inline.md (`Agent prompt`), greptile-apps/inline.md,
# coderabbitai/review-nothing-but-a-count.md (`Fix all issues with AI agents`).
PROMPT = re.compile(
    rf"\W*(?:[\w-]+\W+){{0,2}}?(?:prompt{FOR_AGENTS}|{AGENT}(?:\W+[\w-]+)?\W+prompts?\b)"
    rf"|\W*fix\b(?:\W+[\w-]+){{0,5}}?\W+(?:with|in|using)\W+(?:[\w-]+\W+){{0,2}}?{AGENT}"
)
INSTRUCTION = r"(?:instructions?|prompts?|rules?|messages?|guidelines?|orders?)\b"
# What is said to an agent, by the word it begins with: that is looked for first, since almost no text has it.
SAID: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (word, re.compile(rf"(?<!\w){word}{rest}", re.M))
    for words, rest in (
        ("prompt", FOR_AGENTS),
        ("instruction note message order", rf"s?\s+(?:for|to)\s+(?:[\w-]+\s+){{0,2}}{AGENT}"),
        ("ignore disregard forget override bypass",
         r"\s+(?:[\w-]+\s+){0,3}(?:previous|prior|above|earlier|all|your|system)\s+"
         rf"(?:[\w-]+\s+){{0,2}}{INSTRUCTION}"),
        ("as", r"\s+an?\s+(?:ai|llm|language model)\b"),
        ("you", rf"\s+are\s+(?:now\s+)?an?\s+(?:[\w-]+\s+){{0,2}}{AGENT}"),
        ("dear attention hey hello", rf"[\s,:]+(?:[\w-]+\s+)?{AGENT}"),
        ("failed unable error could cannot",
         r"(?:\s+not)?\s+(?:to\s+)?(?:read|fetch|load|open|parse)\b[^\n]{0,120}?\b(?:re)?try\b"),
        ("retry try rerun re-run", r"(?:\s+again)?\s+with\b[ \t]*:"),
    )
    for word in words.split()
)  # fmt: skip
ROLES = ("system", "assistant", "human", "tool")
ROLE = re.compile(rf"^[ \t>]*(?:{'|'.join(ROLES)})(?: (?:message|prompt|result|output))?[ \t]?:", re.M)
ORDER_TAG = re.compile(
    r"(?:(?<!\w)<|<\s{0,9}/)\s{0,9}(?:system|override|instructions?|assistant|cluster-brief|comments|system[-_]\w+|tool[-_]\w+"
    r"|function[-_]\w+|antml|human|prompt)\b"
)
ITEM = r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]{1,9}"
QUOTES = re.compile(r"(?: {0,3}> ?){0,9}")
# What may stand before a tag that begins its line: quotes, then how far to the right it is, or in which item.
LEAD = re.compile(rf"({QUOTES.pattern})([ \t]{{0,99}}(?:{ITEM})?)")
FENCE_MARK = re.compile(rf"^[ \t>]*(?:{ITEM})*(?:```|~~~)", re.M)


def flags_of(body: str) -> tuple[str, ...]:
    """Return the labels that fit a text, in the order of FLAGS."""
    text = seen(body.replace("\r\n", "\n").replace("\r", "\n"))
    prose = _without_code(text)
    return tuple(name for name, fits in FLAGS.items() if fits(body, text, prose))


def _names_prompt(summary: str) -> bool:
    """Tell whether a summary says that a prompt for agents is folded away under it."""
    return bool(PROMPT.match(seen(summary).lower()))


def _for_agents(text: str) -> bool:
    """Tell whether a text in lower case says something to an agent, or speaks as a tool or a system would."""
    if ORDER_TAG.search(text) or (any(role in text for role in ROLES) and ROLE.search(text)):
        return True
    lowered = unescape(text).lower()
    return any(word in lowered and pattern.search(lowered) for word, pattern in SAID)


def _leads_elsewhere(prose: str) -> bool:
    """Tell whether the text of a link names another host than the link."""
    pairs = ((link[1].lower(), link[2].lower()) for link in LINK.finditer(prose))
    return any(host != target and not target.endswith(f".{host}") for host, target in pairs)


# Each label, and what it is told by: the text as it came, as the user reads it, and that without its code.
FLAGS: dict[str, Callable[[str, str, str], bool]] = {
    "hidden text": lambda body, text, prose: bool(UNSHOWN.search(prose)),
    "invisible characters": lambda body, text, prose: bool(hidden(body.replace("\r\n", "\n")) - SPACES),
    "prompt for agents": lambda body, text, prose: _for_agents(text.lower()),
    "folded": lambda body, text, prose: bool(FOLD.search(prose)),
    "very long": lambda body, text, prose: len(body) > LONGEST_TEXT,
    "link text differs": lambda body, text, prose: _leads_elsewhere(prose),
}


def _without_code(text: str) -> str:
    """Return a text without its code; doubtful pieces of code stay."""
    prose = blank_spans(text, [Span(fence.start, fence.end) for fence in fences_in(text) if _is_sure(text, fence)])
    if "`" not in prose:
        return prose
    code = (Span(piece.start, piece.end) for piece in parse_inline(prose)[0] if piece.sure)
    # Code with a bar may be a table's.
    return blank_spans(prose, [span for span in code if "|" not in prose[span.start : span.end]])


def _is_sure(text: str, fence: Fence) -> bool:
    """Tell whether a fence is one in every reading: closed, not in a block of HTML, in one item of a list."""
    before = text[text.rfind("\n\n", 0, fence.start) + 1 : fence.start].lstrip("\n >")
    opening = text[text.rfind("\n", 0, fence.start) + 1 : fence.content.start]
    width = len(opening) - len(opening.lstrip(" \t"))
    inside = text[fence.content.start : fence.content.end].split("\n")
    return (
        fence.closed
        and not before.startswith("<")
        and all(not line.strip() or not line[:width].strip() for line in inside)
    )


def fold_prompts(text: str) -> str:
    """Return a text with each prompt for agents that it folds away as one line that says how long it is.

    Such a block begins a line, is closed, and holds no other; all that is not in one stays as it is.
    """
    even = text.replace("\r\n", " \n").replace("\r", "\n")
    known = fences_in(even)
    if len(known) + len(comments_in(even)) >= MOST_MARKS:  # what follows was not looked at
        return text
    cuts, line, searched = [], 0, 0
    for begin, end in pairwise(TAG.finditer(even)):
        line = max(line, even.rfind("\n", searched, begin.start()) + 1)
        searched = begin.start()
        lead = LEAD.fullmatch(even, line, begin.start())
        if lead and not begin[1] and end[1] and (count := _prompt_lines(even, lead, begin, end, known)):
            cuts.append((begin.start(), end.end(), f"{FOLDED} {plural(count, 'line')}]"))
    return replace_spans(text, cuts)


def _prompt_lines(
    text: str, lead: re.Match[str], begin: re.Match[str], end: re.Match[str], known: Sequence[Fence]
) -> int:
    """Return the number of lines of a folded prompt; 0 for another block, or one that may not end there."""
    head = CLOSED_SUMMARY.match(text, begin.end(), end.start())
    if head is None or not _names_prompt(plain_summary(head)):
        return 0
    inside, prompt = text[begin.end() : end.start()], text[head.end() : end.start()]
    in_code = is_in(known, begin.start()) or is_in(known, end.start()) or inside.rpartition("\n")[2].count("`") % 2
    marks = (begin.end() + mark.end() - 1 for mark in FENCE_MARK.finditer(inside))
    is_whole = all(_stays_in(line, lead) for line in inside.split("\n")[1:])
    if in_code or FOLDED in inside or not is_whole or not all(is_in(known, mark) for mark in marks):
        return 0
    return sum(bool(line.strip(" \t>")) and not FENCE_MARK.match(line) for line in prompt.split("\n"))


def _stays_in(line: str, lead: re.Match[str]) -> bool:
    """Whether a line is in the quotes and the item of a list that a block began in: their end closes it."""
    quotes = QUOTES.match(line)
    deeper = (quotes[0].count(">") if quotes else 0) - lead[1].count(">")
    rest = line[quotes.end() if quotes else 0 :]
    width = len(rest) - len(rest.lstrip(" \t"))
    return deeper >= 0 and (not lead[2] or not rest.strip() or (deeper == 0 and width >= len(lead[2])))
