"""Files that no comment on a pull request may have changed: what they say is carried out, or decides what is."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple

from baton.artefacts.file_name import folded


class Sort(NamedTuple):
    """A sort of protected files: folders with all that is in them, and names, wherever in the tree they are."""

    what: str
    folders: tuple[str, ...]
    names: tuple[str, ...]


SORTS = (
    Sort("a setting of the platform or its CI", (".github", ".gitlab", ".gitea", ".forgejo", ".bitbucket"), ()),
    Sort(
        "a setting of CI",
        (
            ".circleci", ".buildkite", ".woodpecker", ".azure-pipelines", ".semaphore", ".teamcity", ".tekton",
            ".zuul.d", ".builds", ".harness", ".appveyor", ".cirrus", ".concourse", ".drone",
        ),
        (
            ".gitlab-ci*.yml", ".gitlab-ci*.yaml", ".travis.y*ml", "appveyor.y*ml", ".appveyor.y*ml",
            "azure-pipelines*.y*ml", ".azure-pipelines*.y*ml", "jenkinsfile*", "*.jenkinsfile",
            "bitbucket-pipelines.y*ml", ".drone.*", ".woodpecker.y*ml", ".cirrus.*", "buildspec*.y*ml",
            "cloudbuild*.y*ml", "cloudbuild.json", "wercker.y*ml", "codemagic.y*ml", "bitrise.y*ml", ".zuul.y*ml",
            "zuul.y*ml", ".prow.y*ml", ".build.yml", ".semaphore.y*ml", ".scrutinizer.y*ml",
        ),
    ),
    Sort(
        "a lock file",
        (),
        (
            "*.lock", "*.lockb", "*.lockfile", "*.lock.json", "*-lock.json", "*-lock.yaml", "*-lock.yml",
            "*.lock.hcl", "*.lock.yaml", "*.lock.yml", "npm-shrinkwrap.json", "pylock*.toml", "gems.locked",
            "go.sum", "go.work.sum", "*.resolved", "verification-metadata.xml", "lake-manifest.json",
            "dub.selections.json", "cabal.project.freeze", ".pnp.*js", "maven_install.json",
        ),
    ),
    Sort("the list of code owners", (), ("codeowners",)),
    Sort(
        "a setting or an instruction of an agent",
        (
            ".claude", ".claude-plugin", ".cursor", ".windsurf", ".codex", ".agents", ".gemini", ".continue",
            ".roo", ".kiro", ".junie", ".opencode", ".amazonq", ".clinerules", ".augment", ".goose", ".copilot",
        ),
        (
            "claude.md", "claude.*.md", "agents.md", "agents.*.md", "agent.md", "gemini.md",
            "copilot-instructions.md",
            ".mcp.json", "mcp.json", ".claude.json", ".cursorrules", ".cursorignore", ".windsurfrules",
            ".clinerules", ".roorules", ".roomodes", ".goosehints", ".aider*", "opencode.json*", ".ripgreprc",
            ".coderabbit.y*ml", ".greptile*", ".sourcery.y*ml", ".bugbot.md", "bugbot.md",
        ),
    ),
    Sort(
        "what a machine runs by itself",
        (
            ".husky", ".githooks", "git-hooks", ".git-hooks", ".hooks", ".lefthook", ".lefthook-local",
            ".vscode", ".idea", ".devcontainer",
        ),
        (
            "lefthook.*", ".lefthook.*", "lefthook-local.*", ".lefthook-local.*", ".pre-commit-config.y*ml",
            ".pre-commit-hooks.y*ml", "prek.toml", ".huskyrc*", "husky.config.*", ".overcommit.y*ml",
            ".simple-git-hooks.*", "simple-git-hooks.*", ".lintstagedrc*", "lint-staged.config.*", ".envrc",
            "*.code-workspace", ".devcontainer.json",
        ),
    ),
    Sort("a setting of git", (".git",), (".gitattributes", ".gitmodules", ".gitconfig", ".lfsconfig")),
    Sort("a setting of baton", (), (".baton.yaml", ".baton.yml")),
)  # fmt: skip


def protection(path: str) -> str:
    """Say what a file is that no resolver changes; nothing for one that may be. Case makes no difference."""
    *folders, name = (folded(part) for part in path.split("/"))
    inside = {*folders, name}  # the last may be a folder that is a link, or a submodule
    for sort in SORTS:
        if not inside.isdisjoint(sort.folders) or any(fnmatchcase(name, one) for one in sort.names):
            return sort.what
    return ""


def protected(paths: Iterable[str]) -> list[str]:
    """Give those of the files that no resolver changes."""
    return [path for path in paths if protection(path)]
