"""What is wrong is found and named, with what fixes it; what is well is left as it is."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.journal.journal_head import head_of
from baton.project.installed_client import PLUGIN
from bench import SETTINGS, Bench, call
from programs import write_program

pytestmark = pytest.mark.sampled(20)


def damage(bench: Bench) -> bytes:
    """Change one byte in the middle of the journal; gives what it is now."""
    data = bytearray(bench.journal.read_bytes())
    data[len(data) // 2] ^= 1
    bench.journal.write_bytes(data)
    return bytes(data)


def names(bench: Bench, *words: str, ok: bool = False) -> list[str]:
    return [one["name"] for one in bench.baton("doctor", "--json", *words).json["checks"] if one["ok"] is ok]


def test_objects_that_are_shown_as_others_are_named(implementing: Bench) -> None:
    implementing.git("replace", implementing.folder.branch, "main")
    said = implementing.baton("doctor")
    assert (said.code, "git shows other content than is kept, for 1 object" in said.out) == (1, True)


def test_a_repository_in_order_has_no_problem(implementing: Bench) -> None:
    said = implementing.baton("doctor")
    assert (said.code, said.err, "PROBLEM" in said.out) == (0, "", False)
    assert {
        "plugin",
        "python",
        "hook",
        "git",
        "gh",
        "client",
        "settings",
        "repository",
        "stories",
        "state",
        "work trees",
        "check trees",
        "story 42",
    } == set(names(implementing, ok=True))


def test_a_plugin_that_is_a_checkout_is_compared_with_its_commit(implementing: Bench) -> None:
    plugin = next(one for one in implementing.baton("doctor", "--json").json["checks"] if one["name"] == "plugin")
    assert ("commit has" in plugin["what"]) is (PLUGIN / ".git").exists()


DENIES = {"permissionDecision": "deny", "permissionDecisionReason": "baton: no plain call"}
# Pythons by which the launcher finds the hook's part of the program, and what it then says.
HOOKS = {
    "that denies": (f"echo '{json.dumps({'hookSpecificOutput': DENIES})}'", "baton: no plain call"),
    "that is silent": ("exit 0", "it says nothing"),
}


@pytest.mark.parametrize(("text", "why"), HOOKS.values(), ids=HOOKS)
def test_a_hook_that_stops_a_hand_in_is_a_problem(
    text: str, why: str, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = write_program(tmp_path / "python", f"case $* in *launch.py*) {text} ;; *) echo 3.11 ;; esac")
    assert "hook" in names(bench, ok=True)
    monkeypatch.setenv("BATON_PYTHON", str(python))
    assert names(bench) == ["hook"]
    assert f"PROBLEM hook: it does not let an agent hand in: {why}\n" in bench.baton("doctor").out
    monkeypatch.setenv("BATON_HOOKS", "1")  # in the client's shells, where a session's start said which Python
    assert "hook" in names(bench, ok=True)


def test_outside_of_a_repository_it_looks_at_the_machine(tmp_path: Path) -> None:
    said = call("--project", str(tmp_path), "doctor")
    first, remedy, *rest = said.out.splitlines()
    assert (said.code, first) == (1, f"PROBLEM repository: not inside a git work tree at {tmp_path}")
    assert "call baton from one" in remedy
    assert {"python", "hook", "plugin", "git", "gh", "client"} <= {line.split()[1].rstrip(":") for line in rest}
    assert call("--project", str(tmp_path), "doctor", "42").refused.startswith("baton: not inside a git work tree")


def test_a_cache_that_cannot_be_written_to_is_a_problem(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, access = tmp_path / "cache", os.access
    cache.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    assert "check trees" in names(bench, ok=True)
    # Root may write anywhere.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != cache and access(path, mode))
    assert "check trees" in names(bench)


def test_problems_come_first_each_with_its_remedy(bench: Bench) -> None:
    bench.configure("base: develop\n")
    said = bench.baton("doctor")
    assert (said.code, said.out.splitlines()[0]) == (
        1,
        "PROBLEM settings: no branch develop at .baton.yaml on main",
    )
    assert "make it, `git branch develop`" in said.out.splitlines()[1]


def test_a_command_whose_program_is_not_here_is_a_problem_of_one_line(bench: Bench) -> None:
    bench.configure(f"{SETTINGS}commands: {{setup: no-such sync, build: exit 0, test: no-such run}}\n")
    said = bench.baton("doctor").out
    assert [line for line in said.splitlines() if line.startswith("PROBLEM")] == [
        "PROBLEM setup: `no-such` is not on this machine",
        "PROBLEM test: `no-such` is not on this machine",
    ]


def test_a_program_that_the_set_up_may_install_is_a_problem_only_where_it_did_not(bench: Bench) -> None:
    make = "mkdir -p .venv/bin && touch .venv/bin/no-such && chmod +x .venv/bin/no-such"
    bench.configure(f"{SETTINGS}commands: {{setup: {make}, build: no-such, test: not-either}}\nnotify: no-bell\n")
    assert names(bench) == ["notify"]
    warnings = bench.begin()["warnings"]
    assert [one for one in warnings if "machine" in one] == [
        "`not-either` is not on this machine: test cannot run"
    ]
    assert names(bench) == ["test", "notify"]


def test_settings_that_cannot_be_read_are_a_problem_and_the_rest_is_still_looked_at(bench: Bench) -> None:
    bench.configure("base: [main\n")
    assert "settings" in names(bench)
    assert {"python", "git"} <= set(names(bench, ok=True))


def test_a_fault_of_the_settings_is_reported_once(bench: Bench) -> None:
    bench.configure("base: main\nbudget: {usd: -1}\n")
    assert names(bench) == ["settings"]


def test_settings_that_are_not_committed_are_named(bench: Bench) -> None:
    bench.configure(SETTINGS)
    assert "not as in your checkout" not in bench.baton("doctor").out
    bench.write({".baton.yaml": f"{SETTINGS}notify: cat\n"})
    assert "read as committed on main, not as in your checkout" in bench.baton("doctor").out


@pytest.mark.parametrize(
    ("line", "found"),
    [("integrate: {mode: merge}", 2), ("ask_on: github", 2), ("integrate: {mode: local}", 0)],
)
def test_settings_that_name_github_need_gh_and_a_remote(
    line: str, found: int, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("baton.story.status.doctor", "baton.github.access"):
        monkeypatch.setattr(f"{module}.which", lambda name: None)
    bench.configure(f"base: main\n{line}\n")
    assert names(bench) == ["github"] * found
    assert "not installed: issues and pull requests on GitHub need it" in bench.baton("doctor").out


def test_a_state_that_cannot_be_written_is_a_problem(implementing: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "baton.story.status.doctor.os.access", lambda path, _: path != implementing.journal.parents[1]
    )
    assert names(implementing) == ["state"]


def test_state_that_anybody_may_write_to_is_a_problem(implementing: Bench) -> None:
    folder = implementing.journal.parents[1]
    folder.chmod(0o777)
    assert names(implementing) == ["state"]
    folder.chmod(0o755)
    assert names(implementing) == []


def test_a_damaged_journal_is_named_with_its_byte_and_the_way_out(implementing: Bench) -> None:
    implementing.new()
    damage(implementing)
    said = implementing.baton("doctor", "42")
    assert (said.code, said.out.startswith("PROBLEM story 42: damaged journal (")) == (1, True)
    assert ", byte " in said.out
    assert "`baton doctor 42 --set-aside`" in said.out


def test_a_damaged_journal_is_kept_and_the_story_goes_on_from_its_plan(implementing: Bench) -> None:
    implementing.work(1)
    data = damage(implementing)
    said = implementing.baton("doctor", "42", "--set-aside", "--json")
    assert Path(said.json["kept"]).read_bytes() == data
    step = implementing.next()
    assert (step["rule"], step["resume"]["resume_phase"]) == ("start/adopted", "2")


LOSSES: dict[str, Callable[[Path], object]] = {
    "cut": lambda journal: journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-2])),
    "emptied": lambda journal: journal.write_bytes(b""),
    "gone": lambda journal: journal.unlink(),
    "put back": lambda journal: journal.write_bytes(journal.read_bytes().replace(b"Subtract", b"Multiply")),
    "a head of nothing": lambda journal: head_of(journal).write_bytes(b""),
    "a linked journal": lambda journal: journal.with_name("other").hardlink_to(journal),
    "a linked lock": lambda journal: journal.with_name("other").hardlink_to(journal.with_name("lock")),
}


@pytest.mark.parametrize("lose", LOSSES.values(), ids=list(LOSSES))
def test_a_journal_that_is_not_believed_is_a_problem(implementing: Bench, lose: Callable[[Path], object]) -> None:
    assert names(implementing) == []
    lose(implementing.journal)
    assert names(implementing) == ["story 42"] == names(implementing, "42")
    assert implementing.baton("doctor").code == implementing.baton("doctor", "42").code == 1


@pytest.mark.parametrize("name", ["cut", "emptied", "gone"])
def test_set_aside_moves_a_damaged_journal_with_its_head(implementing: Bench, name: str) -> None:
    implementing.work(1)
    LOSSES[name](implementing.journal)
    assert implementing.baton("doctor", "42", "--set-aside").code == 0
    assert not head_of(implementing.journal).exists()
    assert implementing.next()["rule"] == "start/adopted"


def test_a_journal_of_a_newer_baton_is_not_set_aside(implementing: Bench) -> None:
    implementing.rewrite(version=99)
    said, kept = implementing.baton("doctor", "42"), implementing.baton("doctor", "42", "--set-aside")
    assert (said.code, "restart this session" in said.out, "--set-aside" in said.out) == (1, True, False)
    assert (kept.code, implementing.journal.exists()) == (2, True)


def test_a_lock_that_is_a_link_is_a_problem(implementing: Bench) -> None:
    (implementing.root / "precious").write_text("precious")
    (implementing.journal.parents[1] / "new.lock").unlink()
    (implementing.journal.parents[1] / "new.lock").hardlink_to(implementing.root / "precious")
    assert names(implementing) == ["state"]
    assert "it is a hard link" in implementing.baton("story", "new", "Another", "--criterion", "x").refused
    assert (implementing.root / "precious").read_text() == "precious"


def test_a_whole_journal_is_not_set_aside(implementing: Bench) -> None:
    before = implementing.journal.read_bytes()
    assert "nothing is wrong with it" in implementing.baton("doctor", "42", "--set-aside").refused
    assert implementing.journal.read_bytes() == before


def test_a_torn_last_line_is_no_problem_and_is_left_to_the_next_step(implementing: Bench) -> None:
    with implementing.journal.open("ab") as file:
        file.write(b'{"seq"')
    assert (implementing.baton("doctor", "42").code, names(implementing)) == (0, [])
    assert implementing.journal.read_bytes().endswith(b'{"seq"')


@pytest.mark.parametrize("words", [("--set-aside",), ("43",), ("no/id",)])
def test_a_wrong_call_is_one_line(implementing: Bench, words: tuple[str, ...]) -> None:
    said = implementing.baton("doctor", *words)
    assert (said.code in (1, 2), said.err.count("\n") + said.out.count("PROBLEM")) == (True, 1)


def test_a_work_tree_of_a_story_that_is_over_is_a_problem_with_what_removes_it(implementing: Bench) -> None:
    tree = implementing.tree
    assert "work trees" in names(implementing, ok=True)
    shutil.rmtree(implementing.journal.parent)
    said = implementing.baton("doctor")
    assert (said.code, f"`git worktree remove {tree}`" in said.out) == (1, True)
    implementing.git("worktree", "remove", str(tree))
    assert implementing.baton("doctor").code == 0


def test_the_command_that_removes_a_changed_tree_works_and_says_what_is_lost(planning: Bench) -> None:
    planning.edit({"notes.md": "mine\n"})
    tree = planning.tree
    shutil.rmtree(planning.journal.parent)
    said = planning.baton("doctor")
    assert f"`git worktree remove --force {tree}` (what is changed in it is in no commit: copy" in said.out
    planning.git("worktree", "remove", "--force", str(tree))
    assert planning.baton("doctor").code == 0


# The client's module


@pytest.mark.parametrize(("settings", "environment", "said"), [
    ({}, {}, "by its module, without a model between steps"),
    ({}, {"AI_AGENT": "claude-code_2-1-280_x"}, "Claude Code 2.1.330 or newer runs it"),
    ({}, {"BATON_MODULE": "off"}, "is off: BATON_MODULE=off"),
    ({"env": {"BATON_MODULE": "off"}}, {}, "BATON_MODULE=off in /"),
    ({"disableAllHooks": True}, {}, "`disableAllHooks` in /"),
])  # fmt: skip
def test_it_says_what_turns_the_module_off(
    settings: object, environment: dict[str, str], said: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write({".claude/settings.local.json": json.dumps(settings), ".claude/settings.json": "[" * 9999})
    for name, value in {"AI_AGENT": "claude-code_2-1-330_harness", **environment}.items():
        monkeypatch.setenv(name, value)
    out = bench.baton("doctor").out
    assert said in next(line for line in out.splitlines() if line.startswith("ok      client: "))


def test_a_client_that_has_no_agents_is_a_problem(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")
    assert "PROBLEM client: with --bare it has no Agent tool" in bench.baton("doctor").out


# What git would refuse


def leave_a_lock(bench: Bench) -> None:
    lock = bench.root / ".git/refs/heads/story/42-subtract-numbers.lock"
    lock.touch()
    os.utime(lock, (0, 0))


def lose_the_branch(bench: Bench) -> None:
    commit = bench.git("rev-parse", bench.folder.branch)
    (bench.root / f".git/objects/{commit[:2]}/{commit[2:]}").unlink()


def damage_the_index(bench: Bench) -> None:
    (bench.root / ".git/worktrees" / bench.tree.name / "index").write_bytes(b"nothing")


def sign_by_nothing(bench: Bench) -> None:
    bench.git("config", "commit.gpgsign", "true")
    bench.git("config", "gpg.program", "false")


def make_base_anew(bench: Bench) -> None:
    bench.git("checkout", "--quiet", "--orphan", "anew")
    bench.git("commit", "--quiet", "--message", "anew")
    bench.git("branch", "--force", "main", "anew")


REFUSED = {
    "a lock": (leave_a_lock, "locks that git left"), "a lost commit": (lose_the_branch, "are gone"),
    "a damaged index": (damage_the_index, "damaged"), "a key": (sign_by_nothing, "`false` does not sign"),
    "hooks that are made": (lambda bench: bench.git("config", "core.hooksPath", ".husky/_"), "no fresh work tree"),
    "a base made anew": (make_base_anew, "no commit in common"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "said"), REFUSED.values(), ids=REFUSED)
def test_doctor_names_what_git_would_refuse(spoil: Callable[[Bench], object], said: str, micro: Bench) -> None:
    assert micro.tree
    micro.configure(SETTINGS)
    assert micro.baton("doctor").code == 0
    spoil(micro)
    told = micro.baton("doctor")
    assert (told.code, said in told.out) == (1, True)


def test_submodules_that_nothing_fills_are_told(bench: Bench) -> None:
    assert "submodules" not in bench.baton("doctor").out
    bench.commit({".gitmodules": "", ".baton.yaml": SETTINGS})
    assert "`setup: git submodule update --init`" in bench.baton("doctor").out
