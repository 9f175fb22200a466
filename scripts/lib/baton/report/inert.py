"""Data made inert for where it is shown, once and last: what nobody sees is shown, no text acts, all are cut."""

import re
from typing import Any

from baton.text import clip, printable

LONGEST = 400
LENGTHS = {"output": 3_200, "reason": 800, "built": 800, "evidence": 600}
# What stands in a fence, or was put together by the program from checked parts.
PLAIN = ("output", "undo", "url", "href")
# What mentions somebody or refers to something on GitHub, escaped or not, unless a space comes between.
REFERS = re.compile(r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=\bGH-)(?=\d)")
# What begins or ends something in Markdown, and in what GitHub makes of it.
SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$#!]|(?<=[a-z]):(?=//)|(?<=www)\.|^[-+=]|^\d+[.)](?=\s|$)", re.I)


def inert(value: Any, markdown: bool, name: str = "") -> Any:
    """Return plain data with every text made visible and cut, and for Markdown without anything that acts."""
    if isinstance(value, dict):
        return {key: inert(one, markdown, str(key)) for key, one in value.items()}
    if isinstance(value, list):
        return [inert(one, markdown, name) for one in value]
    if not isinstance(value, str):
        return value
    most = LENGTHS.get(name, LONGEST)
    text = printable(value[: 2 * most])
    text = clip(text if name == "output" else " ".join(text.split()), most)
    return as_markdown(text) if markdown and name not in PLAIN else text


def as_markdown(text: str) -> str:
    """Return a line that Markdown shows as it is: nothing in it is markup, mentions, refers or links."""
    return SPECIAL.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", REFERS.sub(" ", text))
