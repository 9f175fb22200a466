"""A commit hook that cannot run has judged nothing: no fault of the run, and no attempt is used."""

import os
import signal
from typing import Any

import pytest

from bench import DELIVERED, STORY, Bench
from scenes import work_of

SOURCED = '. "$(dirname "$0")/missing.sh"'
BROKEN = {
    "no such program": "pretty-quick --staged",
    "the shell's own word, passed on": "sh -c 'pretty-quick --staged' || exit 1",
    "a file it sources": f"{SOURCED}",
    "not executable": "exit 126",
    "git died within": "git rev-parse --verify nothing || exit 128",
    "killed": "kill -9 $$",
    "no such module": "exec python3 -m no_such_module",
    "what make does not find": "echo 'make: *** [Makefile:2: lint] Error 127'; exit 2",
    "what pyenv does not find": "echo 'pyenv: ruff: command not found'; exit 1",
    "what npx does not find": "echo npm error code E404; exit 1",
    "what yarn does not find": "echo 'error Command \"lint-staged\" not found.'; exit 1",
}
JUDGES = {
    "refuses": "echo line 1 is too long; exit 1",
    "a test about that": "echo 'a.py:1: expected \"command not found\" in it'; exit 1",
    "a test that found nothing": "echo 'a.c:3:10: fatal error: b.h: No such file or directory'; exit 1",
}


def deliver(micro: Bench) -> Any:
    """Have the run of a small story do its work and end."""
    micro.edit({"test_calc.py": "TEST = 1\n"})
    assert micro.hand_in("micro-delivery-report", DELIVERED.format("PASS", "seen")).code == 0
    return micro.end()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ["pre-commit", "commit-msg"])
@pytest.mark.parametrize("lines", BROKEN.values(), ids=BROKEN)
def test_a_hook_that_cannot_run_is_asked_about_and_tried_again(lines: str, name: str, micro: Bench) -> None:
    micro.hook(name, lines)
    assert deliver(micro)["rule"] == "run/hooks"
    assert micro.answer("retry")["rule"] == "run/hooks"
    micro.hook(name, "true")
    assert micro.answer("retry")["rule"] == "close/done"
    assert micro.state.count("micro-delivery") == 1


def test_a_hook_whose_interpreter_is_gone_cannot_run(micro: Bench) -> None:
    micro.hook("pre-commit", "true")
    micro.write({".git/hooks/pre-commit": "#!/gone/venv/bin/python\n"})
    assert deliver(micro)["rule"] == "run/hooks"


@pytest.mark.parametrize("lines", ['rm "$1"', 'rm "$1"; mkdir "$1"'])
def test_a_hook_that_takes_the_message_away_has_not_judged_it(lines: str, micro: Bench) -> None:
    micro.hook("prepare-commit-msg", lines)
    step = deliver(micro)
    assert (step["rule"], "COMMIT_EDITMSG" in step["reason"]) == ("run/hooks", True)
    assert micro.answer("accept")["rule"] == "close/done"


