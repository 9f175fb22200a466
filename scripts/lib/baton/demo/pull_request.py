"""The demo's pull request: a branch of its small repository, a remote, and a `gh` that knows what was said."""

import json
import os
import sys
from pathlib import Path
from shlex import quote
from typing import Any

from baton.demo import gh
from baton.demo.program import fault
from baton.demo.workplace import make_repository
from baton.git.command import Git, find_project, run_git
from baton.journal.atomic_file import write_durably

HERE = Path(__file__).parent
REPOSITORY, NUMBER, BRANCH = "tea/teatime", 7, "amounts"
PLAYED, REMOTE, STATE, PROGRAMS = "played", "remote.git", "github.json", "bin"
# The demo shows threads that others began being resolved, too.
SETTINGS = "feedback:\n  resolve: all\n"
PULL = {
    "id": "PR_7", "number": NUMBER, "title": "Say how much tea to take",
    "url": f"https://{gh.HOST}/{REPOSITORY}/pull/{NUMBER}", "state": "OPEN", "isDraft": False,
    "viewerDidAuthor": True, "baseRefName": "main", "headRefName": BRANCH, "isCrossRepository": False,
    "maintainerCanModify": False, "headRepository": {"nameWithOwner": REPOSITORY},
}  # fmt: skip


class PullRequest:
    """The pull request in a folder: its work tree, its remote, and what is known of it in place of GitHub."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / PLAYED
        self.remote = folder / REMOTE
        self.state = folder / STATE
        self.programs = folder / PROGRAMS

    def make(self) -> None:
        """Make all of it in an empty folder, and have the `gh` of this process be the one that knows it."""
        make_repository(self.root, SETTINGS)
        self._push_branch()
        write_durably(self.state, json.dumps(self._said(), indent=1, ensure_ascii=False) + "\n", self.root.parent)
        self._install_gh()

    def told(self) -> dict[str, Any]:
        """Return what is there by now in place of GitHub; a fault where anything was asked that is not known."""
        state: dict[str, Any] = json.loads(self.state.read_text(encoding="utf-8"))
        if state["refused"]:
            raise fault(state["refused"][0])
        return state

    def _push_branch(self) -> None:
        git = Git(find_project(self.root))
        git.do("init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(self.remote))
        url = f"https://{gh.HOST}/{REPOSITORY}.git"
        git.do("config", f"url.{self.remote}.insteadOf", url)
        git.do("remote", "add", "origin", url)
        git.do("switch", "--quiet", "--create", BRANCH)
        applied = run_git(self.root, "apply", "--index", str(HERE / "edits" / "pull-request.patch"))
        if applied.code != 0:
            raise fault(f"the branch cannot be made ({applied.said})")
        git.do("commit", "--quiet", "--message", str(PULL["title"]))
        git.do("push", "--quiet", "--set-upstream", "origin", "main", BRANCH)

    def _said(self) -> gh.State:
        """Return what was said on the pull request, each thing a minute after the one before."""
        told = json.loads((HERE / "said" / "feedback.json").read_text(encoding="utf-8"))
        state: gh.State = {
            "repository": REPOSITORY, "number": NUMBER, "viewer": "you", "author": "you", "branch": BRANCH,
            "remote": str(self.remote), "pull": PULL, "said": 0, "refused": [], "then": told["then"],
            "accounts": told["accounts"],
        }  # fmt: skip
        state["threads"] = [
            {
                "id": one["id"], "path": one["path"], "line": one["line"], "resolved": one.get("resolved", False),
                "comments": [gh.comment(state, said["by"], said["body"], "discussion_r") for said in one["said"]],
            }
            for one in told["threads"]
        ]  # fmt: skip
        for name, anchor in (("reviews", "pullrequestreview-"), ("comments", "issuecomment-")):
            state[name] = [gh.comment(state, one["by"], one["body"], anchor) for one in told[name]]
        return state

    def _install_gh(self) -> None:
        """Put the stand-in first on the path; it finds its interpreter and its state by itself."""
        words = (sys.executable, "-sSB", gh.__file__, str(self.state))
        path = self.programs / "gh"
        write_durably(path, f'#!/bin/sh\nexec {" ".join(map(quote, words))} "$@"\n', self.root.parent)
        path.chmod(0o755)
        os.environ["PATH"] = f"{self.programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
