"""A way to every row of the decision tables, by the commands alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from baton.artifacts.story_file import Story, read_story
from baton.artifacts.strict_yaml import load_yaml, split_front_matter
from baton.git.branches import Advance, advance_branch
from baton.git.command import Git, find_project
from baton.journal.events import Ended, Spent
from baton.journal.journal import Journal
from baton.story.ask.step import Step
from baton.story.next_step import NextOptions, run_next
from bench import (
    DELIVERED,
    FOLDER,
    PLAN,
    REPORT,
    ROW,
    SECOND,
    SETTINGS,
    STORY,
    VERDICT,
    WITH_COMMANDS,
    Bench,
    CallResult,
    call,
    report_on,
)
from watch import meddled_with, watched

Play = Callable[[Bench], Any]
BLOCKING = REPORT.replace("failures: []", "failures: the parser crashes")
FAILING = {"tools/test.sh": "echo FAIL: one test\nexit 1\n"}


class WayToRow(NamedTuple):
    """The stage of a story where it begins, and what leads from there to the row: gives a step, or a refusal."""

    stage: str
    play: Play


SCENES: dict[str, WayToRow] = {}


def scene(rule: str, stage: str) -> Callable[[Play], Play]:
    """Enter a way to the row `rule` that begins at `stage`."""

    def enter(play: Play) -> Play:
        SCENES[rule] = WayToRow(stage, play)
        return play

    return enter


def made(bench: Bench, said: CallResult) -> tuple[Story, str, dict[str, Any]]:
    """Read the story that a call made: as the program reads it, as text, and its front matter."""
    assert said.code == 0, said.err
    text = (find_project(bench.root).state / said.json["id"] / "files" / said.json["path"]).read_text(
        encoding="utf-8"
    )
    return read_story(text), text, load_yaml(split_front_matter(text)[0])


def begun(bench: Bench, given: str, story_id: str = "1") -> Bench:
    """Begin a story of what is given to `baton start`, and confirm the commands; gives its bench."""
    assert bench.baton("start", "-", stdin=given).code == 0
    other = Bench(bench.root, story_id)
    if other.state.stage == "question":
        other.answer("accept")
    return other


def known(bench: Bench) -> Story:
    """Read the story as it stands."""
    return read_story(bench.place("story").read_text(encoding="utf-8"))


def work_of(bench: Bench) -> list[str]:
    """Return the files that the newest commit of the story branch changes beside the story's folder."""
    return [name for name in bench.committed(bench.folder.branch) if not name.startswith("specs/")]


def again(times: int, play: Play) -> Play:
    """Take a way so often."""
    return in_turn(*[play] * times)


def in_turn(*plays: Play) -> Play:
    """Take ways one after the other; what the last comes to counts."""
    return lambda bench: [play(bench) for play in plays][-1]


def close_a_phase(bench: Bench) -> Any:
    return bench.work(1)


def push(bench: Bench, kind: str, text: str) -> None:
    """Have the user commit one of the story's files on its branch, as it is to be."""
    bench.commit({bench.folder.relative_to_root(bench.place(kind)): text}, bench.folder.branch)


def remove(bench: Bench, kind: str) -> None:
    """Have the user delete one of the story's files on its branch."""
    bench.commit_lines(bench.folder.branch, f"D {bench.folder.relative_to_root(bench.place(kind))}")


def rewrite(bench: Bench, before: str, after: str) -> None:
    """Have the user change story.md on the story branch."""
    push(bench, "story", bench.place("story").read_text(encoding="utf-8").replace(before, after))


def start_agent(bench: Bench, agent: str) -> CallResult:
    """Start an agent for the run that is running, as the client tells of it."""
    payload = {
        "cwd": str(bench.root),
        "session_id": "s1",
        "tool_input": {"subagent_type": f"baton:{bench.run.role}", "prompt": bench.next()["prompt"]},
        "tool_response": {"status": "async_launched", "agentId": agent},
    }
    return call("hook", "post-tool-use", stdin=json.dumps(payload))


