"""The calls that are measured, and the repositories they run in."""

import json
import shutil
from pathlib import Path
from time import perf_counter, sleep
from unittest.mock import patch

from speed.process import BATON, PASS, Call, fail, make_work_tree, run
from speed.pull_request import SIZES, fetch_calls
from speed.stories import run_calls

PLAN = "# Plan\n## Implementation Sequence\n### Phase 1: subtract [NOT STARTED]\ndo it\n"
PLAN += "## Edge Cases\nnone\n## Test Checkpoints\nnone\n## Risk Register\nnone\n"
BASELINE_SECONDS = 60


def make_calls(root: Path, small: bool = False) -> dict[str, Call]:
    """Make all repositories; give the calls to measure by their names; `small`: none that takes long."""
    run_id = make_repository(root)
    with patch("os.fsync"):  # nothing here has to outlive a power cut
        out = {size: grown(root, run_id, events=size) for size in (10, 1_000, 10_000)}
        many = {size: grown(root, run_id, stories=size) for size in (10, 1_000)}
    planned = shutil.copytree(out[10], root.with_name("planned"))
    tree = Path(json.loads(run(Call((BATON, "begin", run_id, "--make", "--json"), planned)).out)["tree"])
    hand_in = Call((BATON, "hand-in", "1", "plan", "--run", run_id), tree, "accepted", PLAN)
    run(hand_in)
    run(Call((BATON, "hand-in", "1", "return-meta", "--run", run_id), tree, "accepted", "status: planned\n"))
    ended = shutil.copytree(planned, root.with_name("ended"))
    return {
        PASS: Call((str(root.with_name("base") / "bin/python"), "-c", "pass"), root),
        **hook_calls(shutil.copytree(planned, root.with_name("hooks")), run_id),
        "hand-in": hand_in,
        "next, an ended run": Call((BATON, "next", "1", "--ended", run_id), ended, "DO spawn", fresh=True),
        **{f"next, {size} events": Call((BATON, "next", "1"), one, "DO wait") for size, one in out.items()},
        "--help": Call((BATON, "--help"), root, "Usage: baton"),
        "status --line": Call((BATON, "status", "--line"), out[10], "1 Subtract: plan, "),
        **{f"status, {size} stories": Call((BATON, "status"), one) for size, one in many.items()},
        **run_calls(root.with_name("small-story")),
        **fetch_calls(root.parent, SIZES[:-1] if small else SIZES),
    }


def make_repository(root: Path) -> str:
    """Make a repository whose one story has its planner out; give the run."""
    make_work_tree(root, "baton story new Subtract --id 1 --criterion right", "baton next 1")
    # As in a client without hooks: there is no terminal here.
    run(Call(("env", "CLAUDECODE=1", BATON, "answer", "1", "accept"), root))
    said = run(Call((BATON, "next", "1", "--json"), root)).out
    wait_for_baseline(root)
    return str(json.loads(said)["run"])


def wait_for_baseline(root: Path) -> None:
    """Wait until what the first run began in the background has ended: it would be copied half-done."""
    deadline = perf_counter() + BASELINE_SECONDS
    while not list(root.glob(".git/baton/baselines/checks/*/test-*.json")):
        if perf_counter() > deadline:
            fail(f"the baseline in {root} did not end in {BASELINE_SECONDS} s")
        sleep(0.05)


def grown(root: Path, run_id: str, events: int = 0, stories: int = 0) -> Path:
    """Copy a repository; add to story 1 what its run may have done, and stories as far as it; give the copy."""
    from baton.journal.events import Created, Rejected, RunStarted
    from baton.journal.journal import Journal

    root = shutil.copytree(root, root.with_name(f"{events}-{stories}"))
    journal = Journal(root / ".git/baton/1/journal.jsonl")
    created, *others = [record.event for record in journal.records]
    assert isinstance(created, Created)
    for number in range(2, stories + 1):
        folder, own = f"specs/{number}_subtract", root / ".git/baton" / str(number)
        shutil.copytree(root / ".git/baton/1/files" / created.folder, own / "files" / folder)
        added = Journal(own / "journal.jsonl")
        for event in (created._replace(story=str(number), folder=folder), *others):
            added.append(event)
    journal.append(RunStarted(run_id, "agent-1", "session-1"))
    for number in range(len(journal.records), events):
        finding = f"1.execution-plan.md:{number}: error: no `## Risk Register` [plan/section-missing]"
        journal.append(Rejected(run_id, "plan", [finding]))
    return root


def write_transcript(path: Path) -> Path:
    """Write an agent's transcript of 20 MB: 1,300 requests in two lines each, and what tools printed."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": 50_000, "output_tokens": 900}
    entry = {"type": "assistant", "agentId": "agent-1", "timestamp": "2026-11-24T08:20:35.349Z"}
    with path.open("w") as file:
        for number in range(1_300):
            message = {"id": f"msg_{number}", "model": "claude-opus-5-5", "usage": usage, "content": "x" * 2_000}
            line = json.dumps({**entry, "requestId": f"req_{number}", "message": message})
            file.write(f"{line}\n{line}\n{json.dumps({'type': 'user', 'content': 'x' * 10_500})}\n")
    return path


def hook_calls(root: Path, run_id: str) -> dict[str, Call]:
    """Give a call of each hook, as the client makes it most often."""

    def hook(name: str, says: str = "", **payload: object) -> Call:
        given = json.dumps({"session_id": "session-1", "cwd": str(root), **payload})
        return Call((BATON, "hook", name), root, says, given)

    long = write_transcript(root.with_name("agent-1.jsonl"))
    started = {"subagent_type": "baton:planner", "prompt": f"Run {run_id} of story 1: read its brief"}
    own = {"tool_name": "Bash", "tool_input": {"command": "baton next 1"}}
    return {
        "hook pre-tool-use, foreign": hook("pre-tool-use", tool_name="Bash", tool_input={"command": "ls -l"}),
        "hook pre-tool-use, own": hook("pre-tool-use", '{"hookSpecificOutput"', **own),
        "hook post-tool-use, foreign": hook("post-tool-use", tool_input={**started, "subagent_type": "Explore"}),
        "hook post-tool-use, own": hook("post-tool-use", tool_input=started, tool_response={"agentId": "agent-1"}),
        "hook subagent-stop, foreign": hook("subagent-stop", agent_id="agent-2"),
        "hook subagent-stop, own": hook("subagent-stop", agent_id="agent-1"),
        "hook subagent-stop, long": hook("subagent-stop", agent_id="agent-1", agent_transcript_path=str(long)),
        "hook turn-ends, foreign": hook("turn-ends", session_id="session-2"),
        "hook turn-ends, own": hook("turn-ends"),
        "hook stop, foreign": hook("stop", session_id="session-2"),
        "hook stop, own": hook("stop"),
        "hook stop-failure, foreign": hook("stop-failure", session_id="session-2"),
        "hook user-prompt-submit, foreign": hook("user-prompt-submit", prompt="How are you?"),
        "hook session-start, foreign": hook("session-start", cwd=str(root.parent)),
        "hook session-start, own": hook("session-start", '{"hookSpecificOutput"'),
    }
