"""The demo's own `gh`: answers baton's calls to GitHub about one pull request, and refuses all others.

It is run as a program, with the file of its state first, and imports nothing of baton. The state holds threads,
comments and reviews as GitHub's answers have them.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

OPERATION = re.compile(r"\s*(?:query|mutation) (\w+)\(")
RESOLVED = re.compile(r"^  (t\d+): resolveReviewThread\(input: \{threadId: \$(t\d+)\}\)", re.M)
CONNECTIONS = {"threads": "reviewThreads", "comments": "comments", "reviews": "reviews"}

Node = dict[str, Any]


class Refused(ValueError):
    """A call this program does not know, or that is not about this pull request."""


def main(arguments: list[str]) -> int:
    """Answer one call of `gh`; the state is saved before the answer is printed."""
    if arguments[1:] == ["--version"]:
        print("gh version 2.62.0 (a stand-in of baton demo)")
        return 0
    path = Path(arguments[0])
    state = json.loads(path.read_text(encoding="utf-8"))
    try:
        status, data = 201 if "POST" in arguments else 200, answer(state, arguments[1:], sys.stdin.buffer.read())
    except (ValueError, KeyError, TypeError) as fault:
        what = f"the demo's gh does not know {fault}"
        state["refused"].append(what)
        status, data = 400, {"message": what}
        print(f"gh: {what}", file=sys.stderr)
    save(path, state)
    print(f"HTTP/2.0 {status}\r\nContent-Type: application/json\r\n\r\n{json.dumps(data)}")
    return 0 if status < 300 else 1


def save(path: Path, state: Node) -> None:
    """Write the state atomically."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(state, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(new, path)


def answer(state: Node, words: list[str], given: bytes) -> Node:
    """Return the answer to a call; Refused, KeyError or TypeError for one that baton does not make."""
    match words:
        case ["api", "--hostname", "github.com", "--include", "--input", "-", "--", "graphql"]:
            asked = json.loads(given)
            return {"data": _graphql(state, asked["query"], asked["variables"])}
        case ["api", "--hostname", "github.com", "--include", "--method", "GET", "--", path]:
            return _get(state, path)
        case ["api", "--hostname", "github.com", "--include", "--method", "POST", "--input", "-", "--", path]:
            return _post(state, path, json.loads(given)["body"])
    raise Refused(f"`gh {' '.join(words)}`")


def _graphql(state: Node, document: str, asked: Node) -> Node:
    match = OPERATION.match(document)
    match match[1] if match else "":
        case "Feedback":
            return _feedback(state, asked)
        case "OfBranch" if f"{asked['owner']}/{asked['name']}" == state["repository"]:
            pulls = [state["pull"]] if asked["branch"] == state["pull"]["headRefName"] else []
            return {"repository": {"pullRequests": {"nodes": pulls}}}
        case "Standing" | "Edits":
            comments = [node for thread in state["threads"] for node in thread["comments"]["nodes"]]
            nodes = {node["id"]: node for name in CONNECTIONS for node in [*state[name], *comments]}
            return {"nodes": [nodes[name] for name in asked["ids"]]}
        case "Resolve":
            threads = {node["id"]: node for node in state["threads"]}
            resolved = {alias: threads[asked[variable]] for alias, variable in RESOLVED.findall(document)}
            for thread in resolved.values():
                thread["isResolved"] = True
            return {alias: {"thread": thread} for alias, thread in resolved.items()}
    raise Refused(f"the query {document[:60]}")


def _feedback(state: Node, asked: Node) -> Node:
    place = (f"{asked['owner']}/{asked['name']}", asked["number"])
    if place != (state["repository"], state["pull"]["number"]) or any(asked[name] for name in CONNECTIONS):
        raise Refused(f"{place}, or a further page of it")
    wanted = [name for name in CONNECTIONS if asked[f"with{name.capitalize()}"]]
    pages = {CONNECTIONS[name]: page(state[name]) for name in wanted}
    pull = {**state["pull"], "author": state["accounts"]["you"], "headRefOid": _head(state), **pages}
    repository = {"nameWithOwner": state["repository"], "viewerPermission": "WRITE", "pullRequest": pull}
    return {"viewer": {"login": "you"}, "repository": repository}


def page(nodes: list[Node]) -> Node:
    """Return nodes as the one page of a connection."""
    return {"totalCount": len(nodes), "pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": nodes}


def _head(state: Node) -> str:
    """Return the commit of the pull request's branch on the remote, which only a push moves."""
    branch = f"refs/heads/{state['pull']['headRefName']}"
    words = ("git", "--git-dir", state["remote"], "rev-parse", "--verify", branch)
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()


def _get(state: Node, path: str) -> Node:
    place, number = f"repos/{state['repository']}", state["pull"]["number"]
    if path == f"{place}/pulls/{number}":
        return {"number": number, "state": "open", "head": {"sha": _head(state)}}
    for login, account in state["accounts"].items():
        if path == f"{place}/collaborators/{login}/permission":
            user = {"login": login, "id": account["databaseId"]}
            return {"permission": account["permission"], "user": user}
    raise Refused(f"GET {path}")


def _post(state: Node, path: str, body: str) -> Node:
    """Add a comment, or a reply to a thread with the next comment that somebody makes there."""
    place, number = f"repos/{state['repository']}", state["pull"]["number"]
    if path == f"{place}/issues/{number}/comments":
        state["comments"].append(posted := comment(state, "you", body, "issuecomment-"))
        return {"id": int(posted["fullDatabaseId"]), "body": body, "html_url": posted["url"]}
    for thread in state["threads"]:
        posted = thread["comments"]["nodes"]
        if path == f"{place}/pulls/{number}/comments/{posted[0]['fullDatabaseId']}/replies":
            posted.append(reply := comment(state, "you", body, "discussion_r"))
            if then := state["then"].pop(thread["id"], None):
                posted.append(comment(state, then["by"], then["body"], "discussion_r"))
            thread |= {"comments": page(posted), "newest": {"nodes": posted[-1:]}}
            return {"id": int(reply["fullDatabaseId"]), "body": body, "html_url": reply["url"]}
    raise Refused(f"POST {path}")


def comment(state: Node, login: str, body: str, anchor: str) -> Node:
    """Make a comment, a minute after the one before."""
    count = state["count"] = state["count"] + 1
    number, account = 1000 + count, state["accounts"][login]
    with_it = [node["id"] for node in state["reviews"] if node["author"] == account]  # the review it came with
    author = {"author": account, "authorCanPushToRepository": account["permission"] == "write"}
    return {
        "__typename": "PullRequestReviewComment", "id": f"C_{number}", "fullDatabaseId": str(number), **author,
        "body": body, "createdAt": f"2026-03-02T{9 + count // 60:02}:{count % 60:02}:00Z",
        "url": f"{state['pull']['url']}#{anchor}{number}", "viewerDidAuthor": login == "you",
        "state": "COMMENTED" if anchor.startswith("pull") else "SUBMITTED", "lastEditedAt": None, "editor": None,
        "isMinimized": False, "minimizedReason": None, "originalCommit": {"oid": _head(state)},
        "pullRequestReview": {"id": with_it[0] if with_it else f"PRR_{number}", **author},
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
