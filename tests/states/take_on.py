"""What the user and their agents do next in a story that is under way, whatever the state it is in."""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench import DELIVERED, VERDICT, Bench, CallResult, isolate, report_on, verdict_on
from delivery import scene as delivery
from fake_github.inside import answer_inside
from feedback import scene as rounds
from states.host import restored
from states.state import REMOTE, WORK, unpack


def implement(bench: Bench) -> Any:
    """Be the implementer: close every phase there is."""
    text = bench.place("plan").read_text(encoding="utf-8")
    bench.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    bench.mark(*map(int, re.findall(r"(?m)^### Phase (\d+):", text)))
    bench.insist("impl-report", report_on("test_calc.py", criteria=len(bench.state.criteria)))
    return bench.end()


def judge(bench: Bench) -> Any:
    """Be QA: pass every criterion."""
    bench.insist("qa-report", verdict_on(len(bench.state.criteria), "PASS"))
    return bench.end()


def deliver(bench: Bench) -> Any:
    """Be the run that does a small story whole."""
    bench.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    report = verdict_on(len(bench.state.criteria), "PASS") + DELIVERED.removeprefix(VERDICT)
    bench.insist("micro-delivery-report", report)
    return bench.end()


AGENTS: dict[str, Callable[[Bench], Any]] = {
    "planner": Bench.plan, "implementer": implement, "qa": judge, "micro-delivery": deliver,
}  # fmt: skip
Came = dict[str, list[str]]


def outcomes(state: dict[str, Any], options: Iterable[str], top: Path, patch: pytest.MonkeyPatch) -> Came:
    """Take a state on, once for each of these answers and with `""` for none; gives what each step came to."""
    came: Came = {}
    for number, option in enumerate(options):
        place = top / (option or "unanswered")
        unpack(state, place)
        isolate(patch, place / "home")
        bench = Bench(place / WORK, state["story"])
        if "planned" in state:
            came[option] = [*take_on_round(open_round(bench, state, patch), state["planned"], option)]
        else:
            meanwhile = at_github(bench, state, patch) if "host" in state else lambda: None
            runs = state["runs"] if number < 2 else 0  # after the first answer alone
            came[option] = [*take_on(bench, state["calls"], option, runs, meanwhile)]
        bench.rest()
    return came


def at_github(bench: Bench, state: dict[str, Any], patch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Have GitHub be as it was; gives how what is waited for comes."""
    place = bench.root.parent
    hub = restored(json.loads(state["host"]), place)
    answer_inside(hub, patch)
    story = delivery.OF_ISSUE if bench.id == "1" else delivery.STORY
    scene = delivery.attach_scene(bench, hub, place / REMOTE, patch, story)
    scene.later(state["clock"] + 1 - time.time())

    def meanwhile() -> None:
        scene.actions.finish()
        scene.later(700)
        for pull in scene.pulls:
            pull.follow()
            for thread in pull.threads:
                thread.resolved = True
        for deployment in scene.actions.deployments:
            deployment["state"] = "success"
        scene.turn_queue()

    return meanwhile


def take_on(
    bench: Bench, calls: list[list[str]], option: str, runs: int, meanwhile: Callable[[], None]
) -> Iterator[str]:
    """Ask where the story stands, answer what is asked, and be the run that is out; gives what each comes to."""
    before = {} if option else files_of(bench)
    for call in calls:
        said = bench.baton(*call, "--json")
        if said.code:
            break
    yield (came := told(said))
    if said.code:
        assert option or files_of(bench) == before
        return
    for verb in () if option else ("status", "timeline", "report"):
        assert bench.baton(verb, bench.id).code == 0
    if bench.state.question:
        assert bench.baton("question", bench.id).code == 0
    if option and bench.state.question:  # which may be answered on GitHub already
        assert bench.baton("answer", bench.id, option).code == 0
        yield (came := told(bench.baton("next", bench.id, "--json")))
    for _ in range(runs):
        if bench.state.stage == "running":
            yield told_of(AGENTS[bench.run.role](bench))
        elif came.partition(" ")[0] in ("wait", "feedback"):
            meanwhile()
            yield (came := told(bench.baton("next", bench.id, "--json")))


def open_round(bench: Bench, state: dict[str, Any], patch: pytest.MonkeyPatch) -> rounds.PullScene:
    """Have the pull request be as it was."""
    hub = restored(json.loads(state["host"]), bench.root.parent)
    answer_inside(hub, patch)
    return rounds.scene(bench, hub, bench.root.parent / REMOTE)


def take_on_round(scene: rounds.PullScene, planned: dict[str, Any] | None, option: str) -> Iterator[str]:
    """Answer what is asked, plan a round if none is out, be its resolvers, and land it."""
    before = files_of(scene.bench)
    if option:
        assert scene.bench.baton("answer", "pr-7", option).code == 0
    if planned is None:
        said = scene.bench.baton("pr", "plan", "7", "--json")
        if said.code == 0 and said.json["rule"] == "read/texts":
            scene.be_readers(*(one["unit"] for one in said.json["spawn"]))
            before = files_of(scene.bench)
            said = scene.bench.baton("pr", "plan", "7", "--json")
        planned = said.json if said.code == 0 else {}
        yield planned.get("rule", "refused").partition("/")[0]
    scene.planned = planned
    out = [one["unit"] for one in planned.get("spawn", ())]
    verdicts = []
    for unit in planned.get("units", ()):
        changed = scene.tree(unit["id"]).git("diff", "--name-only", "HEAD").split() if unit["id"] in out else []
        verdicts += [rounds.result(one, "fixed" if changed else "replied", *changed) for one in unit["items"]]
    if out:
        scene.settle(*verdicts)
    said = scene.landed()
    yield told_of_landing(said)
    if said.code == 2 and not option:
        assert files_of(scene.bench) == before


def told_of_landing(said: CallResult) -> str:
    """Say loosely what a landing came to: refused, or what is to be done by which table's rule."""
    if said.code == 2 and said.refused:
        return "refused"
    do, why = (line.split() for line in said.out.splitlines()[:2])
    return f"{do[1]} {why[1].partition('/')[0]}"


def files_of(bench: Bench) -> dict[str, bytes]:
    """Return all there is, beside the repository too, but what a call locks, and marks of settings found valid.

    These are named by their schema as well, so the first call after the schema changes makes one.
    """
    files = bench.bytes(bench.root.parent).items()
    return {name: data for name, data in files if not name.endswith("lock") and "/.git/baton/valid/" not in name}


def told(said: CallResult) -> str:
    """Say loosely what a call came to: `refused`, which is one line, or its step."""
    return told_of(said.json) if said.code < 2 or not said.refused else "refused"


def told_of(step: dict[str, Any]) -> str:
    """Say loosely what a step is: its action, whom it starts, and the table of its rule."""
    return " ".join(filter(None, (step["action"], step.get("agent"), step["rule"].partition("/")[0])))