def transcript(bench: Bench, *commands: str) -> None:
    """Have the client say that these were the commands of the run's agent."""
    start_agent(bench, "a1")
    folder = Path.home() / ".claude/projects/-p/s1/subagents"
    folder.mkdir(parents=True, exist_ok=True)
    said = [{"type": "tool_use", "name": "Bash", "input": {"command": command}} for command in commands]
    line = {"type": "assistant", "message": {"role": "assistant", "content": said}}
    (folder / "agent-a1.jsonl").write_text(f"{json.dumps(line)}\n")


# Under way


scene("in-progress/unknown-run", "planning")(lambda bench: bench.baton("next", "42", "--ended", "sess_1_a_plan9"))
scene("in-progress/question", "bench")(in_turn(Bench.new, Bench.next, Bench.next))
scene("in-progress/wait", "planning")(Bench.next)


@scene("in-progress/abandoned", "bench")
def abandon(bench: Bench) -> CallResult:
    bench.new()
    bench.next()
    bench.baton("answer", "42", "abandon")
    return bench.baton("next", "42")


scene("in-progress/complete", "judging")(in_turn(Bench.judge, Bench.next))
scene("in-progress/undone", "judging")(in_turn(Bench.judge, lambda bench: bench.baton("undo", "42"), Bench.next))


scene("git/refused", "implementing")(
    in_turn(lambda bench: (bench.root / f".git/refs/heads/{STORY}.lock").touch(), close_a_phase)
)


@scene("in-progress/restarts", "planning")
def start_three_times(bench: Bench) -> Any:
    for agent in ("a1", "a2", "a3"):
        start_agent(bench, agent)
    return bench.next()


# Start


@scene("start/not-ready", "story")
def lose_the_base(bench: Bench) -> CallResult:
    bench.git("branch", "--move", "main", "trunk")
    bench.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    return bench.baton("next", "42")


scene("start/spec", "story")(in_turn(lambda bench: bench.write({f"{FOLDER}/story.md": "mine\n"}), Bench.next))


scene("start/commands", "bench")(in_turn(Bench.new, Bench.next))


@scene("start/mode", "bench")
def begin_without_mode(bench: Bench) -> Any:
    bench.configure("base: main\n")
    bench.new()
    return bench.next()


@scene("start/mode-github", "bench")
def begin_where_github_is_in_reach(bench: Bench) -> Any:
    with patch("baton.story.begin.start.find_lacks", return_value=[]):
        return begin_without_mode(bench)


@scene("start/github", "bench")
def begin_where_the_mode_needs_github(bench: Bench) -> Any:
    bench.configure("base: main\nintegrate: {mode: pr}\n")
    bench.new()
    return bench.next()


@scene("start/machine", "bench")
def begin_where_a_command_cannot_work(bench: Bench) -> Any:
    bench.configure(f"{SETTINGS}commands: {{test: no-such-program}}\n")
    bench.new()
    bench.next()
    return bench.answer("accept")


@scene("start/approval", "implementing")
def lose_the_journal_of_a_plan(bench: Bench) -> Any:
    bench.git("merge", "--quiet", bench.folder.branch)
    bench.forget()
    return bench.next("--plan-only")


@scene("start/adopted", "implementing")
def lose_the_journal_at_work(bench: Bench) -> Any:
    bench.work(1)
    bench.forget()
    return bench.next()


scene("start/planning", "story")(Bench.next)
scene("start/micro", "micro")(Bench.next)

# Any phase

REVIEW: dict[str, Any] = {"requires_user_review": True, "review_reason": "two ways are open"}


scene("run/stopped", "planning")(lambda bench: bench.next("--ended", bench.run.id, "--stopped"))
scene("run/not-begun", "planning")(lambda bench: bench.next("--ended", bench.run.id))
scene("run/not-begun-often", "planning")(again(3, lambda bench: bench.next("--ended", bench.run.id)))


scene("run/contradiction", "planning")(
    in_turn(
        lambda bench: bench.hand_in("plan", PLAN),
        lambda bench: bench.meta("planned", **REVIEW),
        Bench.end,
    )
)


