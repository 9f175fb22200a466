"""A round, from what was read to what is left: planned, resolved, landed; the second one after it."""

from bench import Said
from feedback.conftest import Working, result

ASSESSED = {"cluster_assessment": {"mode": "systemic", "summary": "the same check", "files_investigated": []}}


def landed(working: Working) -> Said:
    """Land as far as the host goes: what was pushed is the head there once it was asked for."""
    said = working.land()
    while said.out.startswith("DO wait"):
        said = working.land()
    return said


def test_a_thread_is_fixed_pushed_replied_and_resolved(working: Working) -> None:
    first = working.pull.thread("src/a.py", 1, by="me", body="Rename this variable.")
    working.clone.fetch()
    planned = working.plan()
    assert (planned["action"], planned["rule"], len(planned["spawn"])) == ("spawn", "gate/none", 1)
    unit = planned["spawn"][0]["unit"]
    working.edit(unit, "src/a.py", "alpha = 1\n")
    assert working.hand_in(unit, [result(first.id, "fixed", "src/a.py")]).code == 0
    said = landed(working)
    assert said.out.startswith("DO report\nWHY verify/clean")
    assert (first.resolved, len(first.comments)) == (True, 2)
