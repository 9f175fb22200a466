"""The GitHub of the demo: a `gh` that knows one issue, opens and merges one pull request, and runs one check.

It is run as a program, with the file of its state first. What is pushed, and what a merge makes, is real: it is in
the bare repository `remote`, and the check looks at the commits there.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from baton.demo.gh import OPERATION, Node, Refused, page, save

APP = {"id": 15368, "slug": "github-actions"}
USER = {"login": "you", "id": 1, "type": "User"}
# The check: no line of the README is longer than this.
WIDTH = 100
LONG = f"^.{{{WIDTH + 1},}}"
AUTHOR = ("-c", "user.name=GitHub", "-c", "user.email=noreply@example.invalid")


class Host:
    """One repository on GitHub, by the state that is kept of it."""

    def __init__(self, state: Node) -> None:
        self.state = state
        self.place = f"repos/{state['repository']}"

    def git(self, *words: str, code: int | None = 0) -> str:
        """Call git in the remote repository."""
        line = ("git", *AUTHOR, "--git-dir", self.state["remote"], *words)
        done = subprocess.run(line, capture_output=True, check=False, text=True)
        if code is not None and done.returncode != code:
            raise Refused(done.stderr.strip())
        return done.stdout.strip() if done.returncode == 0 else ""

    def head(self, branch: str) -> str:
        return self.git("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}", code=None)

    def fault_of(self, sha: str) -> str:
        """Run the check on a commit; returns the first line that is too long, if there is one."""
        found = self.git("grep", "-nE", LONG, sha, "--", "README.md", code=None)
        return found.partition(":")[2].splitlines()[0][:80] if found else ""

    def job(self, sha: str) -> Node:
        conclusion = "failure" if self.fault_of(sha) else "success"
        number = int(sha[:7], 16)
        return {
            "id": number, "name": "style", "head_sha": sha, "status": "completed", "conclusion": conclusion,
            "check_suite": {"id": number}, "app": APP, "output": {},
            "html_url": f"{self.state['url']}/runs/{number}",
        }  # fmt: skip

    def run(self, sha: str) -> Node:
        job = self.job(sha)
        return {
            **job, "check_suite_id": job["id"], "workflow_id": 1, "event": "push", "path": "ci.yml", "name": "CI",
        }  # fmt: skip

    def pull(self) -> Node:
        pull: Node = self.state["pull"]
        head = self.head(pull["head"]) or pull["sha"]
        pull["sha"] = head if not pull["merged"] else pull["sha"]
        return {
            "number": 1, "node_id": "PR_1", "html_url": f"{self.state['url']}/pull/1", "merged": pull["merged"],
            "state": "closed" if pull["merged"] else "open", "user": USER, "draft": False, "mergeable": True,
            "head": {"ref": pull["head"], "sha": pull["sha"], "user": {"login": "tea"}},
            "base": {"ref": "main"}, "merge_commit_sha": pull["merge"], "mergeable_state": "clean",
        }  # fmt: skip

    # What is asked

    def get(self, path: str) -> Any:
        parts = urlsplit(path)
        words = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match parts.path.removeprefix(f"{self.place}/").split("/"):
            case ["issues", "12"]:
                return {**self.state["issue"], "user": USER, "html_url": f"{self.state['url']}/issues/12"}
            case ["collaborators", _, "permission"]:
                return {"permission": "write", "user": USER}
            case ["pulls"]:
                return (
                    [self.pull()]
                    if self.state["pull"] and words["head"].endswith(self.state["pull"]["head"])
                    else []
                )
            case ["pulls", "1"]:
                return self.pull()
            case ["branches", "main"]:
                return {"commit": {"sha": self.head("main")}}
            case ["actions", "runs"]:
                return {"total_count": 1, "workflow_runs": [self.run(words["head_sha"])]}
            case ["actions", "workflows"]:  # none that might begin later
                return {"total_count": 0, "workflows": []}
            case ["commits", sha, "check-runs"]:
                return {"total_count": 1, "check_runs": [self.job(sha)]}
            case ["commits", _, "status"]:
                return {"total_count": 0, "statuses": []}
            case ["actions", "jobs", number]:
                return {"id": int(number), "steps": [{"name": "Look for long lines", "conclusion": "failure"}]}
            case ["actions", "jobs", number, "logs"]:
                return self.log(int(number))
            case ["repos", _, _]:
                permissions = {"push": True}
                return {"full_name": self.state["repository"], "archived": False, "permissions": permissions}
            case ["environments"]:
                return {"total_count": 0, "environments": []}
            case ["rules", "branches", "main"] | ["deployments"]:
                return []
        raise Refused(f"GET {path}")

    def log(self, number: int) -> str:
        commits = self.git("rev-list", "--all").split()
        sha = next(one for one in commits if int(one[:7], 16) == number)
        return f"looking for lines of more than {WIDTH} characters\n##[error]too long: {self.fault_of(sha)}\n"

    def post(self, path: str, body: Node) -> Node:
        if path == f"{self.place}/pulls":
            branch = body["head"].rpartition(":")[2]
            self.state["pull"] = {"head": branch, "sha": self.head(branch), "merged": False, "merge": None}
            return self.pull()
        if path == f"{self.place}/issues/12/comments":
            self.state["comments"].append(body["body"])
            number = len(self.state["comments"])
            return {"id": number, "html_url": f"{self.state['url']}/issues/12#issuecomment-{number}"}
        raise Refused(f"POST {path}")

    def put(self, path: str, body: Node) -> Node:
        pull = self.state["pull"]
        if path != f"{self.place}/pulls/1/merge" or body["sha"] != self.head(pull["head"]):
            raise Refused(f"PUT {path}")
        base = self.head("main")
        tree = self.git("rev-parse", f"{body['sha']}^{{tree}}")
        said = f"{body['commit_title']}\n\n{body['commit_message']}"
        merge = self.git("commit-tree", tree, "-p", base, "-m", said)
        self.git("update-ref", "refs/heads/main", merge, base)
        pull |= {"merged": True, "merge": merge}
        return {"sha": merge, "merged": True}

    def ask(self, document: str) -> Node:
        match = OPERATION.match(document)
        if match and match[1] == "IssueEdit":
            return {
                "repository": {"issue": {"lastEditedAt": None, "editor": None, "timelineItems": {"nodes": []}}}
            }
        pull = self.pull()
        empty = page([])
        known = {
            "id": "PR_1", "number": 1, "title": "", "url": pull["html_url"], "state": "OPEN", "isDraft": False,
            "viewerDidAuthor": True, "baseRefName": "main", "headRefName": pull["head"]["ref"],
            "headRefOid": pull["head"]["sha"], "isCrossRepository": False, "maintainerCanModify": False,
            "headRepository": {"nameWithOwner": self.state["repository"]},
            "author": {"__typename": "User", "login": "you", "databaseId": 1},
            **dict.fromkeys(("reviewThreads", "comments", "reviews", "reviewRequests"), empty),
            "latestOpinionatedReviews": empty, "mergeQueueEntry": None, "reviewDecision": None,
            "mergeStateStatus": "CLEAN", "viewerCanMergeAsAdmin": False, "isMergeQueueEnabled": False,
        }  # fmt: skip
        if match and match[1] in ("Feedback", "Reviews"):
            more = {"pullRequests": empty, "squashMergeAllowed": True, "mergeCommitAllowed": True}
            repository = {"nameWithOwner": self.state["repository"], "pullRequest": known, **more}
            return {"viewer": {"login": "you"}, "repository": repository}
        raise Refused(f"the query {document[:60]}")


def main(arguments: list[str]) -> int:
    """Answer one call of `gh`; what came of it is in the file of the state before it is printed."""
    if arguments[1:] == ["--version"]:
        print("gh version 2.62.0 (a stand-in of baton demo)")
        return 0
    path = Path(arguments[0])
    host = Host(json.loads(path.read_text(encoding="utf-8")))
    try:
        status, data = 200, answer(host, arguments[1:])
    except (ValueError, KeyError, TypeError, IndexError) as fault:
        what = f"the demo's gh does not know {fault}"
        host.state["refused"].append(what)
        status, data = 400, {"message": what}
        print(f"gh: {what}", file=sys.stderr)
    save(path, host.state)
    print(f"HTTP/2.0 {status}\r\n\r\n{data if isinstance(data, str) else json.dumps(data)}")
    return 0 if status < 300 else 1


def answer(host: Host, words: list[str]) -> Any:
    """Return the answer to a call; Refused, KeyError or TypeError for one that baton does not make."""
    match words:
        case ["api", "--hostname", "github.com", "--include", "--method", "GET", "--", path]:
            return host.get(path)
        case ["api", "--hostname", "github.com", "--include", "--input", "-", "--", "graphql"]:
            return {"data": host.ask(json.loads(sys.stdin.buffer.read())["query"])}
        case ["api", "--hostname", "github.com", "--include", "--method", method, "--input", "-", "--", path]:
            body = json.loads(sys.stdin.buffer.read())
            return host.post(path, body) if method == "POST" else host.put(path, body)
    raise Refused(f"`gh {' '.join(words)}`")
