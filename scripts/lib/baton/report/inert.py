"""Data made inert just before it is shown: hidden characters made visible, texts cut, no markup."""

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
    """Return plain data with every text made visible and cut, and for Markdown escaped."""
    if isinstance(value, dict):
        return {key: inert(item, markdown, str(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [inert(item, markdown, name) for item in value]
    if not isinstance(value, str):
        return value
    most = LENGTHS.get(name, LONGEST)
    text = printable(value[: 2 * most])
    text = clip(text if name == "output" else " ".join(text.split()), most)
    return as_markdown(text) if markdown and name not in PLAIN else text


def as_markdown(text: str) -> str:
    """Return a line that Markdown shows as it is, without markup, mentions, references or links."""
    return SPECIAL.sub(lambda match: f"{match[0][:-1]}\\{match[0][-1]}", REFERS.sub(" ", text))
