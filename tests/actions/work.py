"""Stands in for `baton run` and the model: takes a story as far as it goes, as ROLES say."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from bench import Bench


def work(bench: Bench, roles: dict[str, str]) -> Any:
    """Be each agent that is asked for; gives the step in which none is."""
    step = bench.next()
    while step["run"]:
        role = step["agent"].removeprefix("baton:")
        if role == "planner":
            step = bench.plan()
        elif role == "implementer":
            step = bench.implement({"calc.py": f"SUB = {bench.run.id[-1]}\n"})
        else:
            if name := roles.pop("commits", ""):
                bench.commit({name: "x\n"}, bench.folder.branch)
            step = bench.judge(roles.get("qa", "PASS"))
        if roles.get("stops_after") == role:
            break
    return step


if __name__ == "__main__":
    assert "GH_TOKEN" not in os.environ
    assert sys.argv[2] == "--budget"
    step = work(Bench(Path.cwd(), sys.argv[1]), json.loads(os.environ["ROLES"]))
    print(json.dumps(step, indent=1))
    sys.exit(0 if step["action"] in ("complete", "wait", "spawn") else 1)
