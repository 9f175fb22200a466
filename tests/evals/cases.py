"""The cases of evals/: what one asks, its scratch folder, a client at work there, and what its graders say.

`claude plugin eval` does the same, but gives sub-agents no work trees: no agent of baton's starts there.
"""

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from baton.artifacts.strict_yaml import load_yaml
from baton.errors import BatonError

ROOT = Path(__file__).parents[2]
EVALS = ROOT / "evals"
NAMES = sorted(path.parent.name for path in EVALS.glob("*/case.yaml"))
FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE}


class Played(NamedTuple):
    """What became of a case: its folder, and what the client reported."""

    folder: Path
    trace: Sequence[Mapping[str, Any]]

    @property
    def last_message(self) -> str:
        """The last text that a model, or the client for baton, has said."""
        said = [one["message"]["content"] for one in self.trace if one["type"] == "assistant"]
        texts = ["\n".join(part["text"] for part in parts if part["type"] == "text") for parts in said]
        return next((text for text in reversed(texts) if text), "")

    @property
    def requests(self) -> int:
        """How often a model was asked, those of sub-agents included."""
        messages = [one["message"] for one in self.trace if one["type"] == "assistant"]
        return len({message["id"] for message in messages if message["model"] != "<synthetic>"})

    @property
    def dollars(self) -> float:
        """What the client says it cost."""
        return float(next((one["total_cost_usd"] for one in self.trace if one["type"] == "result"), 0))


def read_case(name: str) -> dict[str, Any]:
    """Take a case's name; return its case.yaml."""
    case = load_yaml((EVALS / name / "case.yaml").read_text(encoding="utf-8"))
    assert isinstance(case, dict), name
    return case


def prepare(name: str, home: Path) -> Path:
    """Take a case's name and a home; return the folder that its scaffold has made ready there."""
    folder = home / "cwd"
    folder.mkdir(parents=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home)}
    done = subprocess.run(["bash", EVALS / name / "scaffold.sh"], cwd=folder, env=environment, check=False)
    if done.returncode:
        raise BatonError("its scaffold failed", f"evals/{name}", "see above")
    return folder


def play(name: str, folder: Path, client: Sequence[str], environment: Mapping[str, str], *words: str) -> Played:
    """Take a case, its folder, and how the client is called there; let it answer the case's prompt."""
    case = read_case(name)["execution"]
    line = [*client, "-p", case["prompt"], "--plugin-dir", str(ROOT), "--max-turns", str(case["max_turns"])]
    line += ["--output-format", "stream-json", "--verbose", "--allowed-tools", "Bash,Edit,Write", *words]
    done = subprocess.run(line, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, timeout=case["timeout_seconds"], check=False)  # fmt: skip
    if not done.stdout:
        raise BatonError(f"the client ended with {done.returncode}", f"evals/{name}", "see above")
    return Played(folder, [json.loads(row) for row in done.stdout.splitlines()])


def judge(name: str, played: Played) -> dict[str, bool]:
    """Take a case and what became of it; return for the name of each grader whether it is content."""
    return {one["name"]: _is_content(one, played) for one in read_case(name)["graders"]}


def _is_content(grader: Mapping[str, Any], played: Played) -> bool:
    """Only the two kinds that the suite has: `regex` and `file_exists`."""
    if grader["type"] == "file_exists":
        return (played.folder / grader["path"]).is_file() is grader.get("exists", True)
    target, match = grader.get("target", "last_message"), grader.get("match", "contains")
    if isinstance(target, dict):
        file = played.folder / target["path"]
        if not file.is_file():
            return False
        text = file.read_text(encoding="utf-8")
    elif target == "trace":
        text = "\n".join(json.dumps(one, separators=(",", ":"), ensure_ascii=False) for one in played.trace)
    else:
        text = played.last_message
    flags = sum(FLAGS[flag] for flag in grader.get("flags", ""))
    found = len(re.findall(grader["pattern"], text, flags))
    return bool(match == f"count:{found}" or match == ("contains" if found else "not_contains"))
