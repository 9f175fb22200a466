"""What the user is asked before a stranger's code runs, and before a branch others build on is pushed to."""

from pathlib import Path
from typing import Any

import pytest

from feedback.scene import PLAIN, SUBJECT, WITH_TEST, PullScene, result, says

pytestmark = pytest.mark.sampled(4)

SETTINGS = WITH_TEST
SEEN = "printenv HOME XDG_CONFIG_HOME DBUS_SESSION_BUS_ADDRESS >'{}'; ls -A \"$HOME\" >>'{}'; true\n"


def fork(here: PullScene, editable: bool = True, files: dict[str, str] | None = None) -> None:
    """Have the pull request be from a fork of eve's, reached through no remote."""
    if files:
        here.push(files)
    place = here.remote.with_name("fork.git")
    here.bench.git("init", "--quiet", "--bare", str(place))
    here.bench.git("push", "--quiet", str(place), "topic")
    here.bench.git("config", f"url.{place}.insteadOf", "https://github.com/eve/app.git")
    here.pull.head_repository = here.hub.repository("eve/app")
    here.pull.maintainer_can_modify = editable
    here.remote = place


def planned(here: PullScene) -> Any:
    """Plan once, with a thread to settle."""
    if not here.pull.threads:
        here.pull.thread("src/a.py", 1, by="bob", body="Rename this variable.")
    here.bench.baton("pr", "fetch", "7")
    return here.bench.baton("pr", "plan", "--json").json


def settled(here: PullScene, *answers: str) -> None:
    """Answer what was asked, plan, and have the one unit fix something."""
    for option in answers:
        here.answer(option)
    here.planned = planned(here)
    [item] = here.planned_items
    here.fix(item)


def test_a_strangers_code_is_asked_about_before_an_agent_is_started(here: PullScene) -> None:
    fork(here, files={"CLAUDE.md": "x\n"})
    step = planned(here)
    words = ("@alice changes 4 files from a fork, among them CLAUDE.md", "test: sh tools/test.sh")
    assert (step["rule"], [word in step["reason"] for word in words]) == ("land/stranger", [True, True])
    assert (step["evidence"].splitlines()[0], len(step["evidence"].splitlines())) == ("CLAUDE.md", 4)
    assert "\n│ CLAUDE.md\n" in here.bench.baton("pr", "plan").out
    assert here.answer("accept").out.splitlines()[-1] == "THEN baton pr plan 7"
    assert planned(here)["action"] == "spawn"


def test_a_strangers_code_that_is_left_runs_nowhere_and_is_asked_about_again(here: PullScene) -> None:
    fork(here)
    assert "OPTION leave: runs nothing and lands nothing" in (planned(here), here.bench.baton("pr", "plan").out)[1]
    said = here.answer("leave")
    assert (says(said, "what is open stays open"), says(said, "THEN")) == (True, False)
    assert planned(here)["rule"] == "land/stranger"


def test_ones_own_fork_is_not_a_strangers(here: PullScene) -> None:
    fork(here)
    here.pull.author = here.hub.viewer
    assert planned(here)["rule"] == "land/commands"


@pytest.mark.parametrize("option", ["accept", "accept-home"])
def test_a_strangers_code_gets_an_empty_home_and_none_of_the_users_hooks_unless_that_was_said(
    here: PullScene, option: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.setenv(name, "/settings")
    seen, hooked = tmp_path / "seen", tmp_path / "hooked"
    fork(here, files={"tools/test.sh": SEEN.format(seen, seen)})
    here.bench.hook("pre-commit", f"touch '{hooked}'")
    planned(here)
    settled(here, option)
    said = here.landed()
    home, *rest = seen.read_text().splitlines()
    assert (said.code, here.subjects) == (0, [SUBJECT, "more"])
    own = option == "accept-home"
    assert (Path(home) == Path.home(), "/settings" in rest, hooked.exists()) == (own, own, own)
    assert says(said, "HOOKS your commit hooks did not run") != own
    assert own or (rest == [] and not Path(home).exists())


def test_no_hook_runs_where_a_strangers_branch_is_checked_out(here: PullScene, tmp_path: Path) -> None:
    fork(here)
    here.bench.git("remote", "add", "fork", "https://github.com/eve/app.git")
    here.bench.git("config", "remote.origin.gh-resolved", "base")
    here.bench.git("config", "branch.topic.remote", "fork")
    here.bench.git("config", "branch.topic.merge", "refs/heads/topic")
    planned(here)
    settled(here, "accept")
    here.bench.hook("post-merge", f"touch '{tmp_path / 'hooked'}'")
    assert says(here.landed(), "YOUR BRANCH topic here was moved to")
    assert not (tmp_path / "hooked").exists()


def test_another_head_of_a_stranger_is_asked_about_again(here: PullScene) -> None:
    fork(here)
    planned(here)
    settled(here, "accept")
    theirs = here.another({"lib/c.py": "evil = 1\n"})
    here.bench.git("push", "--quiet", str(here.remote), f"{theirs}:refs/heads/topic")
    assert says(here.landed(), "DO ask", "land/stranger")
    assert here.subjects == ["more"]


def test_a_fork_that_lets_nobody_push_is_said_when_a_round_is_planned(here: PullScene) -> None:
    fork(here, editable=False)
    step = planned(here)
    assert (step["rule"], "does not let maintainers push" in step["reason"]) == ("plan/push", True)
    here.answer("accept")
    here.planned = planned(here)
    here.settle(result(here.pull.threads[0].id))
    assert (here.landed().code, here.replies) == (0, [here.pull.threads[0].id])


PRODUCTION = f"{PLAIN}production: [topic]\n"


@pytest.mark.parametrize(("settings", "asks"), [(PRODUCTION, True), (PLAIN, False)], ids=["production", "none"])
def test_a_production_branch_is_pushed_to_only_when_that_was_said(here: PullScene, asks: bool) -> None:
    assert (planned(here).get("rule") == "land/production") == asks
    settled(here, *["accept"] * asks)
    assert (here.landed().code, here.subjects) == (0, [SUBJECT])


@pytest.mark.parametrize("settings", [f"{PLAIN}production: []\n"], ids=["none"])
def test_the_default_branch_of_the_repository_is_one_that_others_build_on(here: PullScene) -> None:
    here.bench.git("--git-dir", str(here.remote), "symbolic-ref", "HEAD", "refs/heads/topic")
    assert planned(here)["rule"] == "land/production"


@pytest.mark.parametrize("settings", [f"{PLAIN}production: []\n"], ids=["none"])
def test_the_default_branch_is_known_where_the_push_goes_to_a_url(here: PullScene) -> None:
    here.bench.git("--git-dir", str(here.remote), "symbolic-ref", "HEAD", "refs/heads/topic")
    here.bench.git("config", "remote.origin.gh-resolved", "octo/upstream")
    here.pull.thread("src/a.py", 1, by="bob", body="Rename this variable.")
    here.bench.baton("pr", "fetch", "7", "--repo", "octo/app")
    assert here.bench.baton("pr", "plan", "--json").json["rule"] == "land/production"
