"""What reaches base has passed one gate, whoever put it on the story branch, and by whatever way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baton.git.submodules import edited_in
from bench import DELIVERED, FOLDER, PLAN, STORY, VERDICT, Bench, CallResult, new_bench, report_on
from conftest import begin_small
from scenes import drive_to_judging

pytestmark = pytest.mark.sampled(20)

# Put together, so that no search for secrets finds them here.
KEY = "RSA PRIVATE " + "KEY"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
BLOCK = f"-----BEGIN {KEY}-----\nMIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9Oi{{}}\n-----END {KEY}-----\n"
PUTTY = f"Private-Lines: 2\n{'AAABAFEV3Tz2mr7SZiAMfQyuvBjM9Oi8q'}\n{{}}\nPrivate-MAC: 1\n"
COOKIE = "Cookie:\n  session=a1B2c3D4e5F6g7H8i9J0k1L2m3N4{}\n"
BEARER = "Authorization: Bearer\n  a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6{}\n"


def put(bench: Bench, *changes: str, says: str = "more", branch: str = STORY) -> None:
    """Commit on the story branch as a stranger to baton does."""
    head = f"commit refs/heads/{branch}\ncommitter B <b@example.com> 1700000000 +0000\n"
    message = f"data {len(says.encode())}\n{says}\nfrom refs/heads/{branch}^0\n"
    bench.git("fast-import", "--quiet", "--force", stdin=f"{head}{message}" + "\n".join(changes) + "\n")


def file(name: str, text: str = "x\n", mode: str = "100644") -> str:
    return f"M {mode} inline {name}\ndata {len(text.encode())}\n{text}"


def land(bench: Bench) -> Any:
    """Have QA pass the story as it is, as often as it is started."""
    step = bench.next()
    while bench.state.stage == "running":
        step = bench.judge()
    return step


def merge_without_changes(bench: Bench, other: str) -> None:
    """Put a merge on the story branch that takes nothing of its other side."""
    tree = bench.git("rev-parse", f"{STORY}^{{tree}}")
    merge = bench.git("commit-tree", "-p", STORY, "-p", other, "-m", "ours", tree)
    bench.git("update-ref", f"refs/heads/{STORY}", merge)


OUT = "a link that leads out of the repository"


@pytest.mark.parametrize(("change", "told"), [
    (file(".github/workflows/x.yml"), ".github/workflows/x.yml"),
    (file(f"{FOLDER}/.claude/settings.json"), "settings.json"),
    (file("keys.py", f"KEY = '{TOKEN}'\n"), "(GitHub token) in keys.py, line 1"),
    (file(f"{FOLDER}/note.md", f"KEY = '{TOKEN}'\n"), "(GitHub token)"),
    (file(f"docs/{TOKEN}.md"), "(GitHub token) in a file's name in docs, line 1"),
    ("D calc.py", "calc.py is gone, which no report names"),
    ("R .gitignore ignore.txt", ".gitignore is gone"),
    (file("a", "/etc/passwd", "120000"), "a, a link that leads out of the repository: /etc/passwd"),
    (file("lib/a", "../../x", "120000"), "a link that leads out"),
    (file("lib/a", "../.git/config", "120000"), "a link that leads out"),
    (file("in/out", "..", "120000") + "\n" + file("a", "in/out/../x", "120000"), f"a, {OUT}: in/out/../x"),
    (file("a", "b", "120000") + "\n" + file("b", "lib/../../x", "120000"), f"a, {OUT}: b"),
    (file("Calc.py/x"), "Calc.py, which some file systems take for calc.py"),
    (file("lib/one") + "\n" + file("Lib/two"), "Lib, which some file systems take for lib"),
    (file("Calc.py"), "Calc.py, which some file systems take for calc.py"),
    (f"M 160000 {'1' * 40} lib", "lib, a submodule at 111111111111, which no remote is known to have"),
])  # fmt: skip
def test_others_commits_on_the_story_branch_are_asked_about(change: str, told: str, judging: Bench) -> None:
    before = judging.git("rev-parse", "main")
    put(judging, change)
    step = land(judging)
    assert (step["rule"], told in step["reason"], judging.git("rev-parse", "main")) == (
        "integrate/gate", True, before,
    )  # fmt: skip
    assert TOKEN not in str(step)
    assert judging.answer("accept")["action"] == "complete"


@pytest.mark.parametrize("change", [
    file("more.py"), file("docs/build.yml"), file("lib/a", "../calc.py", "120000"), file("calc.py", "other\n"),
    file("in/out", "..", "120000") + "\n" + file("a", "in/out/calc.py", "120000"), file("docs/calc.py"),
    file("keys.py", "KEY = 'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'\n"), file("calc2.py"),
])  # fmt: skip
def test_what_is_a_plain_change_lands_unasked(change: str, judging: Bench) -> None:
    put(judging, change)
    assert land(judging)["action"] == "complete"


Hide = Callable[[Bench], None]
KEYS = file("keys.py", f"KEY = '{TOKEN}'\n")


def merge_a_side(bench: Bench) -> None:
    bench.git("branch", "side", STORY)
    put(bench, KEYS, branch="side")
    merge_without_changes(bench, "side")


def merge_a_root(bench: Bench) -> None:
    bench.git("config", "log.showRoot", "false")
    blob = bench.git("hash-object", "-w", "--stdin", stdin=f"KEY = '{TOKEN}'\n")
    tree = bench.git("mktree", stdin=f"100644 blob {blob}\tkeys.py\n")
    merge_without_changes(bench, bench.git("commit-tree", "-m", "root", tree))


def merge_three(bench: Bench) -> None:
    """Merge two sides with a tree that has a secret which no side has; then take it out."""
    for name, change in (("one", file("one.py")), ("two", file("two.py")), ("aside", KEYS)):
        bench.git("branch", name, STORY)
        put(bench, change, branch=name)
    sides = (f"-p{parent}" for parent in (STORY, "one", "two"))
    bench.git("update-ref", f"refs/heads/{STORY}", bench.git("commit-tree", *sides, "-m", "x", "aside^{tree}"))
    put(bench, "D keys.py")


def commits(*changes: str, says: str = "more") -> Hide:
    """Return what commits these changes, one after the other."""

    def commit(bench: Bench) -> None:
        for change in changes:
            put(bench, change, says=says)

    return commit


IN_MESSAGE, IN_HISTORY = "(GitHub token) in the message of", "(GitHub token) in a commit, of keys.py"
NAMED = f".github/{TOKEN}.md"
SECRETS: dict[str, tuple[Hide, str]] = {
    "in a message": (commits(file("more.py"), says=f"use {TOKEN}"), IN_MESSAGE),
    "in what looks like a merged tag": (
        commits(file("more.py"), says=f"t\n\nmergetag {TOKEN}\n ok\n"),
        IN_MESSAGE,
    ),
    "in what looks like a signature": (commits(file("more.py"), says=f"t\n\ngpgsig x\n {TOKEN}\n"), IN_MESSAGE),
    "taken out later": (commits(KEYS, "D keys.py"), IN_HISTORY),
    "on a side that a merge throws away": (merge_a_side, IN_HISTORY),
    "in a root that log does not show": (merge_a_root, IN_HISTORY),
    "in a merge of three": (merge_three, IN_HISTORY),
    "in a file's name that is deleted later": (commits(file(NAMED), f"D {NAMED}"), "a file's name in .github"),
    "in a protected file's name": (commits(file(NAMED)), "a file in .github"),
}


@pytest.mark.parametrize(("hide", "told"), SECRETS.values(), ids=SECRETS)
def test_a_secret_is_asked_about_wherever_it_lies_and_not_told(hide: Hide, told: str, judging: Bench) -> None:
    hide(judging)
    step = land(judging)
    assert (step["rule"], told in step["reason"], TOKEN in str(step)) == ("integrate/gate", True, False)


LINKS: dict[str, tuple[list[str], list[str], str]] = {
    "what a protected link leads to": (
        [file("CLAUDE.md", "docs/guide.md", "120000"), file("docs/guide.md", "one\n")],
        [file("docs/guide.md", "two\n")], "docs/guide.md, to which CLAUDE.md leads"),
    "one that leads out because another went": (
        [file("p/q/r/x"), file("s", "p/q/r", "120000"), file("a", "s/../../../calc.py", "120000")],
        ["D s", file("s/x")], f"a, {OUT}"),
}  # fmt: skip


@pytest.mark.parametrize(("on_base", "change", "told"), LINKS.values(), ids=LINKS)
def test_a_link_of_base_is_followed(on_base: list[str], change: list[str], told: str, bench: Bench) -> None:
    put(bench, *on_base, branch="main")
    bench.git("reset", "--quiet", "--hard")
    drive_to_judging(bench)
    put(bench, *change)
    assert told in land(bench)["reason"]


@pytest.mark.parametrize(("other", "rule"), [
    (file("more.py"), "close/done"), (file("Jenkinsfile", "two\n"), "integrate/gate"),
    (file("Jenkinsfile", "one\n", "100755"), "integrate/gate"),
], ids=["another file", "other bytes", "another mode"])  # fmt: skip
def test_what_was_allowed_is_asked_again_for_other_bytes_alone(other: str, rule: str, judging: Bench) -> None:
    put(judging, file("Jenkinsfile", "one\n"))
    assert land(judging)["rule"] == "integrate/gate"
    put(judging, other)
    judging.answer("accept")
    assert land(judging)["rule"] == rule


@pytest.mark.parametrize("text", [BLOCK, PUTTY, BEARER, COOKIE])
def test_another_key_is_not_allowed_because_it_begins_alike(text: str, judging: Bench) -> None:
    put(judging, file("one.pem", text.format("3Qb1aXc")))
    assert land(judging)["rule"] == "integrate/gate"
    put(judging, file("two.pem", text.format("9Zk7wYv")))
    judging.answer("accept")
    assert "two.pem" in land(judging)["reason"]


def test_what_a_run_was_allowed_is_not_asked_about_again(implementing: Bench) -> None:
    implementing.edit({".github/workflows/ci.yml": "on: push\n"})
    assert implementing.implement()["rule"] == "run/protected"
    implementing.answer("accept")
    assert land(implementing)["action"] == "complete"


def test_what_base_brought_is_not_asked_about(judging: Bench) -> None:
    judging.commit({".github/workflows/ci.yml": "on: push\n"})
    judging.delete(".gitignore")
    assert land(judging)["action"] == "complete"


@pytest.mark.parametrize(("name", "rule"), [("test_old.py", "integrate/gate"), ("old.py", "close/done")])
def test_a_test_only_its_run_saw_go_is_asked_about_even_if_named(name: str, rule: str, bench: Bench) -> None:
    bench.commit({name: "x\n"})
    begin_small(bench)
    (bench.tree / name).unlink()
    bench.insist("micro-delivery-report", DELIVERED.format("PASS", "seen").replace("test_calc.py", name))
    assert bench.end()["rule"] == rule


# At the hand-in, where the run can still fix it


def refused(said: CallResult) -> list[str]:
    """Return the rules for which a hand-in was refused."""
    return [one["rule"] for one in said.json["findings"] if one["severity"] == "error"]


def report(bench: Bench, *names: str) -> CallResult:
    """Be the implementer for all phases, and hand in a report that names these files, too."""
    return bench.report(report_on("test_calc.py", *names))


@pytest.mark.parametrize(("kind", "text"), [
    ("plan", PLAN.replace("none", f"the key is {TOKEN}", 1)),
    ("plan-blocked", f"# Blocked\n\n## Reason\n\n{TOKEN} is refused\n"),
])  # fmt: skip
def test_an_artifact_with_a_secret_is_refused_twice(kind: str, text: str, planning: Bench) -> None:
    for _ in range(2):
        said = planning.hand_in(kind, text)
        assert ("secret" in refused(said), TOKEN in said.out) == (True, False)
    assert "secret" not in planning.hand_in(kind, text).out


def test_a_secret_that_a_report_keeps_is_asked_about_before_the_merge(judging: Bench) -> None:
    judging.insist("qa-report", VERDICT.format("PASS", f"with {TOKEN}"))
    step = judging.end()
    assert (step["rule"], "42.qa-report.md" in step["reason"]) == ("integrate/gate", True)
    assert judging.answer("accept")["action"] == "complete"


@pytest.mark.parametrize(("to", "rules"), [("/etc/passwd", ["link"]), ("../x", ["link"]), ("calc.py", [])])
def test_a_link_that_leads_out_is_refused(to: str, rules: list[str], implementing: Bench) -> None:
    (implementing.tree / "a").symlink_to(to)
    assert refused(report(implementing)) == rules


def test_a_name_that_differs_by_case_alone_is_refused(implementing: Bench) -> None:
    implementing.edit({"Calc.py": "x\n"})
    assert refused(report(implementing)) == ["twin"]


def test_what_git_does_not_take_is_refused_by_name_and_stops_nothing(implementing: Bench) -> None:
    implementing.edit({".giT/evil": "x\n", "more.py": "MORE = 1\n"})
    said = report(implementing)
    assert (refused(said), "`.giT/evil`" in said.out) == (["commit-hook"], True)
    assert implementing.implement()["action"] == "spawn"


def test_a_file_that_git_ignores_is_named_with_what_ignores_it(implementing: Bench) -> None:
    implementing.edit({"debug.log": "x\n"})
    said = report(implementing, "debug.log")
    assert (refused(said), "debug.log is ignored by `.gitignore:1:*.log`" in said.out) == (["changes"], True)


def test_work_inside_a_submodule_is_named(bench: Bench, tmp_path: Path) -> None:
    library = new_bench(tmp_path / "library")
    bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "lib")
    assert edited_in(bench.root) == []
    bench.write({"lib/calc.py": "other\n"})
    assert edited_in(bench.root) == ["lib"]


@pytest.mark.parametrize("published", [True, False])
def test_a_submodules_unpushed_commit_is_asked_about(published: bool, judging: Bench, tmp_path: Path) -> None:
    library = new_bench(tmp_path / "library")
    judging.git("-c", "protocol.file.allow=always", "clone", "--quiet", str(library.root), ".git/modules/lib")
    commit = library.git("rev-parse", "main") if published else "1" * 40
    put(judging, f"M 160000 {commit} lib")
    assert land(judging)["rule"] == ("close/done" if published else "integrate/gate")


# The completion report


def test_the_report_lists_every_file_with_the_run_that_changed_it(implementing: Bench) -> None:
    implementing.edit({"a.py": "A = 1\n"})
    implementing.work(1)
    put(implementing, file("theirs.txt"))
    implementing.implement()
    assert land(implementing)["action"] == "complete"
    report = implementing.git("show", f"main:{FOLDER}/42.completion-report.md")
    for line in (
        "; `test_calc.py` (implement, phase 2 of 2); `theirs.txt` (no run)\n",
        "- **Changed:** `calc.py` (implement, phase 2 of 2)\n",
        "- **Named in no report:** `a.py` (implement, phase 1 of 2); "
        "`calc.py` (implement, phase 2 of 2); `theirs.txt` (no run)\n",
    ):  # fmt: skip
        assert line in report
