"""Each rule on definitions as authors write them: with one fault each, and with none."""

import shutil
from pathlib import Path

import pytest

from baton_lab.lint.check import RULES, check_definitions
from baton_lab.lint.find_definitions import find_definitions
from baton_lab.lint.hook_rules import fires_for
from baton_lab.probes.all_probes import PROBES

ROOT = Path(__file__).parents[2]
EXAMPLES = Path(__file__).parent / "examples"
# The file with the fault, and the rule that finds it there. Two of a name, or two hooks: the second.
FAULTS = {
    "atlas/agents/reporter.md": "agent-without-tools",
    "atlas/agents/researcher.md": "agent-without-tools",
    "atlas/agents/planner.md": "agent-without-tools",
    "atlas/agents/explorer.md": "agent-unknown-tool",
    "atlas/agents/refactorer.md": "agent-unknown-tool",
    "atlas/agents/interviewer.md": "agent-main-tool",
    "atlas/agents/conductor.md": "agent-main-tool",
    "atlas/agents/git-helper.md": "agent-tool-pattern",
    "atlas/agents/deployer.md": "agent-plugin-key",
    "atlas/agents/auditor.md": "agent-plugin-key",
    "atlas/agents/db-reader.md": "agent-plugin-key",
    "atlas/agents/reviewer.md": "agent-tool-key",
    "atlas/agents/docs-writer.md": "agent-tool-key",
    "atlas/agents/tester.md": "agent-same-name",
    "atlas/agents/onboarding.md": "agent-skill",
    "atlas/agents/releaser.md": "agent-skill",
    "atlas/agents/triage.md": "front-matter-dropped",
    "atlas/skills/api-design/SKILL.md": "description-cut",
    "atlas/skills/changelog/SKILL.md": "grant-key",
    "atlas/skills/incident/SKILL.md": "grants-end",
    "atlas/skills/log-stats/SKILL.md": "awk-column",
    "atlas/skills/schema/SKILL.md": "plugin-root-bare",
    "atlas/skills/migrate/SKILL.md": "fork-agent",
    "atlas/skills/deps/SKILL.md": "same-name",
    "atlas/commands/fix-issue.md": "arguments-from-zero",
    "atlas/commands/pr-summary.md": "shell-arguments",
    "atlas/commands/search.md": "shell-arguments",
    "atlas/commands/coverage.md": "shell-not-allowed",
    "atlas/commands/sync.md": "shell-not-allowed",
    "atlas/commands/locate.md": "command-skill-dir",
    "atlas/hooks/guard.json": "matcher-not-anchored",
    "atlas/hooks/push.json": "matcher-permission",
    "atlas/hooks/edits.json": "matcher-no-tool",
    "atlas/hooks/multi.json": "matcher-no-tool",
    "atlas/hooks/explorer-done.json": "matcher-agent",
    "atlas/hooks/on-stop.json": "matcher-ignored",
    "atlas/hooks/only-main.json": "if-ignored",
    "atlas/hooks/audit-log.json": "hook-async-decision",
    "atlas/hooks/slow.json": "hook-timeout",
    "atlas/hooks/format.json": "hook-not-quoted",
    "atlas/hooks/notify.json": "hook-relative",
    "atlas/hooks/missing.json": "hook-no-script",
    "atlas/hooks/no-right.json": "hook-not-executable",
    "atlas/hooks/rewrite.json": "hook-two-inputs",
    "atlas/hooks/policy.json": "hook-variable",
    "shop/.claude/agents/team-lead.md": "agent-name",
    "shop/.claude/agents/draft.md": "agent-name",
    "shop/.claude/agents/worker.md": "agent-no-repository",
    "shop/.claude/commands/report.md": "plugin-root-outside",
    "shop/.claude/commands/ship.md": "same-name",
    "shop/.claude/settings.json": "hook-root-in-settings",
}
FAULTLESS = sorted(
    path.relative_to(EXAMPLES / "good").as_posix() for path in EXAMPLES.glob("good/**/*.*")
    if path.is_file() and (path.suffix == ".md" or path.parent.name in ("hooks", ".claude"))
)  # fmt: skip


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The faulty examples where no repository is around them."""
    return Path(shutil.copytree(EXAMPLES / "bad", tmp_path_factory.mktemp("lint") / "bad"))


def rules_at(path: Path) -> list[str]:
    """Return which rules find something in one file, each as often as it does."""
    return [
        definition.rule for found in find_definitions(path) for definition in check_definitions(found, path.parent)
    ]


@pytest.mark.parametrize("path", FAULTS)
def test_the_one_fault_of_a_definition_is_found(path: str, bad: Path) -> None:
    assert rules_at(bad / path) == [FAULTS[path]]


@pytest.mark.parametrize("path", FAULTLESS)
def test_a_definition_without_a_fault_is_let_be(path: str) -> None:
    assert rules_at(EXAMPLES / "good" / path) == []


def test_there_is_nothing_else_in_the_faulty_ones(bad: Path) -> None:
    found = [definition for sets in find_definitions(bad) for definition in check_definitions(sets, bad)]
    assert sorted((one.path, one.rule) for one in found) == sorted(FAULTS.items())


def test_there_are_forty_of_each_and_one_for_each_rule() -> None:
    assert min(len(FAULTS), len(FAULTLESS)) >= 40
    assert set(FAULTS.values()) == {rule.id for rule in RULES}


def test_each_rule_has_its_own_name_and_a_probe_that_is_run() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert {rule.probe for rule in RULES} <= set(PROBES)


def test_our_own_definitions_are_clean() -> None:
    [found] = find_definitions(ROOT)
    assert len(found.whole.definitions) + len(found.whole.hooks) > 15
    assert check_definitions(found, ROOT) == []


@pytest.mark.parametrize("matcher", ["a{99999999999999999999}", "(" * 3000 + ")" * 3000, "[z-a]"])
def test_a_matcher_that_is_no_expression_fires_for_nothing(matcher: str) -> None:
    assert fires_for(matcher) == set()
    assert "Bash" in fires_for("Ba.*")
