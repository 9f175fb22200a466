"""Pull requests of many threads, as pages of GitHub's in files, and a stand-in for `gh` that answers with them."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from speed.process import ALWAYS, BATON, Call, make_work_tree

SIZES = (10, 100, 1_000, 10_000)
# The larger, the longer it takes, and the less a moment in which others use the machine weighs.
ROUNDS = {100: 5, 1_000: 3, 10_000: 0}
PAGE = 100
PAGES, LOG = ".git/pages", ".git/requests"
# A shell, for it starts soonest: what the stand-in takes is no cost of baton's.
GH = f"""#!/bin/sh
# Stands for gh: answers with the page of threads that the cursor asks for, from the repository it is called in.
[ "$*" = --version ] && exec echo 'gh version 2.23.0 (bench)'
[ "$*" = 'api --hostname github.com --include --input - -- graphql' ] || exit 1
read -r asked
case $asked in
*'"threads": "'*) page=${{asked##*'"threads": "'}} page=${{page%%'"'*}} ;;
*) page=first ;;
esac
echo "$page" >>{LOG}
exec cat "{PAGES}/$page"
"""
HEAD = "HTTP/1.1 200 OK\nContent-Type: application/json; charset=utf-8\r\nX-Ratelimit-Remaining: 4999\r\n\r\n"
AT = "2026-01-02T03:04:05Z"
PERSON = {"__typename": "User", "login": "alice", "databaseId": 1}
BOT = {"__typename": "Bot", "login": "coderabbitai", "databaseId": 2}
PULL = {
    "id": "PR_1", "number": 7, "title": "Weigh tea by the gram", "url": "https://github.com/octo/app/pull/7",
    "state": "OPEN", "isDraft": False, "author": PERSON, "viewerDidAuthor": False,
    "baseRefName": "main", "headRefName": "grams", "headRefOid": "5" * 40, "isCrossRepository": False,
    "maintainerCanModify": False, "headRepository": {"nameWithOwner": "octo/app"},
}  # fmt: skip
WORDS = """
    the this a we it here value error test name loop list cache lock query index weight gram scale input result
    when before after while never always should could must be is not checked raised returned closed empty twice
    slow `None` `weigh()` **not** file path token user
"""
BOT_SAYS = """_⚠️ Potential issue_ | _🟠 Major_

**{title}.**

{text}

<details>
<summary>🐛 Proposed fix</summary>

```diff
-    return a < b
+    return int(a) < int(b)
```

</details>

<details>
<summary>🤖 Prompt for AI Agents</summary>

```
In `@{path}` around lines {line} - {line}: {title}.
```

</details>

<!-- fingerprinting:phantom:medusa:{line} -->

<!-- This is an auto-generated comment by CodeRabbit -->
"""
BOT_SUMS_UP = (
    "**Actionable comments posted: 50**\n\n<details>\n<summary>📜 Review details</summary>\n\nnone\n\n</details>\n"
)


def fetch_calls(folder: Path, sizes: Iterable[int]) -> dict[str, Call]:
    """Make a repository for each size; give the calls that read its pull request."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "gh").write_text(GH)
    (programs / "gh").chmod(0o755)
    os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
    return {f"pr fetch, {size} threads": _call(folder / f"threads-{size}", size) for size in sizes}


def _call(root: Path, threads: int) -> Call:
    make_work_tree(root, "git remote add origin https://github.com/octo/app.git")
    (root / PAGES).mkdir()
    pages = list(_write(root / PAGES, threads))
    rounds = ROUNDS.get(threads, ALWAYS)
    return Call((BATON, "pr", "fetch", "7"), root, "PR octo/app#7 ", rounds=rounds, pages=len(pages))


def requests_of(call: Call) -> int:
    """Give how many requests there have been so far in the repository of a call."""
    log = call.folder / LOG
    return len(log.read_text().splitlines()) if log.exists() else 0


def _write(folder: Path, threads: int) -> Iterator[Path]:
    for begin in range(0, threads, PAGE):
        path = folder / (str(begin) if begin else "first")
        path.write_text(
            HEAD + json.dumps(page(begin, threads), ensure_ascii=False, separators=(",", ":")), newline=""
        )
        yield path


def page(begin: int, threads: int) -> dict[str, Any]:
    """Give what GitHub answers when it is asked for threads from `begin` on; the first page has the rest too."""
    end = min(begin + PAGE, threads)
    pull = {**PULL, "reviewThreads": _connection([_thread(one) for one in range(begin, end)], threads, end)}
    if not begin:
        reviews = [_review(one) for one in range(1 + threads // PAGE)]
        pull |= {"comments": _connection([_comment("IC_1", PERSON, "Ready to merge?")], 1)}
        pull |= {"reviews": _connection(reviews, len(reviews))}
    repository = {"nameWithOwner": "octo/app", "viewerPermission": "WRITE", "pullRequest": pull}
    return {"data": {"viewer": {"login": "me"}, "repository": repository}}


def _connection(nodes: list[Any], total: int, end: int = 0) -> dict[str, Any]:
    return {
        "totalCount": total,
        "pageInfo": {"hasNextPage": 0 < end < total, "endCursor": str(end or total)},
        "nodes": nodes,
    }


def _thread(number: int) -> dict[str, Any]:
    chance, line = Random(number), number % 500 + 1
    path = f"src/part_{number % 40}/scale_{number % 7}.py"
    author = BOT if number % 2 else PERSON
    title, text = _words(chance, 40), _words(chance, chance.randint(200, 1_400))
    body = BOT_SAYS.format(title=title, text=text, path=path, line=line) if author is BOT else text
    review = {"id": f"PRR_{number // PAGE}", "author": author, "authorCanPushToRepository": author is PERSON}
    said = {"state": "SUBMITTED", "originalCommit": {"oid": "5" * 40}, "pullRequestReview": review}
    return {
        "id": f"PRRT_{number}", "path": path, "line": line, "startLine": None, "originalLine": line,
        "originalStartLine": None, "isResolved": False, "isOutdated": False,
        "comments": _connection([{**_comment(f"PRRC_{number}", author, body), **said}], 1),
        "newest": {"nodes": [{"createdAt": AT}]},
    }  # fmt: skip


def _review(number: int) -> dict[str, Any]:
    author = BOT if number % 2 else PERSON
    said = _comment(f"PRR_{number}", author, BOT_SUMS_UP if author is BOT else "")
    return {**said, "state": "COMMENTED", "authorCanPushToRepository": author is PERSON}


def _comment(name: str, author: dict[str, Any], body: str) -> dict[str, Any]:
    return {
        "id": name, "fullDatabaseId": name.rpartition("_")[2], "author": author, "body": body, "createdAt": AT,
        "url": f"https://github.com/octo/app/pull/7#{name}", "viewerDidAuthor": False, "lastEditedAt": None,
        "editor": None, "isMinimized": False, "minimizedReason": None,
    }  # fmt: skip


def _words(chance: Random, length: int) -> str:
    """Give sentences of at least so many characters."""
    text = ""
    while len(text) < length:
        text += " ".join(chance.choices(WORDS.split(), k=12)).capitalize() + (
            ". " if chance.random() < 0.9 else ".\n\n"
        )
    return text.strip()
