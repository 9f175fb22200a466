"""What a reader on GitHub would not have seen of a text, or what reads like an order to an agent: labels only."""

import re
from bisect import bisect_right

from baton.feedback.text.markdown import Fence, fences
from baton.feedback.text.scan import scan
from baton.unicode import hidden, seen

FLAGS = (
    "hidden comment", "collapsed block", "invisible characters", "reordered text", "tag characters",
    "variation selectors", "hidden link text", "image text", "mixed scripts", "prompt for agents",
    "unclosed fence", "malformed suggestion",
)  # fmt: skip
REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TAGS = frozenset(map(chr, range(0xE0000, 0xE0080)))
SELECTORS = frozenset(map(chr, (*range(0x180B, 0x180E), 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# Wide enough to be seen, and everyday in French and Chinese.
SPACES = frozenset("\u00a0\u202f\u3000")
COMMENT = re.compile("<!--")
FOLD = re.compile(r"<details(?=[\s/>])", re.I)
BACKTICKS = re.compile("`+")
LINE_END = re.compile("\n")
BLANK_LINE = re.compile(r"\n[ \t]*\n")
DEFINITION = re.compile(r"^[ \t>]*(?:[-*+][ \t]+)?\[(?!\^)[^\[\]]+\]:[\s>]*[^\s>]", re.M)
TITLE = re.compile(r"\]\((?:[^()\s]*\([^()\s]*\)){0,4}[^()\s]*\s+[\"'(]")
TITLE_ATTRIBUTE = re.compile(r"<[a-z][^<>]*\s(?:title|aria-label)\s*=", re.I)
IMAGE = re.compile(r"(?<!<)!\[\s*[^\s\]]|<img\s[^<>]*\balt\s*=\s*[\"']?[^\s\"'>]", re.I)
WORD = re.compile(r"\w+")
LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
# Without the letters that stand for units and quantities: nobody takes them for Latin ones.
LOOK_ALIKE = re.compile(
    "[\u0370-\u0393\u0395-\u03a2\u03a4-\u03a8\u03aa-\u03ba\u03bd-\u03bf\u03c1-\u052f\u1f00-\u1fff]"
)
AGENT = r"(?:ai|llms?|agents?|claude|codex|cursor|copilot|gemini|assistants?|language models?)\b"
INSTRUCTION = r"(?:instructions?|prompts?|rules?|messages?|guidelines?|orders?)\b"
# What is said to an agent, by the word it begins with: that is looked for first, since almost no text has it.
SAID: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (word, re.compile(rf"(?<!\w){word}{rest}", re.M))
    for words, rest in (
        ("prompt", rf"s?\s+(?:for|to)\s+(?:(?:[\w-]+\s+){{0,6}}{AGENT}|all\s+(?:review\s+)?comments)"),
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
SUGGESTION = re.compile(r"^(?:[ \t]|>|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*(?:`{3,}|~{3,})[ \t]*suggestion\b", re.M)
FENCE_LINE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})", re.M)
FOLD_TAG = re.compile(r"<(/?)details(?=[\s/>])", re.I)


def flags(body: str) -> tuple[str, ...]:
    """Give the labels that fit a text, in the order of FLAGS."""
    text = seen(body.replace("\r\n", "\n").replace("\r", "\n"))
    blocks = fences(text)
    found = {
        **_of_characters(body),
        "hidden comment": _unfenced(COMMENT, text, blocks),
        "collapsed block": _unfenced(FOLD, text, blocks),
        **_of_links(text, blocks),
        "mixed scripts": not text.isascii() and any(map(_mixed, WORD.findall(text))),
        "prompt for agents": _for_agents(text.lower()),
        "unclosed fence": not all(fence.closed for fence in blocks),
        "malformed suggestion": "suggestion" in text and _malformed(text, blocks),
    }
    return tuple(name for name in FLAGS if found[name])


def _of_links(text: str, blocks: list[Fence]) -> dict[str, bool]:
    links, images = (DEFINITION, TITLE, TITLE_ATTRIBUTE), (IMAGE,)
    prose = _outside(text, [(fence.start, fence.end) for fence in blocks])
    if "`" in prose and any(pattern.search(prose) for pattern in (*links, *images)):
        prose = _outside(prose, sorted(set(_code(prose, BLANK_LINE)) & set(_code(prose, LINE_END))))
    return {
        "hidden link text": any(pattern.search(prose) for pattern in links),
        "image text": any(pattern.search(prose) for pattern in images),
    }


def _for_agents(text: str) -> bool:
    """Tell whether a text in lower case says something to an agent, or speaks as a tool or a system would."""
    if ORDER_TAG.search(text) or (any(role in text for role in ROLES) and ROLE.search(text)):
        return True
    return any(word in text and pattern.search(text) for word, pattern in SAID)


def _of_characters(body: str) -> dict[str, bool]:
    met = hidden(body.replace("\r\n", "\n")) - SPACES
    return {
        "invisible characters": bool(met - REORDERING - TAGS - SELECTORS),
        "reordered text": bool(met & REORDERING),
        "tag characters": bool(met & TAGS),
        "variation selectors": bool(met & SELECTORS),
    }


def _outside(text: str, spans: list[tuple[int, int]]) -> str:
    """Give a text without its code; a space stays where code was taken out."""
    kept, position = [], 0
    for start, end in spans:
        kept.append(text[position:start])
        position = end
    return " ".join([*kept, text[position:]])


def _unfenced(pattern: re.Pattern[str], text: str, blocks: list[Fence]) -> bool:
    """Tell whether a mark stands outside of code, however one reads where inline code begins and ends.

    Tables, headings and lists cut paragraphs, and cut otherwise the same backticks pair up in another way: code is
    what is code in the paragraph as it was read, between two blank lines, and on the line alone.
    """
    if not pattern.search(text):
        return False
    fenced = [(fence.start, fence.end) for fence in blocks]
    places = [found.start() for found in pattern.finditer(text)]
    places = [place for place in places if not _in(fenced, place)]
    if not places or "`" not in text:
        return bool(places)
    literal = [(one.start, one.end) for one in scan(text).literal]
    cells = [span for span in _code(text, LINE_END) if "|" not in text[slice(*span)]]
    readings = (literal, _code(text, BLANK_LINE), cells)
    return not all(_in(code, place) for place in places for code in readings)


def _in(spans: list[tuple[int, int]], position: int) -> bool:
    number = bisect_right(spans, (position, len(spans) + position + 10**9)) - 1
    return number >= 0 and spans[number][1] > position


def _code(text: str, gap: re.Pattern[str]) -> list[tuple[int, int]]:
    """Give the inline code of a text in which backticks pair up between two gaps."""
    runs = [found.span() for found in BACKTICKS.finditer(text)]
    nearest: dict[int, int] = {}
    closing: dict[int, int] = {}
    following = len(text)
    for start, end in reversed(runs):
        if gap.search(text, end, following):
            nearest = {}
        closing[start] = nearest.get(end - start, 0)
        nearest[end - start], following = end, start
    spans, position = [], 0
    for start, _ in runs:
        if start >= position and closing[start]:
            position = closing[start]
            spans.append((start, position))
    return spans


def _mixed(word: str) -> bool:
    return bool(not word.isascii() and LATIN.search(word) and LOOK_ALIKE.search(word))


def _malformed(text: str, blocks: list[Fence]) -> bool:
    """Tell whether a suggestion's end is in doubt, or one is written that is no fence of its own."""
    starts = set()
    for number, fence in enumerate(blocks):
        if fence.info.split(" ")[0].lower() != "suggestion":
            continue
        starts.add(text.find("suggestion", fence.start))
        inside = text[fence.content.start : fence.content.end]
        next_one = blocks[number + 1] if number + 1 < len(blocks) else None
        neighbor = next_one and not next_one.info and not text[fence.end : next_one.start].strip(" \t>\n")
        tags = [tag[1] for tag in FOLD_TAG.finditer(inside)]
        doubtful = len(FENCE_LINE.findall(inside)) % 2 or neighbor or tags.count("/") > tags.count("")
        if not fence.closed or doubtful:
            return True
    return any(found.end() - len("suggestion") not in starts for found in SUGGESTION.finditer(text))
