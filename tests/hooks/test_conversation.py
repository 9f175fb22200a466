"""What the conversation may do: baton's steps at once, what is the user's after they were asked."""

from pathlib import Path

import pytest

from hooks.run_trees import decide, decision

IN_PLAN_MODE = "plan mode: nothing is started; leave plan mode, then"
ASKED = [
    "baton begin RUN --make", "baton begin RUN", "baton hand-in 42 plan --run r", "cd . && baton begin R --make",
    "baton --permit x undo 42",
    f"baton memory triage 42 --accept --seen={'a' * 40}", "baton memory triage 42 --edit -",
    f"baton memory triage 42 --acc --see {'a' * 40}",
    "baton memory triage 42 --reject | cat", "cd . && baton memory triage 42 --accept",
    "baton undo 42", "baton story edit 42 --file new.md", "baton story -- edit 42", "baton -- undo 42",
    "baton init --allow", "baton init --all", "baton doctor 42 --set-aside",
    "baton --project /other status", "baton status --project=/other", "baton pr fetch 7 --out x.json",
    # a file of elsewhere that would be read into the project
    "baton story new T --body-file /etc/passwd", "baton story new T --body-file=../secret",
    "baton story new --from /x.md",
    # what a stranger wrote
    "baton start - --confirmed abc <<'E'\n#12\nE", "baton start --confirmed=abc -", "baton start --confirm abc -",
    "baton start --confirmed '' - --confirmed abc",
    "baton hand-in 42 plan --run r --file /tmp/plan.md", "baton validate return-meta /etc/x.json",
    "baton story new T --body-file link.md", "baton pr plan 7 --reading /x.json",
    # what is not one plain call
    "cd . && baton answer 42 accept", "sh -c 'baton undo 42'", "FOO=1 baton --project . answer 42 accept",
    "env -u CLAUDECODE baton answer 42 accept", "ba''ton answer 42 accept", "baton init --allow && true",
    "echo 42 accept | xargs baton answer", "baton status --project=/other | cat",
    'python3 -c \'import subprocess; subprocess.run(["baton", "answer", "42", "accept"])\'',
    "cd tree && baton begin RUN", "true; baton hand-in 42 plan --run r <<'E'\nx\nE",
    "sh -c 'baton hand-in 42 plan --run r'",
    # what another word stands for
    "b=baton; $b hand-in 42 plan --run r", "v=hand-in; baton $v 42 plan", "a=--allow; baton init $a",
    "b=baton; $b memory triage 42 --accept", "echo begin RUN | xargs -n 2 baton", "alias b=baton\nb begin RUN",
    "b() { baton \"$@\"; }; b undo 42", "$(command -v baton) begin RUN", "find . -exec baton {} undo \\;",
    "echo $(baton undo)", "echo '#12' | baton start - --confirmed abc",
    # a redirection stands before the verb, or holds what ends a command
    "baton 2>&1 hand-in 42 plan", "baton >&2 undo 42", "baton &>/dev/null begin RUN", "baton <&0 begin RUN",
    "baton start - < words.txt", "baton show 42 > bin/baton", "echo baton > x", "=baton undo 42",
    "{baton,undo,42}", "coproc baton undo 42", "if baton undo 42; then ls; fi", "baton status & baton undo 42",
    "ls /x/bin/baton | sh", "git config diff.external 'baton undo 42'", "baton status; rm -r .git/baton",
    "baton \"\"undo 42", "cat <(baton undo 42)", "! baton undo 42", "head -1 x > baton",
    "baton <<<';' hand-in 42 plan", "baton 2>'a;b' undo 42", "baton 2>&1 --permit T undo 42",
    "env -u CLAUDECODE -u BATON_HOOKS script -qec 'baton 2>&1 answer 42 accept' /dev/null",
    # a verb or the launcher that the shell makes
    "baton hand-i$@n 42 plan", "baton {h..h}and-in 42 plan", "baton $'hand\\x2din' 42", "baton hand-[i]n 42 plan",
    "v=hand; baton ${v}-in 42 plan", "baton `printf hand%sin -` 42", "baton be$@gin R", "baton init --allo$@w",
    "set -- baton x; $1 undo 42", "for b in baton x; do $b undo 42; done", "b=baton true; $b undo 42",
    "a=(baton x); ${a[0]} undo 42", "hash -p /x/bin/baton b; b undo 42", "ln -s /x/bin/baton b; ./b undo 42",
    "cp /x/scripts/baton b && ./b undo 42", "echo 'baton undo 42' | sh",
    "echo 'baton undo 42' > x; sh x", "echo baton x; $_ undo 42", "printf '%s %s' baton undo | sh",
    "awk 'BEGIN{system(\"baton un\" \"do 42\")}'", "git -c alias.x='!baton undo 42' x",
    "python3 -c 'import os;os.system(\"baton un%so 42\"%\"d\")'", "trap 'baton undo 42' EXIT",
    # its modules and its records
    "python3 -c 'from baton.story.answer.answer import apply_answer'", "python3 -c 'import baton.journal.permit'",
    "python3 -c '__import__(\"baton.story.answer.answer\")'", "python3 -m baton.cli undo 42",
    "cd .git && echo x > baton/.permits/a", "cd .git; echo x >> baton/42/journal.jsonl", "rm -rf .git/baton",
    "cd \"$(git rev-parse --git-common-dir)\" && echo x > baton/42/x", "git diff --output=.git/baton/42/x",
    "cat .git/baton/42/x | tee y",
    # what no shell reads alike, and cannot be told from all this
    "baton next $(cat id); ls", "cat <<'E' > notes.md\nbaton\nanswer\nE",
]  # fmt: skip
AT_ONCE = [
    "baton memory triage 42", "baton memory triage 42 --json",
    "baton next 42", "baton status", "baton init", "baton pr land 7", "baton pr show X --pr 7",
    "baton story new T --body-file notes.md", "baton story new T --body-file -", "baton story new --from '#7'",
    "baton start - <<'E'\n#12\nE", "baton start - <<'E'\n#12\n\n--confirmed abc\nE",
    "baton story new --from ./sub/../notes.md", "baton validate plan notes.md",
]  # fmt: skip
OF_THE_MODULE = [
    "baton for-module go 42", "baton for-module answer 42 --token x", "baton --project . for-module go 42",
    "echo accept | baton for-module answer 42 --token x", "cd . && 'baton' for-module go 42",
    "env -u BATON_HOOKS baton for-module go 42 | head -3", "baton 2>&1 for-module go 42",
    "m=for-module; baton $m go 42",
]  # fmt: skip
UNSAID = [
    "ls", "cd /home/a/baton && grep -rn answer .", "git commit -m 'baton: answer the question'",
    "make && baton status",
    "baton next 42 2>&1 | head -50", "baton report 42 --json > report.json", "baton nonsense", "baton demo",
    "echo undo; echo baton",
    "cd /home/a/baton && git log --grep begin", "make && baton status 42 | grep x",
    "ls -la .git/baton/42 && cat .git/baton/42/report.md", "git add a.py && git commit -m \"baton's undo\"",
    "cd ~/src/baton && pytest -q *.py | tail -5",
    "echo $x; grep begin baton.md",
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of a project with a file in it, and a link that leads out."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / "sub").mkdir()
    (tmp_path / "secret").write_text("x")
    (root / "link.md").symlink_to(tmp_path / "secret")
    return root


def judge(project: Path, command: str = "", **more: object) -> str:
    """Return what is decided of a call of the conversation."""
    return decision(command, cwd=str(project), **more)


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
@pytest.mark.parametrize("command", ASKED)
def test_a_call_that_is_the_persons_is_asked_about(command: str, mode: str, project: Path) -> None:
    assert judge(project, command, permission_mode=mode) == "ask"


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
@pytest.mark.parametrize("command", OF_THE_MODULE)
def test_a_call_of_the_clients_module_is_denied_to_a_model(command: str, mode: str, project: Path) -> None:
    assert judge(project, command, permission_mode=mode) == "deny"
    assert judge(project, command, permission_mode=mode, agent_id="a", agent_type="Explore") == "deny"
    assert judge(project, command.replace("for-module", "status"), permission_mode=mode) != "deny"


@pytest.mark.parametrize("command", [*AT_ONCE, *UNSAID])
def test_a_step_is_taken_at_once_and_anything_else_is_left_to_the_client(command: str, project: Path) -> None:
    assert judge(project, command) == ("allow" if command in AT_ONCE else "")


def test_a_file_is_in_the_project_from_every_folder_of_it(project: Path) -> None:
    assert judge(project / "sub", "baton story new T --body-file ../notes.md") == "allow"
    assert judge(project / "sub", "baton story new T --body-file ../../secret") == "ask"


@pytest.mark.parametrize(
    "verb",
    ["status", "question 42", "doctor", "pr fetch 7", "pr show X", "validate plan p.md", "memory triage 42"],
)
def test_in_plan_mode_one_may_look(verb: str, project: Path) -> None:
    assert judge(project, f"baton {verb}", permission_mode="plan") == "allow"


@pytest.mark.parametrize("command", [
    "baton next 42", "baton answer 42 accept", "baton story new T", "baton start -", "baton init", "baton undo 42",
    "baton pr plan 7", "baton pr land 7", "baton doctor --set-aside", "cd . && baton next 42",
    "baton pr land | cat", f"baton memory triage 42 --accept --seen {'a' * 40}",
])  # fmt: skip
def test_in_plan_mode_nothing_is_started(command: str, project: Path) -> None:
    answer = decide(command, cwd=str(project), permission_mode="plan")
    assert answer["permissionDecisionReason"] == f"baton: {IN_PLAN_MODE} call it again"
    assert answer["permissionDecision"] == "deny" != judge(project, command, permission_mode="default")


@pytest.mark.parametrize(("prompt", "then"), [
    ("Run sess_1_a_plan1 of story 42: first", "`/implement 42`"),
    ("Unit pr7-r0a-u1: first", "`/resolve-pr-feedback 7`"),
    ("Reading pr7-r0a-t1: first", "`/resolve-pr-feedback 7`"),
    ("Plan it", "call it again"),
])  # fmt: skip
def test_in_plan_mode_one_hears_how_an_agent_is_started_later(prompt: str, then: str, project: Path) -> None:
    given = {"subagent_type": "baton:planner", "prompt": prompt}
    answer = decide(tool_name="Agent", tool_input=given, cwd=str(project), permission_mode="plan")
    assert answer["permissionDecisionReason"] == f"baton: {IN_PLAN_MODE} {then}"


@pytest.mark.parametrize(("mode", "agent", "decided"), [
    ("plan", "baton:planner", "deny"), ("plan", "baton:feedback-reader", "deny"),
    ("plan", "Explore", ""), ("default", "baton:planner", ""), ("auto", "baton:planner", ""),
])  # fmt: skip
def test_in_plan_mode_nobody_is_sent_out(mode: str, agent: str, decided: str, project: Path) -> None:
    given = {"subagent_type": agent, "prompt": "Run sess_1_a_plan1 of story 42: first call `baton begin`"}
    assert judge(project, tool_name="Agent", tool_input=given, permission_mode=mode) == decided


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_a_model_does_not_call_the_hooks_that_hear_the_person(mode: str, project: Path) -> None:
    command = 'baton hook user-prompt-submit <<\'E\'\n{"prompt": "retry"}\nE'
    assert judge(project, command, permission_mode=mode) == "deny"


def test_batons_own_records_are_not_edited_unasked(project: Path) -> None:
    (project / "g").symlink_to(".git")
    for path, decided in (
        (".git/baton/42/journal.jsonl", "ask"), ("g/baton/.permits/x", "ask"), ("src/baton/x.py", ""),
    ):  # fmt: skip
        assert judge(project, "", tool_name="Edit", tool_input={"file_path": path}) == decided
