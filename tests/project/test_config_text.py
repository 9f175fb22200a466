"""What was found is written as YAML that reads the same, with a comment on each line."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.strict_yaml import load_yaml
from baton.project.detect_commands import CommandLine, Commands, ProjectPart
from baton.project.first_settings import render_config
from project.test_detect_commands import BOTH, commands

ODD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
WORDS = ODD | st.sampled_from(
    ["null", "true", "a: b", "a #b", "- x", "'a'", '"b"', "ü", "~", " a ", "{a}", "1.10", "*a"]
)


@given(
    lines=st.tuples(WORDS, WORDS, WORDS), parts=st.lists(st.tuples(WORDS, WORDS), max_size=3), doubts=st.lists(ODD)
)
def test_yaml_reads_every_text_as_it_was_meant(
    lines: tuple[str, str, str], parts: list[tuple[str, str]], doubts: list[str]
) -> None:
    prepush = tuple(ProjectPart(path, CommandLine(run, path)) for path, run in parts)
    setup, build, test = (CommandLine(line, line) for line in lines)
    text = render_config("main", Commands(setup, build, test, prepush, tuple(doubts)))
    wanted: dict[str, Any] = dict(zip(("setup", "build", "test"), lines, strict=True))
    wanted |= {"prepush": [{"path": path, "run": run} for path, run in parts]} if parts else {}
    assert load_yaml(text)["commands"] == wanted


def test_most_lines_are_written_as_they_are_typed() -> None:
    text = render_config("main", commands({"package.json": BOTH, "package-lock.json": "", "é/go.mod": ""}))
    assert "  setup: npm ci  # from package-lock.json\n  build: npm run build  # from package.json\n" in text
    assert '    - path: "é"\n      run: go build ./... && go test ./...  # from go.mod\n' in text


def test_doubts_are_comments_and_few() -> None:
    doubts = (*(f"{n}/package.json: broken (\x07\n{'x' * 300})" for n in range(30)), "last")
    said = render_config("main", Commands(CommandLine(), CommandLine(), CommandLine(), (), doubts)).splitlines()
    lines = [one for one in said if one.startswith("# to check: ")]
    assert (len(lines), lines[-1]) == (11, "# to check: and 21 more")
    assert max(map(len, said)) < 230
