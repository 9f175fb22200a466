"""Lists of GitHub's REST interface, read page by page until they are whole."""

from itertools import count
from typing import Any

from baton.errors import BatonError
from baton.github.client import FORBIDDEN, GitHub
from baton.github.responses import JudgedResponse

PAGE = 100  # GitHub's most
# How GitHub's message begins where the plan of a private repository lacks a thing, such as rulesets. No field
# tells that from another 403: `{"message": "Upgrade to GitHub Pro or make this repository public to enable this
# feature.", "documentation_url": …, "status": "403"}` is the whole of it (github/branch-deploy#345).
NO_PLAN = "Upgrade to GitHub"


def read_pages(github: GitHub, path: str, key: str = "", allowed: tuple[int, ...] = ()) -> list[Any]:
    """Return a list that comes in pages, whole, else a BatonError; its count stands beside the `key` it is under.

    An answer with a status in `allowed` is an empty list, and so is one of what the repository's plan has not.
    """
    items: list[Any] = []
    for number in count(1):
        page_path = f"{path}{'&' if '?' in path else '?'}per_page={PAGE}&page={number}"
        answer = github.get(page_path, (*allowed, FORBIDDEN))
        if answer.status in allowed or _has_no_plan(answer):
            return []
        if answer.fault:
            raise answer.fault.error(github.host)
        known = answer.data if isinstance(answer.data, dict) else {}
        page = known.get(key) if key else answer.data
        if not isinstance(page, list) or not all(isinstance(item, dict) for item in page):
            raise BatonError("an answer that is not a list", f"{github.host}/{path}", "call again later")
        items += page
        if len(page) < PAGE:
            break
    # What came in between moves the pages: something is given twice, and something else not at all.
    whole = {item.get("id") for item in items}
    if key and known.get("total_count") != len(whole):
        what = f"{known.get('total_count')} were announced and {len(whole)} came"
        raise BatonError(what, f"{github.host}/{path}", "call again: nothing is taken for the whole")
    return items


def _has_no_plan(answer: JudgedResponse) -> bool:
    """Whether GitHub refuses a thing that the repository's plan has not."""
    message = answer.data.get("message") if isinstance(answer.data, dict) else None
    return answer.status == FORBIDDEN and str(message).startswith(NO_PLAN)
