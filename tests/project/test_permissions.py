"""The line that says, before a story begins, what the client will ask for."""

import json
from pathlib import Path

import pytest

from baton.git.command import find_project
from baton.project.permissions import ASKS, permission_line
from bench import COMMANDS, Bench


def edits(bench: Bench) -> str:
    return f"Edit(/{bench.root}/.claude/worktrees/**)"


def missing(bench: Bench) -> str:
    return f"Not allowed yet: {edits(bench)}, Bash({COMMANDS['setup']}), "


def line(bench: Bench, mode: str) -> str:
    return permission_line(find_project(bench.root), mode)


@pytest.mark.parametrize("mode", [*ASKS, "future", ""])
def test_every_mode_says_what_it_asks_for(mode: str, bench: Bench) -> None:
    says = ASKS.get(mode, "what it asks for is not known")
    assert line(bench, mode).startswith(
        f"Permission mode {mode or 'unknown'}: {says}. baton's own steps never ask."
    )


@pytest.mark.parametrize(("mode", "named"), [("default", True), ("dontAsk", True), ("bypassPermissions", False)])
def test_missing_rules_are_named_where_they_matter(mode: str, named: bool, bench: Bench) -> None:
    assert (missing(bench) in line(bench, mode)) == named


def test_the_rule_for_edits_is_not_missing_where_edits_do_not_ask(bench: Bench) -> None:
    assert "Not allowed yet: Bash(" in line(bench, "acceptEdits")


def test_rules_of_the_main_checkout_count_in_a_linked_one(bench: Bench) -> None:
    assert "Not allowed yet" in line(Bench(bench.beside), "default")
    bench.baton("init", "--allow")
    assert "Not allowed yet" not in line(Bench(bench.beside), "default")
    assert line(bench, "default").endswith("baton's own steps never ask.")


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
@pytest.mark.parametrize("place", ["project", "home"])
def test_rules_count_wherever_the_client_reads_them(place: str, name: str, bench: Bench, surrounded: Path) -> None:
    folder = (bench.root if place == "project" else surrounded) / ".claude"
    folder.mkdir()
    (folder / name).write_text(json.dumps({"permissions": {"allow": ["Bash", edits(bench)]}}))
    assert "Not allowed yet" not in line(bench, "default")


@pytest.mark.parametrize(("beside", "rule", "covers"), [
    ("{edits}", "Bash(sh *)", True), ("{edits}", "Bash(sh:*)", True), ("{edits}", "Bash(sh tools/*)", False),
    ("{edits}", "Bash(s *)", False), ("{edits}", "Edit(*)", False),
    ("Bash", "Edit", True), ("Bash", "Edit(/**)", False), ("Bash", "Edit(src/**)", False),
])  # fmt: skip
def test_a_rule_covers_its_words_and_edits_their_place(beside: str, rule: str, covers: bool, bench: Bench) -> None:
    allow = [beside.format(edits=edits(bench)), rule]
    bench.write({".claude/settings.json": json.dumps({"permissions": {"allow": allow}})})
    assert ("Not allowed yet" not in line(bench, "default")) == covers


@pytest.mark.parametrize("text", ["{", "[]", '{"permissions": {"allow": "x"}}', '{"permissions": {"allow": [7]}}'])
def test_settings_the_client_could_not_read_allow_nothing(text: str, bench: Bench) -> None:
    bench.write({".claude/settings.json": text})
    assert missing(bench) in line(bench, "default")
