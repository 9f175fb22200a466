"""Prompts for agents that a text folds away, a line each: the agent that reads the text has a shell."""

import re
from collections.abc import Sequence
from itertools import pairwise

from baton.feedback.text.flags import FOLDED, names_prompt
from baton.feedback.text.markdown import CLOSED_SUMMARY, MOST, TAG, Fence, comments, fences, is_in, plain_summary
from baton.text import plural

ITEM = r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]{1,9}"
QUOTES = re.compile(r"(?: {0,3}> ?){0,9}")
# What may stand before a tag that begins its line: quotes, then how far to the right it is, or in which item.
LEAD = re.compile(rf"({QUOTES.pattern})([ \t]{{0,99}}(?:{ITEM})?)")
FENCE_MARK = re.compile(rf"^[ \t>]*(?:{ITEM})*(?:```|~~~)", re.M)


def folded(text: str) -> str:
    """Return a text with each prompt for agents that it folds away as one line that says how long it is.

    Such a block begins a line, is closed, and holds no other; all that is not in one stays as it is.
    """
    even = text.replace("\r\n", " \n").replace("\r", "\n")
    known = fences(even)
    if len(known) + len(comments(even)) >= MOST:  # what follows was not looked at
        return text
    kept, position, line, searched = [], 0, 0, 0
    for begin, end in pairwise(TAG.finditer(even)):
        line = max(line, even.rfind("\n", searched, begin.start()) + 1)
        searched = begin.start()
        lead = LEAD.fullmatch(even, line, begin.start())
        if lead and not begin[1] and end[1] and (count := _prompt_lines(even, lead, begin, end, known)):
            kept += [text[position : begin.start()], f"{FOLDED} {plural(count, 'line')}]"]
            position = end.end()
    return "".join([*kept, text[position:]])


def _prompt_lines(
    text: str, lead: re.Match[str], begin: re.Match[str], end: re.Match[str], known: Sequence[Fence]
) -> int:
    """Return the number of lines of a folded prompt; 0 for another block, or one that may not end there."""
    head = CLOSED_SUMMARY.match(text, begin.end(), end.start())
    if head is None or not names_prompt(plain_summary(head)):
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