@scene("run/refs-moved", "implementing")
def delete_a_branch(bench: Bench) -> Any:
    bench.git("branch", "precious")
    bench.work(1)
    bench.git("branch", "--delete", "--force", "precious")
    return bench.work(1)


scene("run/head-moved", "implementing")(
    in_turn(lambda bench: bench.git("branch", "--force", STORY, f"{STORY}^"), close_a_phase)
)


scene("run/criteria-changed", "implementing")(
    in_turn(lambda bench: rewrite(bench, "sub(3, 2) is 1", "sub(3, 2) is 2"), close_a_phase)
)


scene("run/protected", "implementing")(
    in_turn(lambda bench: bench.edit({".github/workflows/ci.yml": "on: push\n"}), close_a_phase)
)


@scene("run/message", "implementing")
def write_what_no_hook_takes(bench: Bench) -> Any:
    bench.hook("commit-msg", 'grep -q "^BUG-" "$1" || { echo "name a ticket"; exit 1; }')
    bench.edit({"more.py": "MORE = 1\n"})
    return bench.work(1)


@scene("run/hooks", "implementing")
def hook_without_its_program(bench: Bench) -> Any:
    bench.hook("pre-commit", "pretty-quick --staged")
    bench.edit({"more.py": "MORE = 1\n"})
    return bench.work(1)


scene("run/review-required", "implementing")(lambda bench: bench.work(1, **REVIEW))
scene("run/blocked", "implementing")(lambda bench: bench.work(status="blocked"))
scene("run/failed", "implementing")(lambda bench: bench.work(status="failed"))
scene("run/unexpected-status", "implementing")(lambda bench: bench.work(1, status="planned"))

# Planning

scene("planning/valid", "planning")(Bench.plan)
scene("planning/missing", "planning")(Bench.end)


scene("planning/approval", "planning")(in_turn(lambda bench: bench.next("--plan-only"), Bench.plan))


@scene("planning/both", "planning")
def plan_and_block(bench: Bench) -> Any:
    bench.hand_in("plan", PLAN)
    bench.hand_in("plan-blocked", "## Reason\n\nno database\n")
    return bench.end()


@scene("planning/blocked", "planning")
def block_the_plan(bench: Bench) -> Any:
    bench.hand_in("plan-blocked", "# Blocked\n\n## Reason\n\nno database\n")
    return bench.end()


def begin_with_a_text(bench: Bench) -> None:
    """Make a story of words without criteria, and send its planner out."""
    bench.baton("start", "-", stdin="---\nid: 42\n---\n# Kettle\n\nIt boils water.\n")
    bench.answer("accept")


@scene("planning/confirm", "bench")
def read_criteria_of_a_text(bench: Bench) -> Any:
    begin_with_a_text(bench)
    place = "specs/42_kettle/source/text.md:3"
    bench.hand_in("criteria", f'criteria:\n  - {{at: "{place}", says: "water boils"}}\n')
    return bench.plan()


@scene("planning/criteria", "bench")
def plan_without_criteria(bench: Bench) -> Any:
    begin_with_a_text(bench)
    push(bench, "plan", PLAN)
    return bench.end()


scene("planning/exhausted", "planning")(again(2, Bench.end))


@scene("planning/invalid", "planning")
def spoil_the_plan(bench: Bench) -> Any:
    bench.hand_in("plan", PLAN)
    push(bench, "plan", "# Plan\n")
    return bench.end()


# The loop

scene("implementation/no-return", "implementing")(Bench.end)
scene("implementation/implemented", "implementing")(Bench.implement)
scene("implementation/interrupted", "implementing")(lambda bench: bench.work(1, status="in_progress"))
scene("implementation/continue", "implementing")(close_a_phase)


@scene("implementation/open-phases", "implementing")
def leave_steps_for_later(bench: Bench) -> Any:
    return bench.work(1, 2, status="implemented", next_steps="the remaining edge cases")


