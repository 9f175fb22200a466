"""The demo of a pull request: its feedback, worked on until nothing new is left."""

import json
import os
import re
import sys
import time
from pathlib import Path
from shlex import quote
from typing import Any

from baton.artifacts.kinds import READING
from baton.artifacts.resolver_result import KIND
from baton.commands.begin import begin
from baton.commands.pr import fetch, land, plan
from baton.demo import gh
from baton.demo.play import PLAYED
from baton.demo.program import EDITS, Program, fault, tell, tell_item, tell_raw
from baton.demo.workplace import make_repository, workplace
from baton.feedback.text.comment_marks import marks_in
from baton.git.command import Git, find_project
from baton.journal.atomic_file import write_durably
from baton.project.installed_client import PLUGIN
from baton.text import plural

SAID = Path(__file__).with_name("said")
REPOSITORY, BRANCH, PULL = "tea/teatime", "amounts", "7"
URL = f"https://github.com/{REPOSITORY}"
PULL_REQUEST = {
    "id": "PR_7", "number": int(PULL), "title": "Say how much tea to take", "url": f"{URL}/pull/{PULL}",
    "state": "OPEN", "isDraft": False, "viewerDidAuthor": True, "baseRefName": "main", "headRefName": BRANCH,
    "isCrossRepository": False, "maintainerCanModify": False, "headRepository": {"nameWithOwner": REPOSITORY},
}  # fmt: skip
# The demo shows threads that others began being resolved, too.
SETTINGS = "feedback:\n  resolve: all\n  replies: single\n"
ANSWERS = {"land/commands": "accept", "verify/decide": "leave"}
MOST_LANDINGS = 12
TEXT, ASKED = (re.compile(pattern, re.MULTILINE) for pattern in (r"^┌ (t\d+) (.*)$", r"^│ (\S+) \? "))
OPENING = """\
baton demo --pr: what was said on a pull request, until nothing new is left.
The agents are scripted stand-ins, and so is GitHub, behind a `gh` of the demo's
own. All else is real: who is trusted, the plan, the checks on what they hand
in, the tests, git.
"""


def play(keep: Path | None) -> None:
    """Show rounds on a pull request until nothing new is left; with `keep`, leave it there."""
    began = time.monotonic()
    with workplace(keep) as folder:
        demo = Demo(folder)
        tell_raw(OPENING)
        demo.run()
        demo.close(time.monotonic() - began)
    _tell_how_to_go_on(keep)


