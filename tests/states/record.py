"""Records the states that are not recorded yet: `PYTHONPATH=../scripts/lib python -m states.record` in `tests`.

It plays scenes of the tests, and what follows; both are written down once, and then stay.
"""

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from bench import Bench, isolate
from delivery import scene as delivery
from fake_github.openapi import described
from fake_github.query import built_schema
from faults.child import FIRST_MOMENT, LATER, Broken, forked
from feedback import scene as rounds
from states.host import dumped
from states.state import HERE, WORK, git, pack, path_of, read_state, unpack, write_state
from states.take_on import outcomes
from states.ways import WAYS, Way

TOP = Path("/tmp/as-recorded")
# The commit of the program that runs here: HEAD, unless what was committed since changes the tests alone.
BY = sys.argv[1] if sys.argv[1:] else git(HERE, "rev-parse", "HEAD").decode().strip()


# Answers that are the same whatever was asked, and questions of which they are tried.
WAYS_OUT, TRIED = {"replan", "abandon"}, ("run/blocked", "limit/iterations", "start/commands")


def record(name: str, way: Way) -> None:
    """Play the way to a state and write the state down, with what follows from it."""
    state = forked(lambda: reach(way), FIRST_MOMENT).value
    with tempfile.TemporaryDirectory() as folder:
        came = forked(lambda: follow(state, Path(folder)), LATER).value
    del state["options"]
    write_state(name, {**state, "then": came})


def reach(way: Way) -> dict[str, Any]:
    """Go from the state a way begins at to the one it leads to."""
    shutil.rmtree(TOP, ignore_errors=True)
    bench = Bench(TOP / WORK, way.id)
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, TOP / "home")
        patch.setenv("GIT_TEMPLATE_DIR", "")
        (TOP / "home").mkdir(parents=True)
        if way.start:
            unpack(read_state(way.start), TOP)
        scene = way.play(bench)
        bench.rest()
        calls = [words_of(call, bench) for call in way.calls]
        asked, *options = way.asked or asked_in(bench)
        return {
            "recorded_by": BY, "base": way.like or way.start, "story": way.id, "asked": asked,
            "options": options, "calls": calls, "runs": way.runs, **at_host(scene), **pack(TOP),
        }  # fmt: skip


def at_host(scene: Any) -> dict[str, Any]:
    """Return what is on the host of a scene, and, of a round, what was planned of it and is not done."""
    if isinstance(scene, delivery.DeliveryScene):
        return {"host": json.dumps(dumped(scene.hub)), "clock": time.time() + scene.clock[0]}
    if isinstance(scene, rounds.PullScene):
        return {"host": json.dumps(dumped(scene.hub)), "planned": scene.planned or None}
    return {}


def asked_in(bench: Bench) -> tuple[str, ...]:
    """Return the rule of the question that is open, and the answers that are tried."""
    asked = bench.state.question if bench.project.is_story(bench.id) else None
    if asked is None:
        return ("",)
    return asked.rule, *(answer for answer in asked.answers if answer not in WAYS_OUT or asked.rule in TRIED)


def words_of(text: str, bench: Bench) -> list[str]:
    named = {"ID": lambda: bench.id, "RUN": lambda: bench.run.id}
    return [named[word]() if word in named else word for word in text.split()]


def follow(state: dict[str, Any], top: Path) -> dict[str, list[str]]:
    with pytest.MonkeyPatch.context() as patch:
        return outcomes(state, ["", *state["options"]], top, patch)


if __name__ == "__main__":
    built_schema(), described()  # while the cache of this machine is at hand
    for one in WAYS:
        if not path_of(one).exists():
            print(one, flush=True)
            try:
                record(one, WAYS[one])
            except Broken as error:  # the others are recorded all the same
                print(error)
