"""The demo's own `gh`: answers what baton asks of GitHub about one pull request, and refuses everything else.

It is run as a program, with the file of its state first, and imports nothing of baton.
"""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

HOST = "github.com"
API = ("api", "--hostname", HOST, "--include")
OPERATION = re.compile(r"\s*(query|mutation) (\w+)\(")
RESOLVED = re.compile(r"^  (t\d+): resolveReviewThread\(input: \{threadId: \$(t\d+)\}\)", re.M)
PAGES = ("threads", "comments", "reviews")
ASKED = {"owner", "name", "number", "size", *PAGES, "withThreads", "withComments", "withReviews"}

State = dict[str, Any]
Node = dict[str, Any]


class Refused(ValueError):
    """What this program does not know, or would not be asked of this pull request."""


class Answer(NamedTuple):
    """An answer as GitHub gives it."""

    status: int
    data: Any


def main(arguments: list[str]) -> int:
    """Answer one call of `gh`; what came of it is in the file of the state before it is printed."""
    if arguments[1:] == ["--version"]:
        print("gh version 2.62.0 (a stand-in of baton demo)")
        return 0
    path = Path(arguments[0])
    state = json.loads(path.read_text(encoding="utf-8"))
    try:
        answer = answered(state, arguments[1:], sys.stdin.buffer.read())
    except (ValueError, KeyError, TypeError) as fault:
        what = f"the demo's gh does not know {fault}"
        state["refused"].append(what)
        answer = Answer(400, {"message": what})
        print(f"gh: {what}", file=sys.stderr)
    _save(path, state)
    print(f"HTTP/2.0 {answer.status}\r\nContent-Type: application/json\r\n\r\n{json.dumps(answer.data)}")
    return 0 if answer.status < 300 else 1


def answered(state: State, words: list[str], given: bytes) -> Answer:
    """Return the answer to a call; Refused for one that baton does not make."""
    if tuple(words[:4]) != API or len(words) < 6 or words[-2] != "--":
        raise Refused(f"`gh {' '.join(words)}`")
    options, path = words[4:-2], words[-1]
    if (options, path) == (["--input", "-"], "graphql"):
        asked = json.loads(given)
        return Answer(200, {"data": _graphql(state, asked["query"], asked["variables"])})
    if options == ["--method", "GET"]:
        return _get(state, path)
    if options == ["--method", "POST", "--input", "-"]:
        return _post(state, path, json.loads(given))
    raise Refused(f"`gh {' '.join(words)}`")