class Demo:
    """One pull request: its work tree, its remote, and a `gh` that knows its feedback."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = make_repository(folder / PLAYED, SETTINGS)
        self.program = Program(self.root)
        self.units: dict[str, dict[str, Any]] = {}
        remote = self._push_branch()
        self.state = folder / "github.json"
        gh.save(self.state, _said(remote))
        # The stand-in comes first on the path; it finds its interpreter and its state by itself.
        words = (sys.executable, "-sSB", gh.__file__, str(self.state))
        program = folder / "bin" / "gh"
        write_durably(program, f'#!/bin/sh\nexec {" ".join(map(quote, words))} "$@"\n', folder)
        program.chmod(0o755)
        os.environ["PATH"] = f"{program.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"

    def _push_branch(self) -> Path:
        git, remote = Git(find_project(self.root)), self.folder / "remote.git"
        git.do("init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(remote))
        git.do("config", f"url.{remote}.insteadOf", f"{URL}.git")
        git.do("remote", "add", "origin", f"{URL}.git")
        git.do("switch", "--quiet", "--create", BRANCH)
        git.do("apply", "--index", str(EDITS / "pull-request.patch"))
        git.do("commit", "--quiet", "--message", str(PULL_REQUEST["title"]))
        git.do("push", "--quiet", "--set-upstream", "origin", "main", BRANCH)
        return remote

    def run(self) -> None:
        """Play rounds until nothing new is left."""
        tell_raw(f"$ baton pr fetch {PULL}\n{self.program.said(fetch, PULL).rstrip()}")
        for prepared in json.loads((SAID / "resolved.json").read_text(encoding="utf-8")):
            self._plan(prepared)
            if self._land(prepared) == "report":
                return
        raise fault("something new is left after the last round")

    def close(self, seconds: float) -> None:
        """Tell the results on the pull request, from the stand-in for GitHub."""
        state = json.loads(self.state.read_text(encoding="utf-8"))
        if state["refused"]:
            raise fault(state["refused"][0])
        threads = [(thread, thread["comments"]["nodes"]) for thread in state["threads"]]
        all_comments = [comment for _, comments in threads for comment in comments] + state["comments"]
        items = {mark.item for comment in all_comments for mark in marks_in(comment["body"])}
        closed = [thread for thread, comments in threads if thread["isResolved"] and marks_in(comments[1]["body"])]
        tell_raw("")
        tell(
            f"{len(items)} items answered, {len(closed)} threads resolved, one commit pushed, in {seconds:.0f} s. "
            "The stranger's comment stayed unread."
        )

    def _plan(self, prepared: dict[str, Any]) -> None:
        """Plan a round, and settle its first units."""
        while (planned := self._planned())["action"] == "ask":
            self._answer(planned["rule"], planned["reason"], planned["question"])
        tell_raw(f"\n$ baton pr plan {PULL}")
        if planned["action"] != "spawn":
            raise fault(f"nothing was planned ({planned['rule']})")
        tell(f"{planned['rule']}: {planned['reason']}")
        self.units = {unit["id"]: unit for unit in planned["units"]}
        self._settle(prepared, [spawn["unit"] for spawn in planned["spawn"]])

    def _planned(self) -> Any:
        """Return the plan of a round, once all feedback is read."""
        while (planned := self.program.call(plan, PULL))["rule"] == "read/texts":
            tell_raw(f"\n$ baton pr plan {PULL}")
            tell(f"{planned['rule']}: {planned['reason']}")
            self._read([spawn["unit"] for spawn in planned["spawn"]])
        return planned

    def _read(self, names: list[str]) -> None:
        """Play the readers: hand in the recorded reading of each text."""
        recorded = json.loads((SAID / "read.json").read_text(encoding="utf-8"))
        for name in names:
            tell_item("spawn", f"{name.rpartition('-')[2]} reads what was said")
            reader = Program(self.root, {"agent_id": f"a-{name}", "agent_type": "baton:feedback-reader"})
            brief = reader.call(begin, name)["brief"]
            texts = [{"id": text, **_recorded(recorded, heading)} for text, heading in TEXT.findall(brief)]
            known = {thread: recorded[thread] for thread in ASKED.findall(brief)}
            value = json.dumps({"reading": name, "texts": texts, "known": known})
            reader.hand_in(
                f"pr-{PULL}",
                READING,
                name,
                value,
                f"{name.rpartition('-')[2]} ({plural(len(texts), 'text')})",
            )

    def _land(self, prepared: dict[str, Any]) -> str:
        """Land a round, unit after unit; returns the program's next action, `report` or `plan`."""
        for _ in range(MOST_LANDINGS):
            output = self.program.said(land, PULL).rstrip()
            action, why = output.split()[1], re.findall("^WHY (.*)$", output, re.M)
            if action == "spawn":
                tell(why[0])
                self._read(re.findall(r"^PROMPT Reading (\S+):", output, re.M))
                self._settle(prepared, re.findall(r"^PROMPT Unit (\S+):", output, re.M))
            elif action == "ask":
                rule, _, reason = why[0].partition(": ")
                self._answer(rule, reason, re.findall("^QUESTION (.*)$", output, re.M)[0])
            elif action in ("report", "plan"):
                tell_raw(f"\n$ baton pr land {PULL}\n{output}")
                return action
            elif action != "wait":
                break
        raise fault(f"not landed after {MOST_LANDINGS} calls ({output})")

    def _answer(self, rule: str, reason: str, question: str) -> None:
        tell_item("ask", f"{reason}. {question}")
        self.program.answer(f"pr-{PULL}", rule, ANSWERS)

    def _settle(self, prepared: dict[str, Any], names: list[str]) -> None:
        for name in names:
            unit = self.units[name]
            what = ", ".join(unit["items"])
            if unit["theme"]:
                beside = f", beside {', '.join(unit['prior'])}" if unit["prior"] else ""
                what = f"{what}: {unit['theme']} in {unit['area']}{beside}"
            tell_item("spawn", f"{name.rpartition('-')[2]} for {what}")
            self._resolve(unit, prepared[unit["items"][0]])

    def _resolve(self, unit: dict[str, Any], work: dict[str, Any]) -> None:
        """Settle a unit in its work tree: edit the files, hand in; at first without the field to be forgotten."""
        tree = self.program.begin(unit["id"], "baton:pr-comment-resolver")
        if "edits" in work:
            tree.edit(work["edits"])
        value = {"unit": unit["id"]} | ({"cluster_assessment": work["assessment"]} if "assessment" in work else {})
        results = [{"feedback_type": "review_thread", **result} for result in work["results"]]
        label = f"{unit['id'].rpartition('-')[2]} ({', '.join(result['verdict'] for result in results)})"
        for forgotten in [name for name in (work.get("forgets"), "") if name is not None]:
            given = [{name: result[name] for name in result if name != forgotten} for result in results]
            text = json.dumps({**value, "results": given})
            tree.hand_in(f"pr-{PULL}", KIND, unit["id"], text, label, accepted=not forgotten)


