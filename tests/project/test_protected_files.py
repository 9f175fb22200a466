"""Files that no comment may have changed, whatever their case and wherever they are; others may be."""

import pytest

from baton.git.command import Git
from baton.project.protected_files import filter_protected, hooks_folder, protected_sort, risky_sort
from bench import Bench


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
    ("tools/git/pre-commit", "hook"), ("hooks/Commit-Msg", "hook"), (".zed/tasks.json", "by itself"),
    (".dir-locals.el", "by itself"), ("mise.toml", "by itself"), (".tool-versions", "by itself"),
    ("QWEN.md", "agent"), ("WARP.md", "agent"), (".rules", "agent"), (".trae/rules/x.md", "agent"),
    (".cargo/config.toml", "by itself"), ("web/.npmrc", "by itself"), (".yarnrc.yml", "by itself"),
    (".mvn/jvm.config", "by itself"), ("gradle/wrapper/gradle-wrapper.properties", "by itself"),
    ("src/sitecustomize.py", "by itself"), ("renovate.json5", "by itself"), (".bazelrc", "by itself"),
    (".baton.yaml", "baton"), (".Baton.yml", "baton"), (".claude", "agent"),
])  # fmt: skip
def test_files_that_run_or_decide_what_runs_are_protected(path: str, what: str) -> None:
    assert what in protected_sort(path)


@pytest.mark.parametrize("path", [
    "src/a.py", "README.md", "docs/github/workflows/ci.yml", "src/lock.py", "src/deadlock.rs", "package.json",
    "Cargo.toml", "go.mod", "pyproject.toml", ".gitignore", "agents/planner.md", "src/agents.py", "claude/x.py",
    "docs/claude-notes.md", "hooks/use-x.ts", "src/hooks/index.ts", "codeowners.py", "clock.json", "Makefile",
    ".env.example", "husky/x.js", "cargo/x.rs", "rules.md", "gradle.properties", "npmrc.md",
    "gitattributes.md", "baton.yaml", "block-json.ts", "pre-commit.md",
    "docs/pre-push/notes.md",
])  # fmt: skip
def test_other_files_may_be_changed(path: str) -> None:
    assert protected_sort(path) == ""
    assert filter_protected([path, "uv.lock", path, ".github/x"]) == ["uv.lock", ".github/x"]


@pytest.mark.parametrize(("path", "asks"), [
    (".gitattributes", True), (".husky/pre-commit", True), (".github/workflows/ci.yml", True), ("CLAUDE.md", True),
    (".vscode/tasks.json", True), (".baton.yaml", True), ("tools/pre-push", True),
    ("uv.lock", False), ("CODEOWNERS", False), ("src/a.py", False), ("package.json", False),
])  # fmt: skip
def test_a_story_asks_about_what_decides_what_runs_and_may_change_a_lock_file(path: str, asks: bool) -> None:
    assert bool(risky_sort(path)) is asks


@pytest.mark.parametrize(("told", "folder"), [
    ("tools/hooks", "tools/hooks"), ("./tools/hooks/", "tools/hooks"), ("{root}/tools/hooks", "tools/hooks"),
    ("/opt/hooks", ""), (".", ""), ("../hooks", ""), ("", ""),
])  # fmt: skip
def test_the_folder_git_takes_its_hooks_from_is_protected(told: str, folder: str, git: Git, bench: Bench) -> None:
    if told:
        bench.git("config", "core.hooksPath", told.format(root=bench.root))
    hooks = hooks_folder(git)
    assert hooks == folder
    assert bool(protected_sort("tools/hooks/common.sh", hooks)) is bool(folder)
    assert bool(risky_sort("Tools/hooks/x", hooks)) is bool(folder)
    assert protected_sort("tools/hooks.py", hooks) == ""
