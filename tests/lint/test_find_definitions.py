"""What a path holds: a plugin, a project, one file of it; and what cannot be read."""

from pathlib import Path

import pytest

from baton.artifacts.findings import Finding
from baton.errors import BatonError
from baton_lab.lint.check import check_definitions
from baton_lab.lint.definition import AGENT, COMMAND, SKILL, read_definition
from baton_lab.lint.find_definitions import find_definitions

FRONT = "---\nname: one\ndescription: d\n---\ntext\n"
READ_BY_THE_CLIENT = {
    "a colon in a value": "description: Use when: it rains\ntools: Read",
    "a bracket too many": "argument-hint: [a] [b]\ntools: Read",
    "a star": "description: *all* of it\ntools: Read",
    "a backtick": "description: `x` and y\ntools: Read",
    "a tab": "description:\td\ntools: Read",
    "an anchor": "description: &all d\ntools: Read",
}


def write(path: Path, text: str | bytes = FRONT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A plugin with one of each kind in its usual place, and one where its manifest says."""
    root = tmp_path / "plugin"
    about = '{"name": "pp", "agents": ["./more/extra.md", "../outside"], "hooks": {"Stop": [{"hooks": [{}]}]}}'
    write(root / ".claude-plugin/plugin.json", about)
    for place in ("agents/a.md", "agents/team/b.md", "commands/c.md", "skills/s/SKILL.md", "more/extra.md"):
        write(root / place)
    write(root / "skills/s/agents/page.md")
    write(tmp_path / "outside/agent.md")
    return root


def kinds(path: Path) -> list[str]:
    found = [definition for sets in find_definitions(path) for definition in sets.whole.definitions]
    return sorted(f"{one.kind} {one.path.stem}" for one in found)


def findings(path: Path, root: Path) -> list[Finding]:
    """Check the one set of definitions that is at a path."""
    [found] = find_definitions(path)
    return check_definitions(found, root)


def test_a_plugin_has_its_usual_places_and_those_it_names_inside_of_it(plugin: Path) -> None:
    assert kinds(plugin) == ["agent a", "agent b", "agent extra", "command c", "skill SKILL"]
    [found] = find_definitions(plugin)
    assert (found.whole.plugin, [hook.event for hook in found.whole.hooks]) == ("pp", ["Stop"])


@pytest.mark.parametrize("at", ["", ".claude", ".claude/agents/a.md"])
def test_a_project_is_found_from_its_folder_from_inside_and_by_one_file(at: str, tmp_path: Path) -> None:
    write(tmp_path / ".claude/agents/a.md")
    assert kinds(tmp_path / at) == ["agent a"]


def test_all_plugins_of_a_folder_are_found(plugin: Path) -> None:
    write(plugin.parent / "second/.claude-plugin/plugin.json", '{"name": "second"}')
    write(plugin.parent / "second/agents/z.md")
    assert len(find_definitions(plugin.parent)) == 2


def test_a_file_is_checked_in_its_plugin_and_alone_of_it(plugin: Path) -> None:
    write(plugin / "agents/b.md", FRONT.replace("d\n", "d\npermissionMode: plan\n"))
    write(plugin / "agents/a.md", FRONT.replace("d\n", "d\nhooks: {Stop: []}\n").replace("one", "two"))
    assert [one.path for one in findings(plugin / "agents/b.md", plugin)] == ["agents/b.md"]
    assert kinds(plugin / "skills/s/SKILL.md") == kinds(plugin)


@pytest.mark.parametrize("name", ["nowhere", "notes.md", "empty", "n" * 300])
def test_a_folder_without_definitions_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    write(tmp_path / "notes.md")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BatonError, match="name a plugin's folder"):
        find_definitions(tmp_path / name)


@pytest.mark.parametrize("named", ["\\ud800", "../outside", "/etc", "./more/circle", "\\u0000"])
def test_a_path_of_the_manifest_that_leads_nowhere_is_passed_over(named: str, plugin: Path) -> None:
    (plugin / "more/circle").symlink_to("circle")
    write(plugin / ".claude-plugin/plugin.json", f'{{"agents": ["{named}"], "hooks": "{named}"}}')
    assert kinds(plugin) == ["agent a", "agent b", "command c", "skill SKILL"]


def test_a_link_is_checked_under_its_own_name(plugin: Path) -> None:
    linked = write(plugin.parent / "linked.md", FRONT.replace("d\n", "d\nhooks: x\n"))
    (link := plugin / "agents/link.md").symlink_to(linked)
    assert [one.rule for one in findings(link, plugin)] == ["agent-same-name", "agent-plugin-key"]


@pytest.mark.parametrize(("place", "text", "said"), [
    ("agents/a.md", b"\xff\xfe\x00", "UTF-16"), ("agents/a.md", b"---\n\x80\n", "not UTF-8"),
    ("hooks/hooks.json", b'{"hooks": [', "not JSON"), (".claude-plugin/plugin.json", b"[" * 9999, "not JSON"),
    ("hooks/hooks.json", b"\x00" * 9, "UTF-16"),
])  # fmt: skip
def test_an_unreadable_definition_is_a_finding(place: str, text: bytes, said: str, plugin: Path) -> None:
    write(plugin / place, text)
    [finding] = [one for one in findings(plugin, plugin) if one.rule == "unreadable"]
    assert (finding.path, finding.message[: len(said)]) == (place, said)


@pytest.mark.parametrize("text", [
    b'[]', b'{"hooks": 1}', b'{"hooks": {"Stop": 1}}', b'{"hooks": {"Stop": [1, {"hooks": 1}, {"hooks": [1]}]}}',
    b'{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"command": ["x"], "timeout": "a"}]}]}}',
    b'{"hooks": {"PreToolUse": [{"matcher": 7, "hooks": [{"type": "prompt", "prompt": "\\ud800"}]}]}}',
])  # fmt: skip
def test_hooks_of_another_shape_are_left_to_the_client(text: bytes, plugin: Path) -> None:
    write(plugin / "hooks/hooks.json", text)
    assert [one for one in findings(plugin, plugin) if "hooks.json" in one.path] == []


@pytest.mark.parametrize("head", READ_BY_THE_CLIENT.values(), ids=READ_BY_THE_CLIENT)
def test_front_matter_is_read_as_leniently_as_by_the_client(head: str) -> None:
    one = read_definition(AGENT, Path("a.md"), f"---\n{head}\n---\ntext\n")
    assert ([tool.name for tool in one.tools("tools")], one.fault) == (["Read"], "")


@pytest.mark.parametrize("head", [
    'description: "a "b" c"', "description: a\n\nExamples: <x>\nuser: no\n<x>", "description: d\n\ttools: Read",
])  # fmt: skip
def test_front_matter_that_the_client_drops_is_a_fault(head: str) -> None:
    one = read_definition(COMMAND, Path("a.md"), f"---\n{head}\ntools: Read\n---\ntext\n")
    assert one.fault
    assert one.fields == {}


@pytest.mark.parametrize(
    "text", ["", "no front matter", "---\nnever closed", "---\n- a\n- b\n---\nx", "---\n---\n"]
)
def test_without_front_matter_a_definition_is_its_text(text: str) -> None:
    one = read_definition(SKILL, Path("s/SKILL.md"), text)
    assert (one.name, one.fields, one.fault) == ("s", {}, "")