def _recorded(recorded: dict[str, Any], heading: str) -> Any:
    """Return the recorded reading of a text, by its place, or of a review."""
    place = heading.split()[1] if heading.startswith("inline") else heading.split()[0]
    return recorded[f"{place} again" if "; after our" in heading else place]


def _said(remote: Path) -> gh.Node:
    """Return the state of the pull request with its feedback, each comment a minute after the one before."""
    recorded = json.loads((SAID / "feedback.json").read_text(encoding="utf-8"))
    state: gh.Node = {
        "repository": REPOSITORY, "remote": str(remote), "pull": PULL_REQUEST, "count": 0, "refused": [],
        "accounts": recorded["accounts"], "then": recorded["then"], "threads": [], "reviews": [],
    }  # fmt: skip
    for review in recorded["reviews"]:
        state["reviews"].append(gh.comment(state, review["by"], review["body"], "pullrequestreview-"))
    for thread in recorded["threads"]:
        nodes = [gh.comment(state, entry["by"], entry["body"], "discussion_r") for entry in thread["said"]]
        state["threads"].append({
            "__typename": "PullRequestReviewThread", "id": thread["id"], "path": thread["path"],
            "line": thread["line"], "originalLine": thread["line"], "startLine": None, "originalStartLine": None,
            "isResolved": "resolved" in thread, "isOutdated": False, "viewerCanResolve": True,
            "comments": gh.page(nodes), "newest": {"nodes": nodes[-1:]}, "pullRequest": {"id": PULL_REQUEST["id"]},
        })  # fmt: skip
    state["comments"] = [
        gh.comment(state, entry["by"], entry["body"], "issuecomment-") for entry in recorded["comments"]
    ]
    return state


def _tell_how_to_go_on(keep: Path | None) -> None:
    program = quote(str(PLUGIN / "bin/baton"))
    if keep:
        folder = keep.absolute()
        tell_raw(f"\nIts stand-in for GitHub still answers:\n  cd {quote(str(folder / PLAYED))}")
        tell_raw(f'  PATH={quote(str(folder / "bin"))}:"$PATH" {program} pr show PRRT_always')
    else:
        tell_raw(f"\nTo look at what it leaves:\n  {program} demo --pr --keep teatime")
    tell_raw("The same on a pull request of yours, in Claude Code:")
    tell_raw(f"  claude --plugin-dir {quote(str(PLUGIN))}\n  /resolve-pr-feedback")