def _save(path: Path, state: State) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps(state, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(new, path)


def _graphql(state: State, document: str, variables: Node) -> Node:
    match = OPERATION.match(document)
    name = f"{match[1]} {match[2]}" if match else "a document without a name"
    if name not in OPERATIONS:
        raise Refused(name)
    return OPERATIONS[name](state, document, variables)


def _feedback(state: State, document: str, asked: Node) -> Node:
    _only(set(asked), ASKED, "query Feedback")
    place = f"{asked['owner']}/{asked['name']}#{asked['number']}"
    if place != f"{state['repository']}#{state['number']}" or any(asked[one] for one in PAGES):
        raise Refused(f"{place}, or a further page of it")
    pull = {**state["pull"], "author": _who(state, state["author"]), "headRefOid": _head(state)}
    if asked["withThreads"]:
        pull["reviewThreads"] = _page([_thread(state, one) for one in state["threads"]])
    if asked["withComments"]:
        pull["comments"] = _page([_said(state, one) for one in state["comments"]])
    if asked["withReviews"]:
        pull["reviews"] = _page([_review(state, one) for one in state["reviews"]])
    repository = {"nameWithOwner": state["repository"], "viewerPermission": "WRITE", "pullRequest": pull}
    return {"viewer": {"login": state["viewer"]}, "repository": repository}


def _of_branch(state: State, document: str, asked: Node) -> Node:
    _only(set(asked), {"owner", "name", "branch"}, "query OfBranch")
    if f"{asked['owner']}/{asked['name']}" != state["repository"]:
        raise Refused(f"the repository {asked['owner']}/{asked['name']}")
    found = {"number": state["number"], "headRepository": state["pull"]["headRepository"]}
    return {"repository": {"pullRequests": {"nodes": [found] if asked["branch"] == state["branch"] else []}}}


def _standing(state: State, document: str, asked: Node) -> Node:
    _only(set(asked), {"ids"}, "query Standing")
    return {"nodes": [_standing_of(state, _thread_named(state, one)) for one in asked["ids"]]}


def _edits(state: State, document: str, asked: Node) -> Node:
    _only(set(asked), {"ids"}, "query Edits")
    places = [*(one["comments"] for one in state["threads"]), state["comments"], state["reviews"]]
    if unknown := set(asked["ids"]) - {one["id"] for place in places for one in place}:
        raise Refused(f"the comments {', '.join(sorted(unknown))}")
    bare = {"__typename": "PullRequestReviewComment", "lastEditedAt": None, "isMinimized": False}
    return {"nodes": [{**bare, "id": one} for one in asked["ids"]]}


def _resolve(state: State, document: str, asked: Node) -> Node:
    aliases = dict(RESOLVED.findall(document))
    _only(set(aliases.values()), set(asked), "mutation Resolve")
    threads = {alias: _thread_named(state, asked[variable]) for alias, variable in aliases.items()}
    for one in threads.values():
        one["resolved"] = True
    return {alias: {"thread": _standing_of(state, one)} for alias, one in threads.items()}


OPERATIONS: dict[str, Callable[[State, str, Node], Node]] = {
    "query Feedback": _feedback,
    "query OfBranch": _of_branch,
    "query Standing": _standing,
    "query Edits": _edits,
    "mutation Resolve": _resolve,
}


def _only(found: set[str], wanted: set[str], name: str) -> None:
    if found != wanted or not found:
        raise Refused(f"{name} with the variables {', '.join(sorted(found ^ wanted)) or 'none'}")


def _thread_named(state: State, name: str) -> Node:
    if not (found := [one for one in state["threads"] if one["id"] == name]):
        raise Refused(f"the thread {name}")
    return cast(Node, found[0])


def _standing_of(state: State, thread: Node) -> Node:
    about = {"id": thread["id"], "isResolved": thread["resolved"], "viewerCanResolve": True}
    return {"__typename": "PullRequestReviewThread", **about, "pullRequest": {"id": state["pull"]["id"]}}


def _page(nodes: list[Node]) -> Node:
    return {"totalCount": len(nodes), "pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": nodes}


def _thread(state: State, thread: Node) -> Node:
    line, said = thread["line"], thread["comments"]
    return {
        "id": thread["id"], "path": thread["path"], "line": line, "startLine": None, "originalLine": line,
        "originalStartLine": None, "isResolved": thread["resolved"], "isOutdated": False,
        "comments": _page([_in_thread(state, one) for one in said]),
        "newest": {"nodes": [{"createdAt": said[-1]["at"]}]},
    }  # fmt: skip


def _in_thread(state: State, one: Node) -> Node:
    of_author = {"author": _who(state, one["by"]), "authorCanPushToRepository": _may_push(state, one)}
    review, commit = {"id": f"PRR_{one['id']}", **of_author}, {"oid": one["commit"]}
    return {**_said(state, one), "state": "SUBMITTED", "originalCommit": commit, "pullRequestReview": review}


def _review(state: State, one: Node) -> Node:
    return {**_said(state, one), "state": "COMMENTED", "authorCanPushToRepository": _may_push(state, one)}


def _may_push(state: State, one: Node) -> bool:
    return bool(state["accounts"][one["by"]]["permission"] == "write")


def _said(state: State, one: Node) -> Node:
    return {
        "id": one["id"], "fullDatabaseId": str(one["number"]), "author": _who(state, one["by"]),
        "body": one["body"], "createdAt": one["at"], "url": one["url"],
        "viewerDidAuthor": one["by"] == state["viewer"], "lastEditedAt": None, "editor": None,
        "isMinimized": False, "minimizedReason": None,
    }  # fmt: skip


def _who(state: State, login: str) -> Node:
    account = state["accounts"][login]
    return {"__typename": account["kind"], "login": login, "databaseId": account["number"]}


def _head(state: State) -> str:
    """Ask the remote what the pull request's branch is at: a push moves it, and nothing else."""
    import subprocess  # most calls do without

    words = ("git", "--git-dir", state["remote"], "rev-parse", "--verify", f"refs/heads/{state['branch']}")
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()


def _get(state: State, path: str) -> Answer:
    place = f"repos/{state['repository']}"
    if path == f"{place}/pulls/{state['number']}":
        return Answer(200, {"number": state["number"], "state": "open", "head": {"sha": _head(state)}})
    for login, account in state["accounts"].items():
        if path == f"{place}/collaborators/{login}/permission":
            user = {"login": login, "id": account["number"]}
            return Answer(200, {"permission": account["permission"], "user": user})
    raise Refused(f"GET {path}")


def _post(state: State, path: str, body: Node) -> Answer:
    _only(set(body), {"body"}, f"POST {path}")
    place, number = f"repos/{state['repository']}", state["number"]
    if path == f"{place}/issues/{number}/comments":
        made = comment(state, state["viewer"], body["body"], "issuecomment-")
        state["comments"].append(made)
        return Answer(201, {"id": made["number"], "body": made["body"], "html_url": made["url"]})
    for thread in state["threads"]:
        if path == f"{place}/pulls/{number}/comments/{thread['comments'][0]['number']}/replies":
            return _replied(state, thread, body["body"])
    raise Refused(f"POST {path}")


def _replied(state: State, thread: Node, text: str) -> Answer:
    """Add a reply to a thread, and what somebody says to that in turn."""
    made = comment(state, state["viewer"], text, "discussion_r")
    thread["comments"].append(made)
    if then := state["then"].pop(thread["id"], None):
        thread["comments"].append(comment(state, then["by"], then["body"], "discussion_r"))
    return Answer(201, {"id": made["number"], "body": text, "html_url": made["url"]})


def comment(state: State, by: str, body: str, anchor: str) -> Node:
    """Make a comment, a minute after the one before."""
    said = state["said"] = state["said"] + 1
    at = f"2026-03-02T{9 + said // 60:02}:{said % 60:02}:00Z"
    url = f"https://{HOST}/{state['repository']}/pull/{state['number']}#{anchor}{1000 + said}"
    made = {"id": f"C_{1000 + said}", "number": 1000 + said, "by": by, "at": at, "url": url, "body": body}
    return {**made, "commit": _head(state)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