scene("implementation/no-return-twice", "implementing")(again(2, Bench.end))


scene("implementation/phase-blocked", "implementing")(
    in_turn(lambda bench: bench.mark(2, mark="BLOCKED"), close_a_phase)
)


ERRORS = [{"type": "build", "message": "no rule to make target 7 in /tmp/x9/Makefile"}]
AGAIN = [{"type": "Build", "message": "No rule to make target 12 in /home/a/Makefile"}]


@scene("implementation/same-error", "implementing")
def meet_one_error_three_times(bench: Bench) -> Any:
    bench.work(errors=ERRORS)
    bench.work(errors=AGAIN)
    return bench.work(errors=ERRORS)


@scene("implementation/oscillating", "implementing")
def undo_what_was_done(bench: Bench) -> Any:
    for text in ("A = 1\n", "B = 2\n", "A = 1\n"):
        bench.edit({"calc.py": text})
        step = bench.work()
    return step


scene("implementation/no-progress", "implementing")(again(3, Bench.work))


@scene("limit/backoff", "implementing")
def meet_one_error_twice(bench: Bench) -> Any:
    bench.work(errors=ERRORS)
    return bench.work(1, errors=AGAIN)


# The report gate

scene("report/valid", "implementing")(Bench.implement)
scene("report/missing", "implementing")(lambda bench: bench.work(1, 2, status="implemented"))


scene("report/exhausted", "implementing")(
    in_turn(lambda bench: bench.work(1, 2, status="implemented"), lambda bench: bench.work(status="implemented"))
)


scene("report/invalid", "implementing")(
    in_turn(lambda bench: bench.commit({"calc.py": "SUB = 2\n"}, STORY), Bench.implement)
)


scene("report/blocking", "implementing")(lambda bench: bench.implement(report=BLOCKING))


@scene("report/still-blocking", "implementing")
def report_the_same_failure_twice(bench: Bench) -> Any:
    bench.implement(report=BLOCKING)
    return bench.implement({"calc.py": "SUB = 2\n"}, BLOCKING)


# QA

scene("qa/escalate", "judging")(lambda bench: bench.judge("ESCALATE"))


@scene("qa/escalate-open", "judging")
def leave_open(bench: Bench) -> Any:
    """Be QA and leave the second criterion to the user."""
    text = VERDICT.format("ESCALATE", "no test yet").replace(SECOND, ROW.format(2, "DEFERRED"))
    assert bench.hand_in("qa-report", text).code == 0
    return bench.end()


scene("qa/fail", "judging")(lambda bench: bench.judge("FAIL", "no docstring"))
scene("qa/pass", "judging")(Bench.judge)
scene("qa/no-verdict", "judging")(Bench.end)


@scene("qa/moved", "judging")
def change_the_story_beside_qa(bench: Bench) -> Any:
    pass_qa(bench)
    add_a_criterion(bench)
    return bench.end()


scene("qa/fail-twice", "judging")(
    in_turn(
        lambda bench: bench.judge("FAIL", "no docstring"),
        Bench.implement,
        lambda bench: bench.judge("FAIL", "still no docstring"),
    )
)


scene("qa/verdict-exhausted", "judging")(again(2, Bench.end))


@scene("qa/delta-invalid", "judging")
def leave_a_delta_that_says_nothing(bench: Bench) -> Any:
    assert bench.hand_in("memory-delta", "# Notes\n").code == 1
    pass_qa(bench)
    return bench.end()


scene("qa/delta-exhausted", "judging")(in_turn(leave_a_delta_that_says_nothing, Bench.end, Bench.end))


def add_a_criterion(bench: Bench) -> None:
    """Have the user add a third criterion to the story."""
    text = bench.place("story").read_text(encoding="utf-8")
    assert bench.baton("story", "edit", "42", stdin=f"{text.rstrip()}\n- it is fast\n").code == 0


# A small story in one run