def test_what_a_hook_leaves_running_is_not_waited_for(micro: Bench) -> None:
    micro.hook("pre-commit", 'sleep 600 & echo $! > "$(git rev-parse --git-common-dir)/left"')
    assert deliver(micro)["rule"] == "close/done"
    os.kill(int((micro.root / ".git/left").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("lines", JUDGES.values(), ids=JUDGES)
def test_a_hook_that_has_judged_is_heard_by_the_run(lines: str, micro: Bench) -> None:
    micro.hook("pre-commit", lines)
    micro.edit({"test_calc.py": "TEST = 1\n"})
    said = micro.hand_in("micro-delivery-report", DELIVERED.format("PASS", "seen"))
    assert (said.code, said.json["findings"][-1]["rule"]) == (1, "commit-hook")


def test_what_cannot_run_is_passed_over_where_the_user_says_so_for_the_whole_story(implementing: Bench) -> None:
    implementing.hook("pre-commit", "pretty-quick --staged")
    implementing.edit({"calc.py": "SUB = 1\n"})
    assert implementing.work(1)["rule"] == "run/hooks"
    assert implementing.answer("accept")["action"] == "spawn"
    assert work_of(implementing) == ["calc.py"]
    implementing.edit({"more.py": "MORE = 1\n"})
    assert implementing.work(2)["action"] == "spawn"


def test_a_hook_that_needs_the_set_up_runs_where_that_was_made(bench: Bench) -> None:
    bench.commit({".gitignore": "*.log\n.made/\n", "tools/setup.sh": "mkdir -p .made && echo true > .made/lint\n"})
    bench.hook("pre-commit", "git diff --cached --name-only | grep -q calc.py && sh .made/lint || exit 127")
    bench.begin("--complexity", "1")
    bench.rest()
    assert bench.deliver()["action"] in ("wait", "complete")
    assert "run/hooks" not in bench.rules


def test_what_such_a_hook_formats_is_formatted_in_the_runs_tree_and_leaves_none_behind(bench: Bench) -> None:
    bench.commit({".gitignore": "*.log\n.made/\n", "tools/setup.sh": "mkdir -p .made && echo true > .made/lint\n"})
    bench.hook("pre-commit", "sh .made/lint || exit 127\necho '# formatted' >> calc.py && git add calc.py")
    bench.begin("--complexity", "1")
    bench.rest()
    tree = bench.tree
    assert "stays:" not in str(bench.deliver())
    assert (tree.is_dir(), "# formatted" in bench.git("show", "main:calc.py")) == (False, True)


def test_a_folder_of_hooks_that_your_checkout_has_and_the_tree_lacks_is_asked_about(micro: Bench) -> None:
    micro.write({".git/info/exclude": ".husky/\n", ".husky/_/pre-commit": "#!/bin/sh\nexit 0\n"})
    micro.git("config", "core.hooksPath", ".husky/_")
    step = deliver(micro)
    assert (step["rule"], ".husky/_" in step["reason"]) == ("run/hooks", True)
    micro.git("config", "core.hooksPath", "/dev/null")
    assert micro.answer("retry")["rule"] == "close/done"


# Work that could not be put on the story branch


def test_what_a_hook_refused_is_in_the_next_runs_tree_with_what_others_committed(implementing: Bench) -> None:
    implementing.hook("pre-commit", "exit 1")
    assert [implementing.report().code for _ in range(3)] == [1, 1, 0]
    implementing.commit({"other.txt": "theirs\n"}, STORY)
    assert implementing.end()["rule"] == "report/invalid"
    implementing.hook("pre-commit", "exit 0")
    assert implementing.implement()["agent"] == "baton:qa"
    assert implementing.git("show", f"{STORY}:test_calc.py", f"{STORY}:other.txt") == "TEST = 1\ntheirs"


@pytest.mark.parametrize(("theirs", "agent"), [("calc.py", "baton:implementer"), ("other.py", "baton:qa")])
def test_work_conflicting_with_its_branch_merges_before_qa(implementing: Bench, theirs: str, agent: str) -> None:
    implementing.report()
    other = implementing.commit({theirs: "SUB = 2\n"}, STORY)
    assert implementing.end()["agent"] == agent
    assert (implementing.run.dispatched.merging != "") == (theirs == "calc.py")
    if theirs == "calc.py":
        assert "<<<<<<<" in (implementing.tree / theirs).read_text()
        assert implementing.implement()["agent"] == "baton:qa"
    implementing.git("merge-base", "--is-ancestor", other, STORY)
    assert implementing.git("show", f"{STORY}:test_calc.py") == "TEST = 1"


def test_a_refused_resolution_is_in_the_next_runs_tree(implementing: Bench) -> None:
    implementing.report()
    implementing.commit({"calc.py": "SUB = 2\n"}, STORY)
    implementing.end()
    implementing.hook("pre-commit", "exit 1")
    assert implementing.implement()["rule"] == "report/exhausted"
    implementing.answer("retry")
    implementing.hook("pre-commit", "exit 0")
    assert (implementing.tree / "calc.py").read_text() == "SUB = 1\n"
    assert implementing.implement()["agent"] == "baton:qa"
