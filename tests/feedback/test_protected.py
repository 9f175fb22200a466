"""Files that no comment may have changed, whatever their case and wherever they are; others may be."""

import pytest

from baton.feedback.protected import protected, protection


@pytest.mark.parametrize(("path", "what"), [
    (".github/workflows/ci.yml", "CI"), (".GitHub/dependabot.yml", "CI"), (".github./x", "CI"),
    (".gitlab/x", "CI"), (".gitlab-ci.yml", "CI"), (".circleci/config.yml", "CI"), (".travis.yml", "CI"),
    ("Jenkinsfile", "CI"),
    ("ci/Jenkinsfile.release", "CI"), ("azure-pipelines.yml", "CI"), ("bitbucket-pipelines.yml", "CI"),
    (".buildkite/pipeline.yml", "CI"), ("cloudbuild.yaml", "CI"), (".woodpecker.yml", "CI"),
    ("buildspec.yml", "CI"),
    ("package-lock.json", "lock"), ("web/yarn.lock", "lock"), ("pnpm-lock.yaml", "lock"), ("bun.lockb", "lock"),
    ("Cargo.lock", "lock"), ("go.sum", "lock"), ("poetry.lock", "lock"), ("uv.lock", "lock"),
    ("Pipfile.lock", "lock"),
    ("pylock.toml", "lock"), ("Gemfile.lock", "lock"), ("composer.lock", "lock"), ("Package.resolved", "lock"),
    ("gradle.lockfile", "lock"), ("gradle/verification-metadata.xml", "lock"), (".terraform.lock.hcl", "lock"),
    ("lake-manifest.json", "lock"), ("npm-shrinkwrap.json", "lock"), ("packages.lock.json", "lock"),
    ("flake.lock", "lock"), ("CODEOWNERS", "owners"), ("docs/CODEOWNERS", "owners"),
    (".claude/settings.json", "agent"), ("sub/.claude/agents/x.md", "agent"), ("CLAUDE.md", "agent"),
    ("src/Claude.MD", "agent"), ("CLAUDE.local.md", "agent"), ("AGENTS.md", "agent"),
    ("agents.override.md", "agent"),
    (".mcp.json", "agent"), (".cursor/rules/x.mdc", "agent"), (".cursorrules", "agent"), ("GEMINI.md", "agent"),
    (".husky/pre-commit", "by itself"), (".githooks/x", "by itself"), ("lefthook.yml", "by itself"),
    (".lefthook.toml", "by itself"), ("lefthook-local.yml", "by itself"), (".pre-commit-config.yaml", "by itself"),
    (".envrc", "by itself"), (".vscode/tasks.json", "by itself"), (".devcontainer/devcontainer.json", "by itself"),
    (".gitattributes", "git"), ("sub/.gitmodules", "git"), (".gitconfig", "git"), (".git/config", "git"),
    (".baton.yaml", "baton"), (".Baton.yml", "baton"), (".claude", "agent"),
])  # fmt: skip
def test_what_is_carried_out_or_decides_what_is_may_not_be_changed(path: str, what: str) -> None:
    assert what in protection(path)


@pytest.mark.parametrize("path", [
    "src/a.py", "README.md", "docs/github/workflows/ci.yml", "src/lock.py", "src/deadlock.rs", "package.json",
    "Cargo.toml", "go.mod", "pyproject.toml", ".gitignore", "agents/planner.md", "src/agents.py", "claude/x.py",
    "docs/claude-notes.md", "hooks/use-x.ts", "src/hooks/index.ts", "codeowners.py", "clock.json", "Makefile",
    ".env.example", "husky/x.js", "gitattributes.md", "baton.yaml", "block-json.ts",
])  # fmt: skip
def test_other_files_may_be_changed(path: str) -> None:
    assert protection(path) == ""


def test_of_several_those_that_may_not_be_are_given() -> None:
    assert protected(["a.py", "uv.lock", "b.py", ".github/x"]) == ["uv.lock", ".github/x"]
