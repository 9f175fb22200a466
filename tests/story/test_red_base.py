"""Where base fails, too, nothing is merged that a story has made worse, or of which nothing is known."""

import pytest

from bench import ROOT, Bench
from checks.test_failures import PRINTED
from scenes import judge_on_red

AWAY = ROOT / "tests" / "examples" / "away"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("tool", ["cargo", "go-proxy-off", "npm", "pip", "maven", "lake"])
def test_a_network_that_is_away_on_both_sides_is_a_question(tool: str, judging: Bench) -> None:
    step = judge_on_red(judging, "test", f"cat '{AWAY / tool}.txt'; exit 1\n")
    assert (step["rule"], step["action"]) == ("test/unclear", "escalate")
    assert "`test` could not reach what it needs" in step["reason"]
    assert "test_calc.py" not in judging.git("ls-tree", "--name-only", "main")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("printed", PRINTED.values(), ids=PRINTED)
def test_one_more_file_that_a_formatter_or_a_linter_names_is_fixed(printed: str, judging: Bench) -> None:
    old, new = (f"cat <<'END'\n{printed.format(name)}\nEND\n" for name in ("calc.py", "test_calc.py"))
    step = judge_on_red(judging, "build", f"{old}test ! -e test_calc.py || {new}exit 1\n")
    assert step["rule"] == "fix/run"