scene("micro/pass", "micro")(Bench.deliver)
scene("micro/reevaluate", "micro")(lambda bench: bench.deliver("ESCALATE", "it needs a database"))
scene("micro/fail", "micro")(lambda bench: bench.deliver("FAIL", "the test fails"))
scene("micro/no-verdict", "micro")(Bench.end)


scene("micro/exhausted", "micro")(again(2, Bench.end))


@scene("micro/open-criteria", "micro")
def deliver_without_the_new_criterion(bench: Bench) -> Any:
    bench.edit({"test_calc.py": "TEST = 1\n"})
    bench.insist("micro-delivery-report", DELIVERED.format("PASS", "seen"))
    add_a_criterion(bench)
    return bench.end()


# Integration

PASSING = (
    "integrate/base", "sync/clean", "build/pass", "test/pass", "close/written", "merge/done", "close/done",
)  # fmt: skip
for rule in PASSING:
    scene(rule, "judging")(Bench.judge)


def drive_to_judging(bench: Bench, settings: str = "", files: dict[str, str] | None = None) -> None:
    """Take a story to QA, with other settings if there are any; `files` are what its implementer writes, too."""
    if settings:
        bench.configure(settings)
    bench.begin()
    bench.plan()
    bench.implement(files, report_on("test_calc.py", *(files or {})))


def begin_where_base_fails(bench: Bench, test: str) -> Any:
    """Send the planner of a story out where the test on base does this, and that is known; gives that step."""
    bench.configure(f"{SETTINGS}commands: {{test: '{test}'}}\n")
    step = bench.begin()
    bench.rest()
    return step


@scene("integrate/production", "bench")
def leave_the_base_unnamed(bench: Bench) -> Any:
    drive_to_judging(bench, "integrate: {mode: local}\n")
    return bench.judge()


def pass_qa(bench: Bench) -> None:
    """Hand a PASS in, without asking for the next step."""
    bench.insist("qa-report", VERDICT.format("PASS", "seen"))
    assert bench.meta("implemented").code == 0


# A test that runs until a file is there, and says by another that it has begun.
WAITS_FOR_A_GATE = {
    "tools/test.sh": "echo case 7 of 900; touch ~/begun\nwhile test ! -e ~/gate; do sleep 0.05; done\n"
}


def wait_for_a_gate(bench: Bench) -> Path:
    """Take a story to where its test runs until a file is there; gives that file."""
    bench.implement(WAITS_FOR_A_GATE)
    pass_qa(bench)
    return reach_the_gate(bench)


def reach_the_gate(bench: Bench) -> Path:
    """Take a story on whose work is passed; gives the file that its test waits for."""
    assert next_at_once(bench).rule == "build/wait"
    return Path.home() / "gate"


def next_at_once(bench: Bench) -> Step:
    """Ask for the next step without the patience that the command has."""
    with watched(("--project", str(bench.root), "next", bench.id)):
        return run_next(find_project(bench.root), bench.id, "a test", NextOptions(), 0)


@scene("integrate/gate", "judging")
def have_others_change_what_machines_carry_out(bench: Bench) -> Any:
    bench.commit({"Jenkinsfile": "build\n"}, bench.folder.branch)
    bench.next()
    bench.judge()
    return bench.judge() if bench.state.stage == "running" else bench.next()


@scene("integrate/criteria-changed", "implementing")
def change_a_criterion_after_qa(bench: Bench) -> Any:
    gate = wait_for_a_gate(bench)
    rewrite(bench, "sub(3, 2) is 1", "sub works")
    gate.touch()
    return bench.next()


@scene("merge/head-moved", "implementing")
def commit_after_qa(bench: Bench) -> Any:
    gate = wait_for_a_gate(bench)
    bench.commit({"calc.py": "LATE = 1\n"}, bench.folder.branch)
    gate.touch()
    return bench.next()


@scene("merge/head-moved-small", "micro")
def commit_after_a_small_run(bench: Bench) -> Any:
    bench.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n", **WAITS_FOR_A_GATE})
    bench.insist("micro-delivery-report", DELIVERED.format("PASS", "seen"))
    gate = reach_the_gate(bench)
    bench.commit({"calc.py": "LATE = 1\n"}, bench.folder.branch)
    gate.touch()
    return bench.next()


