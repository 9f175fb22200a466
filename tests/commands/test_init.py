"""What init settles: settings that are shown and never overwritten, and rules beside what is there."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baton.artifacts.config import Config
from baton.artifacts.load_config import read_config
from baton.artifacts.strict_yaml import load_yaml
from baton.checks.job import Checks
from baton.project import try_commands
from baton.project.permissions import command_rules
from bench import COMMANDS, SESSION, SETTINGS, Bench, call, new_bench
from hooks.run_trees import decide

OF_COMMANDS = [f"Bash({line}{suffix})" for line in COMMANDS.values() for suffix in ("", " *")]


def rules_of(bench: Bench) -> list[str]:
    """Return the rules a story needs here: the absolute place of the trees of its runs, and its commands."""
    return [f"Edit(/{bench.root}/.claude/worktrees/**)", *OF_COMMANDS]


@pytest.fixture
def plain(surrounded: Path, tmp_path: Path) -> Bench:
    """A repository without settings."""
    return new_bench(tmp_path / "plain", "")


def track(bench: Bench, files: dict[str, str]) -> None:
    """Write files, and have git track them."""
    bench.write(files)
    bench.git("add", "--all")


def local_settings(bench: Bench) -> Path:
    return bench.root / ".claude/settings.local.json"


def test_settings_are_shown_and_written_once(plain: Bench) -> None:
    first = plain.baton("init")
    text = (plain.root / ".baton.yaml").read_text(encoding="utf-8")
    assert first.out.startswith(text)
    assert first.out.splitlines()[-3:] == [
        "wrote .baton.yaml",
        "THEN git add .baton.yaml && git commit -m 'chore: settings of baton' -- .baton.yaml",
        "`baton init --allow` then lets agents edit their own work trees without asking you",
    ]
    assert plain.baton("init").out == "kept the existing .baton.yaml\n"


def test_the_written_file_is_read_as_settings(plain: Bench) -> None:
    said = plain.baton("init", "--json").json
    config = read_config(said["config"], ".baton.yaml")
    assert (set(said), said["written"]) == ({"config", "written", "tried", "warnings", "rules"}, True)
    assert (config.base, config.mode, config.commands) == ("main", "", {})


def settled(bench: Bench) -> Any:
    """Call init and give the commands it settled, after it has shown them."""
    said = bench.baton("init", "--no-try")
    text = (bench.root / ".baton.yaml").read_text(encoding="utf-8")
    assert said.out.startswith(text)
    assert read_config(text, ".baton.yaml").base == "main"
    return load_yaml(text).get("commands")


def test_the_commands_of_tracked_files_are_written(plain: Bench) -> None:
    plain.write({"package.json": '{"scripts": {"test": "t"}}', "workers/é: #1/go.mod": "", "new/go.mod": ""})
    plain.git("add", "package.json", "workers")
    assert settled(plain) == {
        "test": "npm run test",
        "prepush": [{"path": "workers/é: #1", "run": "go build ./... && go test ./..."}],
    }


def test_the_file_tells_found_commands_from_missing_ones(plain: Bench) -> None:
    plain.write({"Makefile": "test:\n\ttrue\n"})
    plain.git("add", "Makefile")
    settled(plain)
    assert (plain.root / ".baton.yaml").read_text().splitlines()[-4:] == [
        "commands: # run in a work tree of the commit, each confirmed once on this machine",
        "  # setup: (none found)",
        "  # build: (none found)",
        "  test: make test  # from Makefile",
    ]


def lines_of(bench: Bench, files: dict[str, str], *flags: str) -> tuple[list[str], list[str]]:
    """Call init on a project of these files; what was said of the commands, and the lines of its settings."""
    if missing := [one for one in ("make", "npm") if not shutil.which(one)]:
        pytest.skip(f"no {missing[0]} here")
    track(bench, files)
    bench.git("commit", "--quiet", "-m", "files")
    said, _, _ = bench.baton("init", *flags).out.rpartition("wrote .baton.yaml")
    text = (bench.root / ".baton.yaml").read_text()
    return said.removeprefix(text).strip().splitlines(), text.splitlines()


@pytest.mark.parametrize(("recipe", "told", "is_proposed"), [
    ("true", "test: passed", True), ("@echo bad; exit 3", "test: failed (bad)", True),
    ("@no-such-tool", "test: cannot run here (make: no-such-tool: ", False),
    ("@echo 'the input device is not a TTY'; exit 1", "test: cannot run here (the input ", False),
    ("@read x </dev/tty", "test: cannot run here (", False),
    ("@sh -c ./nope", "test: cannot run here (sh: ", False), ("@echo in /dev/tty; exit 1", "test: failed (", True),
    ("@echo x >>calc.py", "test: changes files (calc.py)", False),
])  # fmt: skip
def test_a_proposed_command_is_tried_on_base(recipe: str, told: str, is_proposed: bool, plain: Bench) -> None:
    said, lines = lines_of(plain, {"Makefile": f"test:\n\t{recipe}\n", "calc.py": "1\n"})
    assert said[0].startswith(told)
    how = "from Makefile" if is_proposed else told.removeprefix("test: ").partition(" (")[0]
    start = "  test: make test  # " if is_proposed else "  # test: make test  # "
    assert [line for line in lines if line.startswith(f"{start}{how}")]
    assert lines[2].startswith("commands:" if is_proposed else "# commands:")
    assert (plain.root / "calc.py").read_text() == "1\n"


def test_a_set_up_that_fails_leaves_the_rest_untried_and_proposed(plain: Bench) -> None:
    said, lines = lines_of(plain, {"requirements.txt": "-r none.txt\n", "test_a.py": "import pytest\n"})
    assert said[0].startswith("setup: failed (")
    assert said[1] == "test: not tried (setup failed)"
    assert "  test: .venv/bin/python -m pytest  # from test_a.py" in lines


def test_a_program_that_is_missing_makes_a_comment_though_the_set_up_failed(plain: Bench) -> None:
    scripts = '{"scripts": {"test": "true"}}'
    files = {"package.json": scripts, "pnpm-lock.yaml": "", "Makefile": "build:\n\ttrue\n"}
    if shutil.which("pnpm"):
        pytest.skip("pnpm is here")
    said, lines = lines_of(plain, files)
    why = "`pnpm` is not on this machine"
    assert said[1:3] == ["build: not tried (setup failed)", f"test: cannot run here ({why})"]
    assert "  build: make build  # from Makefile" in lines
    assert f"  # test: pnpm run test  # cannot run here: {why}" in lines


def test_no_try_or_a_client_tries_nothing(plain: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"Makefile": f"test:\n\ttouch {tmp_path}/ran\n"}
    assert lines_of(plain, files, "--no-try")[0] == []
    (plain.root / ".baton.yaml").unlink()
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "the commands were not tried: " in plain.baton("init").out
    assert not (tmp_path / "ran").exists()


SLOW = {"Makefile": "test:\n\tsleep 60\n"}


def left_of_trying(bench: Bench) -> list[str]:
    """Return what is there of a tree in which commands were tried."""
    trees = [line for line in bench.git("worktree", "list").splitlines() if "/check " in line]
    return trees + [str(path) for path in (bench.root / ".git/baton/.trees").glob("init*")]


@pytest.mark.parametrize(("test", "told", "folder"), [
    ("@test ! -e specs", "test: passed", "docs/specs"),  # as setuptools, which takes it for a package
    ("@! grep -rq --include=*.md -e '| --- |' .", "WARNING test fails beside the documents that", ""),
    ("@false", "test: failed", ""), ("@true", "test: passed", ""),
])  # fmt: skip
def test_commands_are_tried_beside_a_storys_documents(test: str, told: str, folder: str, plain: Bench) -> None:
    said, lines = lines_of(plain, {"Makefile": f"test:\n\t{test}\n"})
    assert any(line.startswith(told) for line in said)
    assert [line for line in lines if line.startswith("dir: ")] == (
        [f'dir: "{folder}" # of the stories\' documents: in specs/ they would break a command'] if folder else []
    )
    assert not (plain.root / "specs").exists()


def test_a_try_that_takes_too_long_is_ended(plain: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_commands, "TRY_SECONDS", 1)
    said, lines = lines_of(plain, SLOW)
    assert said[0].startswith("test: not tried (not done within ")
    assert "  test: make test  # from Makefile" in lines
    assert left_of_trying(plain) == []


def test_a_try_that_is_interrupted_leaves_nothing(plain: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(checks: Checks, seconds: float) -> None:
        assert left_of_trying(plain)
        raise KeyboardInterrupt

    monkeypatch.setattr(Checks, "wait", interrupt)
    track(plain, SLOW)
    assert plain.baton("init").code == 130
    assert left_of_trying(plain) == []
    assert not (plain.root / ".baton.yaml").exists()


def test_a_command_for_a_folder_missing_on_base_is_proposed_untried(plain: Bench) -> None:
    track(plain, {"new/go.mod": ""})
    assert "prepush in new: not tried (base has no such folder)\n" in plain.baton("init").out
    assert "    - path: new\n" in (plain.root / ".baton.yaml").read_text()


def test_a_command_that_cannot_run_is_a_comment_beside_one_that_can(plain: Bench) -> None:
    part = '{"scripts": {"test": "%s"}}'
    said, lines = lines_of(plain, {"a/package.json": part % "no-such-tool", "b/package.json": part % "true"})
    assert [one.partition(" (")[0] for one in said[:2]] == [
        "prepush in a: cannot run here",
        "prepush in b: passed",
    ]
    assert load_yaml("\n".join(lines))["commands"] == {"prepush": [{"path": "b", "run": "npm run test"}]}
    assert "    # - path: a" in lines


def test_a_warning_names_files_that_git_does_not_ignore(plain: Bench) -> None:
    recipes = "build:\n\ttouch y z.lock\ntest:\n\ttouch c d\n"
    said, _ = lines_of(plain, {"requirements.txt": "", "Makefile": recipes, ".gitignore": "d\n"})
    remedy = "which git does not ignore: add that to `.gitignore`, or commit it if it is a lock file"
    assert said[3:] == [
        f"WARNING setup makes .venv, {remedy}",
        f"WARNING build makes y, z.lock, {remedy}",
        f"WARNING test makes c, {remedy}",
    ]


def test_without_a_command_that_is_said(plain: Bench) -> None:
    said, _ = lines_of(plain, {"a.txt": ""})
    assert said == [
        "WARNING no command that builds or tests was found: name them in .baton.yaml, or nothing is run"
    ]


def test_where_no_command_that_was_found_can_run_that_is_said(plain: Bench) -> None:
    said, _ = lines_of(plain, {"Makefile": "test:\n\t@no-such-tool\n"})
    assert said[1:] == [
        "WARNING no command that builds or tests can run here: name them in .baton.yaml, or nothing is run"
    ]


def test_a_manifest_that_no_row_reads_is_named(plain: Bench) -> None:
    track(plain, {"mix.exs": ""})
    assert "# to check: saw mix.exs, which it cannot read: name the commands yourself\n" in plain.baton("init").out


UNREADABLE: dict[str, tuple[Callable[[Bench], object], str]] = {
    "a link": (lambda bench: (bench.root / "sub/package.json").symlink_to("go.mod"), "a symbolic link"),
    "too large": (lambda bench: bench.write({"sub/package.json": "x" * 1_000_001}), "larger than 1 MB"),
    "not UTF-8": (
        lambda bench: (bench.root / "sub/package.json").write_bytes(b"use \xff\n"),
        "not UTF-8 (byte 4)",
    ),
    "not there": (lambda bench: None, "cannot read (no such file or directory)"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_cannot_be_read_is_passed_over_in_a_comment(name: str, plain: Bench) -> None:
    plain.write({"sub/go.mod": "", "sub/package.json": "{}"})
    plain.git("add", "sub")
    (plain.root / "sub/package.json").unlink()
    UNREADABLE[name][0](plain)
    assert settled(plain) == {"prepush": [{"path": "sub", "run": "go build ./... && go test ./..."}]}
    last = (plain.root / ".baton.yaml").read_text().splitlines()[-1]
    assert last.startswith("# to check: sub/package.json: ")
    assert UNREADABLE[name][1] in last


def test_nothing_is_read_through_a_folder_that_is_a_link(plain: Bench) -> None:
    plain.write({"sub/package.json": '{"scripts": {"test": "t"}}'})
    plain.git("add", "sub")
    (plain.root / "sub").rename(plain.root.with_name("elsewhere"))
    (plain.root / "sub").symlink_to(plain.root.with_name("elsewhere"))
    assert settled(plain) is None
    assert "# to check: sub/package.json: below a symbolic link\n" in (plain.root / ".baton.yaml").read_text()


def test_the_last_words_are_said_however_much_was_found(plain: Bench, client: None) -> None:
    track(plain, {f"{n:02}{'x' * 90}/{'é' * 100}/go.mod": "" for n in range(20)})
    out = plain.baton("init", "--no-try").out
    assert "… the rest: .baton.yaml\n\n" in out
    assert "\nwrote .baton.yaml\nTHEN git add .baton.yaml" in out
    assert len(load_yaml((plain.root / ".baton.yaml").read_text())["commands"]["prepush"]) == 20


def test_a_name_that_is_no_text_is_passed_over(plain: Bench) -> None:
    folder = os.fsdecode(os.fsencode(plain.root) + b"/\xff")
    os.mkdir(folder)
    Path(folder, "go.mod").touch()
    plain.git("add", "--all")
    assert settled(plain) is None
    assert "# to check: \\udcff: has commands, but" in (plain.root / ".baton.yaml").read_text()


def test_the_base_is_the_branch_origin_calls_its_head(plain: Bench) -> None:
    plain.git("branch", "trunk")
    plain.git("update-ref", "refs/remotes/origin/trunk", "trunk")
    plain.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert read_config(plain.baton("init", "--json").json["config"], "x").base == "trunk"


@pytest.mark.parametrize(("text", "why"), [
    ("base: develop\n", ""), ("not: [valid\n", "not readable as YAML"), ("", ""), ("comands: {}\n", "comands"),
])  # fmt: skip
def test_settings_that_are_there_are_read_and_left_as_they_are(text: str, why: str, plain: Bench) -> None:
    plain.write({".baton.yaml": text})
    said = plain.baton("init", "--json")
    assert why in said.refused if why else said.json["written"] is False
    assert (plain.root / ".baton.yaml").read_text() == text


@pytest.mark.parametrize("target", ["elsewhere.yaml", "missing.yaml"])
def test_a_link_is_never_written_through_or_replaced(target: str, plain: Bench) -> None:
    plain.write({"elsewhere.yaml": "base: main\n"})
    (plain.root / ".baton.yaml").symlink_to(target)
    said = plain.baton("init")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert (plain.root / ".baton.yaml").is_symlink()


def test_without_a_commit_there_is_nothing_to_settle(plain: Bench) -> None:
    plain.git("switch", "--quiet", "--orphan", "empty")
    plain.git("branch", "--quiet", "-D", "main")
    assert plain.baton("init").refused.startswith("baton: no commit yet at ")


# Rules


def test_rules_are_added_only_when_asked_for(bench: Bench) -> None:
    bench.baton("init")
    assert not local_settings(bench).exists()
    assert bench.baton("init", "--allow", "--json").json["rules"] == rules_of(bench)
    assert json.loads(local_settings(bench).read_text()) == {"permissions": {"allow": rules_of(bench)}}


IN_A_CLIENT: list[dict[str, str]] = [
    {"CLAUDECODE": "1"},
    {"BATON_HOOKS": "1"},
    {"CLAUDECODE": "1", "BATON_HOOKS": "1"},
]


@pytest.mark.parametrize("shell", [*IN_A_CLIENT, {}])
def test_rules_need_a_user_to_say_so(shell: dict[str, str], bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in shell.items():
        monkeypatch.setenv(name, value)
    said = call("--project", str(bench.root), "init", "--allow", terminal=bool(shell))
    assert "a `!` line cannot be told from a model's call" in said.refused
    program = re.findall("type `(.*) init --allow`", said.refused)[0]
    assert os.access(program, os.X_OK)
    assert not local_settings(bench).exists()


def test_the_call_that_the_client_asked_about_writes_the_rules_once(bench: Bench, in_client: None) -> None:
    asked = decide("baton init --allow", cwd=str(bench.root), session_id=SESSION)
    words = shlex.split(str(asked["updatedInput"]["command"]))[1:]
    assert call("--project", str(bench.root), *words).code == 0
    assert local_settings(bench).exists()
    assert "outside of the client" in call("--project", str(bench.root), *words).refused


def test_rules_come_from_the_base_branch_alone(bench: Bench) -> None:
    bench.git("switch", "--quiet", "-c", "fork")
    bench.commit({".baton.yaml": f"{SETTINGS}commands: {{test: curl evil}}\n"}, "fork")
    bench.baton("init", "--allow")
    assert "curl" not in local_settings(bench).read_text()


@pytest.mark.parametrize("is_ignored", [False, True])
def test_local_settings_do_not_show_in_the_status(is_ignored: bool, bench: Bench) -> None:
    bench.write({".git/info/exclude": "/my.env\n" + "/.claude/\n" * is_ignored})
    bench.baton("init", "--allow")
    assert ".claude" not in bench.git("status", "--porcelain")
    assert (bench.root / ".claude/.gitignore").exists() != is_ignored


def test_a_list_of_ignored_files_that_is_there_is_yours(bench: Bench) -> None:
    bench.write({".claude/.gitignore": "mine\n"})
    bench.baton("init", "--allow")
    assert (bench.root / ".claude/.gitignore").read_text() == "mine\n"


def test_rules_are_added_once(bench: Bench) -> None:
    bench.baton("init", "--allow")
    before = local_settings(bench).read_bytes()
    assert bench.baton("init", "--allow").out.splitlines()[-2] == "no rule was missing"
    assert local_settings(bench).read_bytes() == before


def test_the_status_line_is_shown_and_never_set(bench: Bench) -> None:
    line = bench.baton("init", "--allow").out.splitlines()[-1]
    setting = json.loads(f"{{{line.partition('.json: ')[2]}}}")["statusLine"]
    done = subprocess.run(["sh", "-c", setting["command"]], cwd=bench.root, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "statusLine" not in local_settings(bench).read_text() + bench.baton("init").out


def test_everything_that_was_there_is_kept(bench: Bench) -> None:
    edit, *others = rules_of(bench)
    there: Any = {
        "model": "ü",
        "permissions": {"deny": ["Read(./.env)"], "allow": ["Bash(ls)", edit], "defaultMode": "default"},
        "hooks": {"Stop": []},
    }
    bench.write({".claude/settings.local.json": json.dumps(there)})
    bench.baton("init", "--allow")
    there["permissions"]["allow"] += others
    assert json.loads(local_settings(bench).read_text(encoding="utf-8")) == there


@pytest.mark.parametrize(
    "text",
    ["{", "", "[]", '{"permissions": []}', '{"permissions": {"allow": {}}}', '{"a": 1, "a": 2}', "// note\n{}"],
)
def test_settings_the_client_did_not_write_are_refused_and_kept(text: str, bench: Bench) -> None:
    bench.write({".claude/settings.local.json": text})
    said = bench.baton("init", "--allow")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert said.err.startswith("baton: not settings as the client writes them (")
    assert local_settings(bench).read_text() == text


def test_a_command_a_rule_cannot_name_gets_none(surrounded: Path, tmp_path: Path) -> None:
    settings = f"{SETTINGS}commands: {{build: 'make && make more', test: 'pytest -q'}}\n"
    bench = new_bench(tmp_path / "other", settings)
    rules = bench.baton("init", "--allow", "--json").json["rules"]
    assert rules[1:3] == ["Bash(pytest)", "Bash(pytest *)"]


@pytest.mark.parametrize(("line", "allowed"), [
    ("python3 -m unittest -q", ["python3"]), ("pytest -q", ["pytest", "python -m pytest", "python3 -m pytest"]),
    ("npm test", ["npm test"]), ("cargo test --workspace", ["cargo test"]), ("go test ./...", ["go test"]),
    ("uv run pytest -q", ["uv run pytest"]), ("./gradlew check", ["./gradlew check"]),
    ("sh tools/test.sh", ["sh tools/test.sh"]), ("pnpm -r test", ["pnpm -r test"]), ("make", ["make"]),
])  # fmt: skip
def test_rules_name_a_command_as_agents_call_it(line: str, allowed: list[str]) -> None:
    rules = command_rules(Config(commands={"test": line}))
    assert rules == [f"Bash({name}{more})" for name in allowed for more in ("", " *")]


def test_a_second_checkout_gets_the_rule_for_the_place_of_all_trees(bench: Bench) -> None:
    rules = Bench(bench.beside).baton("init", "--allow", "--json").json["rules"]
    assert rules[0] == rules_of(bench)[0]


def test_in_a_bare_layout_the_trees_lie_under_the_bare_repository(bench: Bench, tmp_path: Path) -> None:
    top, checkout = tmp_path / "bare.git", Bench(tmp_path / "checkout")
    bench.git("clone", "--quiet", "--bare", str(bench.root), str(top))
    Bench(top).git("worktree", "add", "--quiet", str(checkout.root), "main")
    rules = checkout.baton("init", "--allow", "--json").json["rules"]
    assert rules[0] == f"Edit(/{top}/.claude/worktrees/**)"
