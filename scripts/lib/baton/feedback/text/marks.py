"""What a text is made of, and the marks of GitHub Markdown that begin or end a block."""

import re
from typing import NamedTuple


class Span(NamedTuple):
    """A part of a text, as half-open offsets."""

    start: int
    end: int


class Fence(NamedTuple):
    """A fenced block from its first line to its closing mark, and its lines as they stand in the text."""

    start: int
    end: int
    info: str
    content: Span
    closed: bool


class Piece(NamedTuple):
    """A block of text that is no fence; `raw`: HTML, where Markdown means nothing."""

    start: int
    end: int
    raw: bool


TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|"
    "menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|source|summary|table|tbody|td|tfoot|th|"
    "thead|title|tr|track|ul"
)
BLANK = re.compile(r"[ \t]*(?:\n|\Z)")
BLANKS = re.compile(r"(?:[ \t]*\n)+")
# Lines that open nothing: no container, fence or HTML begins like them.
PLAIN = re.compile(r"(?:(?: {0,3}[^\s<>`~|#+*=_\-0-9]| {4}[ \t]*\S)[^\n]*(?:\n|\Z)){1,999}")
# Lines without any mark of a fence, of HTML or of code.
DULL = re.compile(r"[^`~<]*\n")
FRESH = re.compile(r">? ?[^\s>]")
HEAD = re.compile(r" {0,3}([^ \t\n])")
QUOTE_MARK = re.compile(" {0,3}> ?")
CONTAINER = re.compile(r" {0,3}(?:> ?|(?P<item>[-+*]|[0-9]{1,9}[.)])(?:[ \t]+|(?=\n|\Z)))")
ALWAYS = {"-", "+", "*", "1.", "1)"}
RULE = re.compile(r"[-*_][-*_ \t]*(?=\n|\Z)")
ALONE = re.compile(r"(?:=+|-+|[-*_][-*_ \t]*)[ \t]*(?:\n|\Z)")
OPENING = re.compile(r"(`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})([^\n]*)")
CLOSING = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*(?:\n|\Z)", re.M)
CLOSING_HERE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(?:\n|\Z)")
HTML = re.compile(  # what begins a block of HTML
    r"<(?:(script|pre|style|textarea)(?=[\s>]|\Z)|(!--)|(\?)|(![A-Za-z])|(!\[CDATA\[)"
    rf"|(/?(?:{TAGS})(?=[\s>]|/>|\Z)))",
    re.I,
)
UNTIL = tuple(  # what ends it, in the order of the groups; nothing: a blank line
    re.compile(end, re.I) if end else None
    for end in ("</(?:script|pre|style|textarea)>", "-->", r"\?>", ">", "]]>", "")
)
LONE_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:[ \t][^<>\n]*)?/?>[ \t]*(?:\n|\Z)")