@scene("sync/rewritten", "bench")
def amend_what_base_had(bench: Bench) -> Any:
    bench.commit({"oops.env": "x\n"})
    drive_to_judging(bench, WITH_COMMANDS)
    bench.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "without it")
    return bench.judge()


scene("sync/conflict", "judging")(in_turn(lambda bench: bench.commit({"calc.py": "SUB = 2\n"}), Bench.judge))


@scene("sync/refused", "judging")
def pin_a_submodule_on_both_sides(bench: Bench) -> Any:
    pin(bench, "1", "main")
    pin(bench, "2", bench.folder.branch)
    bench.judge()
    return bench.judge()


def pin(bench: Bench, digit: str, branch: str) -> None:
    """Commit a submodule on a branch, at some commit."""
    bench.commit_lines(branch, f"M 160000 {digit * 40} lib")


def lack_commands(bench: Bench) -> Any:
    drive_to_judging(bench, SETTINGS)
    return bench.judge()


for rule in ("build/unset", "test/unset", "prepush/unset"):
    scene(rule, "bench")(lack_commands)


def judge_code(bench: Bench, name: str, script: str) -> Any:
    """Implement with one of the commands changed, and judge."""
    bench.implement({f"tools/{name}.sh": script})
    return bench.judge()


def judge_on_red(bench: Bench, name: str, script: str) -> Any:
    """Judge where base has come to fail one of the commands."""
    bench.commit({f"tools/{name}.sh": script})
    return bench.judge()


def judge_failing_tests(bench: Bench) -> Any:
    return judge_code(bench, "test", FAILING["tools/test.sh"])


scene("build/preexisting", "judging")(
    lambda bench: judge_on_red(bench, "build", "echo ERROR: no compiler\nexit 1\n")
)
scene("build/introduced", "implementing")(
    lambda bench: judge_code(bench, "build", "echo ERROR: no compiler\nexit 1\n")
)
scene("build/unclear", "implementing")(lambda bench: judge_code(bench, "build", "no-such-compiler\n"))
scene("test/preexisting", "judging")(lambda bench: judge_on_red(bench, "test", "echo FAIL: one\nexit 1\n"))
for rule in ("test/introduced", "fix/run"):
    scene(rule, "implementing")(judge_failing_tests)


scene("fix/run-small", "micro")(lambda bench: bench.deliver(files=FAILING))
FLAKY = 'test -e "$HOME/ran" || { touch "$HOME/ran"; echo FAIL: one test; exit 1; }\n'


def failing_runs(which: str) -> str:
    """Write a test that counts its runs, on whatever commit, and fails those whose number this pattern has."""
    count = 'echo run >> "$HOME/ran"\ncase $(($(wc -l < "$HOME/ran"))) in '
    return f"{count}{which}) echo FAIL: one; exit 1;; esac\n"


UNNAMED_ONCE = FLAKY.replace("FAIL: ", "")
scene("build/flaky", "implementing")(lambda bench: judge_code(bench, "build", FLAKY))
scene("test/flaky", "implementing")(lambda bench: judge_code(bench, "test", FLAKY))
scene("test/unclear", "implementing")(lambda bench: judge_code(bench, "test", UNNAMED_ONCE))


WORKER = {"workers/api/main.js": "work()\n"}


def prepush(bench: Bench, script: str, on_base: str = "true\n") -> Any:
    """Judge a story of a worker whose prepush script is changed to this; `on_base` is what it was."""
    run = "sh ../../tools/prepush.sh"
    bench.commit({"tools/prepush.sh": on_base})
    settings = f"{SETTINGS}commands: {{prepush: [{{path: workers/api, run: {run}}}]}}\n"
    changed = {} if script == on_base else {"tools/prepush.sh": script}
    drive_to_judging(bench, settings, {**WORKER, **changed})
    return bench.judge()


