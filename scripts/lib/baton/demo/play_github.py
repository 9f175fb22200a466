"""The demo of a delivery: a story from an issue on GitHub to a merged pull request, with one check that fails."""

import json
import os
import sys
import time
from pathlib import Path
from shlex import quote
from typing import Any

import baton
from baton.commands.start import start_story
from baton.demo import gh
from baton.demo.play import PLAYED, SPEC, Demo
from baton.demo.program import fault, tell, tell_item, tell_raw
from baton.demo.workplace import make_repository, workplace
from baton.journal.atomic_file import write_durably
from baton.project.hook_call import PLUGIN

REPOSITORY = "tea/teatime"
URL = f"https://github.com/{REPOSITORY}"
# Nobody else is there to say anything.
SETTINGS = ("  mode: local\n", "  mode: merge\n  quiet_s: 0\n")
OPENING = """\
baton demo --github: a story from an issue to its merged pull request, with a check that fails once.
The sub-agents are scripted stand-ins, and so is GitHub, behind a `gh` of the demo's own. All else is
real: the decisions, the tests, git, what is pushed and merged, the check that looks at it.
"""
START = "import sys; sys.path.insert(0, {lib!r}); from baton.demo.hosted import main; sys.exit(main(sys.argv[1:]))"


def play(keep: Path | None) -> None:
    """Show a story that is delivered; with `keep`, leave it there."""
    began = time.monotonic()
    with workplace(keep) as folder:
        tell_raw(OPENING)
        demo = Delivered(folder)
        demo.run()
        demo.close(time.monotonic() - began)
    tell_raw("\nThe same with a repository of yours on GitHub, in Claude Code:")
    tell_raw(f"  claude --plugin-dir {quote(str(PLUGIN))}\n  /implement #12")


class Delivered(Demo):
    """One story, its remote, and a `gh` that stands for GitHub."""

    def __init__(self, folder: Path) -> None:
        root = make_repository(folder / PLAYED, replaced=SETTINGS)
        super().__init__(root)
        self.state = folder / "github.json"
        remote = folder / "remote.git"
        self.git.do("init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(remote))
        self.git.do("config", f"url.{remote}.insteadOf", f"{URL}.git")
        self.git.do("remote", "add", "origin", f"{URL}.git")
        self.git.do("push", "--quiet", "origin", "main")
        title, _, body = (root / SPEC).read_text(encoding="utf-8").partition("\n")
        gh.save(self.state, {
            "repository": REPOSITORY, "url": URL, "remote": str(remote), "pull": None, "comments": [],
            "refused": [], "issue": {"title": title.strip("# "), "body": body, "state": "open",
                                        "updated_at": "2026-01-05T10:00:00Z"},
        })  # fmt: skip
        self._put_on_path(folder)

    def _put_on_path(self, folder: Path) -> None:
        """Have `gh` mean the demo's own, which finds its interpreter and its state by itself."""
        lib = str(Path(baton.__file__).parents[1])
        words = (sys.executable, "-sSBc", START.format(lib=lib), str(self.state))
        program = folder / "bin" / "gh"
        write_durably(program, f'#!/bin/sh\nexec {" ".join(map(quote, words))} "$@"\n', folder)
        program.chmod(0o755)
        os.environ["PATH"] = f"{program.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"

    def make_story(self) -> None:
        tell_raw("$ baton start - <<< '#12'")
        step = self.program.call(start_story, "-", given="#12")
        tell_item("story", f"{step['story']}, made of {URL}/issues/12")

    def close(self, seconds: float) -> None:
        """Say what has become of it, as the stand-in for GitHub has it."""
        state: dict[str, Any] = json.loads(self.state.read_text(encoding="utf-8"))
        if state["refused"] or not state["pull"]["merged"]:
            raise fault(state["refused"][0] if state["refused"] else "it is not merged")
        said = len(state["comments"])
        tell_raw("")
        tell(f"Issue 12 is merged as {URL}/pull/1, with {said} comments on the issue, in {seconds:.0f} s.")
