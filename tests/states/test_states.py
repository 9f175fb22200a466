"""Stories and rounds that an earlier baton left go on, or are refused untouched with one line: README says so."""

import json
from pathlib import Path

import pytest

from fake_github import provision
from fetched import or_skip
from states.state import HERE, path_of, read_state
from states.take_on import outcomes

NAMES = sorted(path.relative_to(HERE).with_suffix("").as_posix() for path in HERE.glob("*/*.json"))
# The questions of the tables as they were, one a line.
QUESTIONS = (HERE / "questions.txt").read_text(encoding="utf-8").split()


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", NAMES)
def test_what_an_earlier_baton_left_goes_on(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = read_state(name)
    if "host" in state:
        or_skip(provision.schema()), or_skip(provision.rest_description())
    assert outcomes(state, state["then"], tmp_path, monkeypatch) == state["then"]


def test_each_question_there_was_is_open_in_a_state() -> None:
    asked = {str(json.loads(path_of(name).read_text(encoding="utf-8")).get("asked")) for name in NAMES}
    assert set(QUESTIONS) - asked == set()