def prepush_on_red(bench: Bench, script: str) -> Any:
    """Judge a story of a worker whose prepush script fails on base, too."""
    return prepush(bench, script, script)


scene("prepush/pass", "bench")(lambda bench: prepush(bench, "echo ready\n"))
scene("prepush/introduced", "bench")(lambda bench: prepush(bench, "echo ERROR: one lint\nexit 1\n"))
scene("prepush/flaky", "bench")(lambda bench: prepush(bench, FLAKY))
scene("prepush/unclear", "bench")(lambda bench: prepush(bench, "no-such-linter\n"))
scene("prepush/credential", "bench")(lambda bench: prepush(bench, "echo API_TOKEN is not set\nexit 1\n"))


@scene("prepush/preexisting", "bench")
def prepush_where_base_is_red(bench: Bench) -> Any:
    bench.commit({"workers/api/main.js": "idle()\n"})
    return prepush_on_red(bench, "echo ERROR: one lint\nexit 1\n")


scene("merge/in-the-way", "judging")(in_turn(lambda bench: bench.write({"calc.py": "MINE = 1\n"}), Bench.judge))


@scene("merge/already", "implementing")
def merge_by_hand(bench: Bench) -> Any:
    judge_code(bench, "test", "no-such-program\n")
    bench.git("merge", "--quiet", "--no-ff", bench.folder.branch)
    return bench.answer("retry")


def judge_while_base_moves(bench: Bench, times: int) -> Any:
    """Judge while somebody else pushes to base so often, each time just before it is moved to the merge."""

    def late(git: Git, *words: str) -> Advance:
        if (number := next(left, 0)) and words[0] == "main":
            bench.git("commit", "--quiet", "--allow-empty", "--message", f"push {number}")
        return advance_branch(git, *words)

    left = iter(range(times, 0, -1))
    with meddled_with("somebody pushes to base"), patch("baton.story.integrate_story.advance_branch", late):
        return bench.judge()


scene("merge/lost", "judging")(lambda bench: judge_while_base_moves(bench, 1))
scene("merge/lost-again", "judging")(lambda bench: judge_while_base_moves(bench, 2))


@scene("integrate/branch", "bench")
def leave_it_on_its_branch(bench: Bench) -> Any:
    drive_to_judging(bench, SETTINGS.replace("local", "branch"))
    return bench.judge()


# A fix


@scene("fix/exhausted", "implementing")
def fix_nothing_twice(bench: Bench) -> Any:
    step = judge_failing_tests(bench)
    while step["rule"] == "fix/run":
        bench.implement()
        step = bench.judge()
    return step


# The guard


def refuse(bench: Bench, until: str = "2026-01-02T03:04:05Z", why: str = "limit") -> Any:
    """Have the service end the run that is running; gives the next step."""
    assert bench.tree
    Journal(bench.journal).append(Ended(bench.run.id, "stop-failure", refused=why, until=until))
    return bench.next()


def spend(bench: Bench, tokens: int, model: str = "claude-opus-5-5", story: str = "42") -> None:
    """Have the newest run of a story use so many tokens, all of them input."""
    other = Bench(bench.root, story)
    Journal(other.journal).append(Spent(other.run.id, "s", {model: [1, tokens]}, 60))


def spend_all(bench: Bench, budget: str) -> Any:
    """Plan, by a run that takes more than a budget allows."""
    bench.settle("", f"budget: {budget}")
    spend(bench, 2_000_000)
    return bench.plan()


scene("run/refused", "planning")(refuse)
scene("run/refused-often", "planning")(again(10, refuse))
scene("limit/held", "planning")(lambda bench: refuse(bench, "2999-01-02T03:04:05Z"))
scene("limit/budget", "planning")(lambda bench: spend_all(bench, "{tokens: 1000000}"))
scene("limit/budget-today", "planning")(lambda bench: spend_all(bench, "{per_day: {usd: 5}}"))
scene("limit/proceed", "story")(Bench.next)


scene("limit/iterations", "implementing")(
    in_turn(lambda bench: bench.next("--max-iterations", "1"), close_a_phase)
)
