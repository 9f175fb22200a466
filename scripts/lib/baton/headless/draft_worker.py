"""The process around the client that drafts a triage; started by draft_process.py, outlives its caller.

usage: draft_worker.py FOLDER, which holds `job.json` {argv, cwd, seconds} and `prompt`. Writes what the client
prints to `log`, and as it has ended `ended.json`. The standard library alone.
"""

import fcntl
import json
import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
from baton.checks.check_tree import read_record
from baton.checks.logged_process import logged


def main(folder: str) -> int:
    """Run the client once, for so long and no longer."""
    place = Path(folder)
    lock = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 0
    # The caller reads this line: from here on the lock says that it runs.
    print("running", flush=True)
    job = read_record(place / "job.json")
    prompt = os.open(place / "prompt", os.O_RDONLY | os.O_CLOEXEC)
    code, how = logged(str(place / "log"), job["argv"], job["cwd"], os.environ, job["seconds"], prompt)
    made = place / "ended.json.new"
    made.write_text(json.dumps({"code": code, "how": how}), encoding="utf-8")
    made.replace(place / "ended.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
