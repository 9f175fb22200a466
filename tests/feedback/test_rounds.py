"""Rounds end: what comes back joins what settled it, and what was settled is not new again; default settings."""

from pathlib import Path

import pytest

from bench import ROOT, Bench
from fake_github.pull_request import Inline
from fake_github.state import Thread
from feedback.reader_double import IGNORE, actionable, finding
from feedback.scene import PullScene, assessed, result

pytestmark = pytest.mark.gh

SETTINGS = "base: main\nintegrate: {mode: local}\n"
CHECKED = (
    "_🔒 Security & Privacy_ | _🟠 Major_\n\n**Validate the key.**\n\nIt is taken as it comes, even when empty."
)
COPY = "Validate the key: it is taken as it comes, an empty one as well. That is a security hole."
ON_OURS = (
    "_🛠️ Refactor suggestion_ | _🔵 Trivial_\n\n**Name the helper.**\n\nWhat it does is not what it is called."
)
SIBLING = "_🔒 Security & Privacy_ | _🟠 Major_\n\n**Validate the name.**\n\nIt is taken as it comes."
# What the reader says of these; of others that their first words ask for something.
SCRIPT = {
    **{quote: actionable(finding(quote, "security")) for quote in ("Validate the", "validate the")},
    "Name the helper": actionable(finding("Name the helper.", "naming")),
    "posted: 0": IGNORE, "issues": IGNORE,
}  # fmt: skip
# Reviews that repeat in their bodies what their threads say, in the forms of two bots.
BODIES = ROOT / "tests/examples/feedback/rounds"
FINDINGS = {
    "src/a.py": (
        "An order without a table fails on flush", "The wait is five minutes here and three there",
        "Stock is read before the lock is taken", "The total is rounded twice on its way to the till",
        "A refund below zero is paid out",
    ),
    "src/b.py": (
        "The menu is sorted by price where names are shown", "Every guest is greeted in the first language",
        "Closing time ignores the public holidays", "Tips are added before the tax is",
        "The kitchen hears of an order before it is paid",
    ),
}  # fmt: skip
PLACES = [(path, 10 * number, text) for path, texts in FINDINGS.items() for number, text in enumerate(texts, 1)]


@pytest.fixture
def here(here: PullScene) -> PullScene:
    for bot in ("cubic-dev-ai", "sourcery-ai"):
        here.hub.actor(bot, "Bot")
    here.script = SCRIPT
    here.push({"src/a.py": "a = 1\n" * 60, "src/b.py": "b = 1\n" * 60})
    return here


def fix(here: PullScene, *threads: Thread, text: str = "checked = 1\n") -> list[str]:
    """Be the resolvers of a round: change the line of each thread; returns what landing says."""
    units, wanted = {one["id"]: one for one in here.planned["units"]}, {thread.id: thread for thread in threads}
    out = " ".join(here.units)
    while names := [name for name in units if name in out and "DO report" not in out]:
        for unit in map(units.__getitem__, names):
            asked = [wanted[item] for item in unit["items"]]
            for one in asked:
                put(here.tree(unit["id"]), one.path, one.line or 1, text)
            results = [result(one.id, "fixed", one.path, reply_text="It is checked now.") for one in asked]
            assert here.hand_in(unit["id"], *results, **assessed(unit)).code == 0
        out = here.landed().out
    return out.splitlines()


def put(tree: Bench, path: str, line: int, text: str) -> None:
    """Write a line of a file anew."""
    lines = (tree.root / path).read_text(encoding="utf-8").splitlines(keepends=True)
    tree.write({path: "".join([*lines[: line - 1], text, *lines[line:]])})


def test_the_second_round_knows_the_first_and_the_third_is_clean(here: PullScene) -> None:
    asked = here.pull.thread("src/a.py", 1, by="alice", body="Please validate the key: check it for security.")
    found = here.pull.thread("src/b.py", 1, by="coderabbitai", body=CHECKED)
    here.plan()
    assert fix(here, asked, found)[:2] == ["DO report", "WHY verify/clean: nothing new is left"]
    assert (asked.resolved, found.resolved) == (False, True)  # a person's thread is theirs to resolve

    here.bench.git("pull", "--quiet", "--ff-only", "origin", "topic")
    again = [
        here.pull.thread("src/b.py", 1, by="bob", body=COPY),
        here.pull.thread("src/a.py", 1, by="coderabbitai", body=ON_OURS, commit=here.pushed),
        here.pull.thread("src/b.py", 40, by="coderabbitai", body=SIBLING),
    ]
    assert here.plan()["rule"] == "gate/cross"
    told = {one: set(unit["prior"]) for unit in here.planned["units"] for one in unit["items"]}
    assert found.id in told[again[0].id]
    assert asked.id in told[again[1].id]
    assert found.id in told[again[2].id]
    briefs = [Path(one["brief"]).read_text(encoding="utf-8") for one in here.planned["spawn"]]
    assert all("<prior-resolutions>" in brief for brief in briefs)
    assert fix(here, *again, text="again = 1\n")[0] == "DO report"

    here.pull.review(by="coderabbitai", body="**Actionable comments posted: 0**")
    assert here.plan()["rule"] == "pr/nothing"


def test_ten_settled_findings_stay_so_and_found_again_they_come_with_what_settled_them(here: PullScene) -> None:
    cubic, sourcery = ((BODIES / name).read_text(encoding="utf-8") for name in ("cubic.md", "sourcery.md"))
    forms = (
        ("cubic-dev-ai", cubic, "src/a.py", "P2: {}."),
        ("sourcery-ai", sourcery, "src/b.py", "**issue:** {}."),
    )
    for bot, body, path, inline in forms:
        threads = [Inline(one, line, inline.format(text)) for one, line, text in PLACES if one == path]
        here.pull.review(by=bot, body=body, threads=threads)
    asked = list(here.pull.threads)
    here.plan()
    assert {*here.planned_items} == {one.id for one in asked}
    assert fix(here, *asked)[0] == "DO report"
    assert all(one.resolved for one in asked)
    assert here.plan()["rule"] == "pr/nothing"
    found = [finding(f"P2: {text}.", path=path, line=line) for path, line, text in PLACES if path == "src/a.py"]
    here.script = {"issues": actionable(*found)}
    here.pull.review(by="cubic-dev-ai", body=cubic)
    assert here.plan()["rule"] == "gate/cross"
    assert {one.id for one in asked[:5]} <= {name for unit in here.planned["units"] for name in unit["prior"]}
