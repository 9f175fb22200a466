"""The files that the client would read by an `@path` in a memory file.

What can be read in two ways is read in the worse: after a change all but certain code is an import, before it
nothing but a plain one. A block that did not change, below the same fences and tags, imports what it did.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

IMPORT = re.compile(r"(?:(?<![^\W_])|@\S*?)(@(?:\\\s|\S)+)")
# What is set apart: front matter; a fence that holds none, and a comment, from its first line to its last.
FRONT = re.compile(r"---\s*\n.*?---[^\n]*", re.S)
FENCE = r"( {0,3})(`{3,}|~{3,})[^`\n]*\n(?:(?! *(?:```|~~~))(?:\1[ \t]*\S.*|[ \t]*)\n)*\1\2[ \t]*$"
COMMENT = r"<!--(?!-?>)(?:(?!-->)[^\n]|\n(?![ \t]*\n))*-->[ \t]*$"
APART = re.compile(rf"(?m)^(?:{FENCE}|{COMMENT})")
# Whatever says how lines further down are read: other fences, tags, definitions of links, a mark of byte order.
MARKS = re.compile(r"```|~~~|\ufeff|\]:|^[\s>*+\-\d.)]*<", re.M)
BLOCK = re.compile(r"\n(?:[ \t]*\n)+(?=\S)")
CODE = re.compile(r"`[^`\n]+`")
# In the item of a list the client reads code, too, where blanks or a mark set a name apart.
ITEM = re.compile(r"^[\s>]*(?:[-*+]|\d+[.)])(?:\s|$)", re.M)
NO_MATCH = re.compile(r"(?!)")
NAMED = re.compile(r"\s@(?:[^\s`\\]+(?=[\s\\])|[^\s`]*#[^\s`]*)")
# In a block with one of these, ticks may not pair as they stand; of the latter only outside of code.
UNCERTAIN, MARKUP = re.compile(r"``|\||~(?!/)|\]\((?![^\s()`]*\))|(?:://|www\.)\S*`"), re.compile(r"[<\\]|!\[")
# A word that stays a name whatever is put around it.
PLAIN, WORD = re.compile(r"@(?!.*(?:\W_|_\W|_$))[\w./~-]+[.,:;)]*"), re.compile(r"\S+")
# A block, and the blocks above it that say how it is read.
Block = tuple[tuple[str, ...], str]


def new_imports(before: str, after: str) -> list[str]:
    """Return the imports that a change adds to a file."""
    old, new = (list(_blocks(re.sub("\r\n?", "\n", text))) for text in (before, after))
    certain = {name for context, block in old if not context for name in _certain(block)}
    known = {*old} if _definitions(old) == _definitions(new) else set[Block]()
    return sorted({name for both in new if both not in known for name in _possible(both[1])} - certain)


def _definitions(blocks: list[Block]) -> list[str]:
    return [block for _, block in blocks if "]:" in block]


def _blocks(text: str) -> Iterator[Block]:
    """Return the text outside of certain fences, block by block, each with the blocks that say how it is read."""
    context, outside = tuple[str, ...](), ""
    if front := FRONT.match(text):
        yield ("---",), front[0]
        context, text = (front[0],) * bool(MARKS.search(front[0])), text[front.end() :]
    while not context and (apart := APART.search(text)) and not MARKS.search(text[: apart.start()]):
        if apart[0].startswith("<"):
            yield ("<",), apart[0]
        outside, text = f"{outside}{text[: apart.start()]}\n\n", text[apart.end() :]
    for block in BLOCK.split(outside + text):
        context += (block,) * bool(MARKS.search(block))
        yield context, block


def _outside_code(block: str, kept: re.Pattern[str]) -> str | None:
    """Return a block without its code, but for what is kept of that; None where it is uncertain what is code."""
    rest = CODE.sub(lambda code: f"|{''.join(kept.findall(code[0]))}", block)
    return None if "`" in rest or UNCERTAIN.search(block) or MARKUP.search(rest) else rest


def _possible(block: str) -> list[str]:
    rest = _outside_code(block, NAMED if ITEM.search(block) else NO_MATCH)
    return IMPORT.findall(block if rest is None else rest)


def _certain(block: str) -> list[str]:
    """Return the names that stand as words of their own, from the left edge on a blank apart."""
    lines = (_outside_code(block, NO_MATCH) or "").split("\n")
    words = (word for line in lines for word in takewhile(WORD.fullmatch, line.split(" ")))
    return [word for word in words if PLAIN.fullmatch(word)]
