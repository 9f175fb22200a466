"""Lists of GitHub's REST interface, read page by page until they are whole."""

from itertools import count
from typing import Any

from baton.errors import BatonError
from baton.github.client import GitHub

PAGE = 100  # GitHub's most
# What it says (403) of a thing, such as rulesets, that the plan of a private repository has not.
NO_PLAN = "Upgrade to GitHub"


def read_pages(github: GitHub, path: str, key: str = "", allowed: tuple[int, ...] = ()) -> list[Any]:
    """Return a list that comes in pages, whole, else a BatonError; its count stands beside the `key` it is under.

    An answer with a status in `allowed` is an empty list, and so is one of what the repository's plan has not.
    """
    items: list[Any] = []
    for number in count(1):
        try:
            answer = github.get(f"{path}{'&' if '?' in path else '?'}per_page={PAGE}&page={number}", allowed)
        except BatonError as error:
            if NO_PLAN in error.what:
                return []
            raise
        if answer.status in allowed:
            return []
        known = answer.data if isinstance(answer.data, dict) else {}
        page = known.get(key) if key else answer.data
        if not isinstance(page, list) or not all(isinstance(item, dict) for item in page):
            raise BatonError("an answer that is no list", f"{github.host}/{path}", "call again in a while")
        items += page
        if len(page) < PAGE:
            break
    # What came in between moves the pages: something is given twice, and something else not at all.
    whole = {item.get("id") for item in items}
    if key and known.get("total_count") != len(whole):
        what = f"{known.get('total_count')} were announced and {len(whole)} came"
        raise BatonError(what, f"{github.host}/{path}", "call again: nothing is taken for the whole")
    return items
