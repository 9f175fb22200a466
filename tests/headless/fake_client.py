"""A client that starts quickly: it does a small story's run or a round at once, or what it is told to do."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from usage.transcripts import refusal, write  # noqa: E402

SCRIPT = f'#!/bin/sh\nexec {sys.executable} {__file__} "$@"\n'
STARTS, ORDERS, GO_ON, CHILD = "starts.log", "orders", "go-on", "child"
REPORT = """\
verdict: PASS
reason: seen
criteria:
  - id: AC1
    result: PASS
    evidence: ran it
  - id: AC2
    result: PASS
    evidence: ran it
changes_made:
  - file: test_calc.py
    what: a test
blocking_failures: []
"""


def install(folder: Path, *orders: str) -> Path:
    """Put the client into a folder; its processes carry out these orders, one each, and then they work."""
    folder.mkdir(exist_ok=True)
    (folder / ORDERS).write_text("".join(f"{order}\n" for order in orders))
    program = folder / "claude"
    program.write_text(SCRIPT.replace(__file__, f"{__file__} {folder}"))
    program.chmod(0o755)
    return program


def starts(folder: Path) -> list[str]:
    """Return the runs and the pull requests for which a process was started, oldest first."""
    log = folder / STARTS
    return log.read_text().split() if log.exists() else []


def say(**more: Any) -> None:
    print(json.dumps(more), flush=True)


def result(cost: float = 0.5, **more: Any) -> None:
    used = {"inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 100, "cacheCreationInputTokens": 1}
    ends = {"is_error": False, "subtype": "success", "terminal_reason": "completed", "result": "done"}
    say(**{"type": "result", "total_cost_usd": cost, "modelUsage": {"claude-opus-5-5": used}, **ends, **more})


def work(run: str, story: str) -> None:
    for name in ("calc.py", "test_calc.py"):
        Path(name).write_text("X = 1\n")
    words = [str(ROOT / "scripts" / "baton"), "hand-in", story]
    for kind, text in (("micro-delivery-report", REPORT), ("return-meta", "status: implemented\n")):
        subprocess.run([*words, kind, "--run", run], input=text, text=True, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    folder, words = Path(sys.argv[1]), sys.argv[2:]
    prompt = words[words.index("-p") + 1].split()
    run = prompt[1]
    number = len(starts(folder))
    with open(folder / STARTS, "a", encoding="utf-8") as log:
        log.write(f"{run}\n")
    orders = (folder / ORDERS).read_text().split()
    order = orders[number] if number < len(orders) else "work"
    if order == "unstarted":
        sys.exit("error: unknown option")
    say(type="system", subtype="init", plugins=[{"name": "baton"}])
    message = {"id": "m1", "model": "claude-opus-5-5", "content": [{"type": "text", "text": "at work"}]}
    say(type="assistant", message={**message, "usage": {"input_tokens": 10, "output_tokens": 1}})
    if order == "fail":
        result(is_error=True, terminal_reason="api_error", result="API Error: 500")
        sys.exit(1)
    if order == "spend":
        result(is_error=True, subtype="error_max_budget_usd", terminal_reason="budget")
        sys.exit(1)
    if order == "crash":
        sys.exit("Error: ENOSPC: no space left on device")
    if order == "interrupt":
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    if order == "orphan":
        child = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (folder / CHILD).write_text(str(child.pid))
    if order in ("die", "orphan"):
        os.kill(os.getpid(), signal.SIGKILL)
    while order == "hold" and not (folder / GO_ON).exists():
        time.sleep(0.02)
    if order == "refuse":
        line = refusal("rate_limit", 429, "You've hit your limit", agent="a1", quotaLimits={
            "status": "rejected", "resetsAt": int(time.time()) + 600})  # fmt: skip
        session = words[words.index("--session-id") + 1]
        home = Path(os.environ["CLAUDE_CONFIG_DIR"])
        write(home / "projects" / "p" / session / "subagents" / "agent-a1.jsonl", line)
    elif run.startswith("sess_"):
        work(run, prompt[4].rstrip(":"))
    result(result=os.environ.get("BATON_MODULE", "on"))


if __name__ == "__main__":
    main()
