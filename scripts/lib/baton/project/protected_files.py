"""Files that decide what runs: no comment on a pull request gets them changed, and a story asks first.

One list for both.
"""

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple

from baton.artifacts.file_name import folded_name
from baton.git.command import Git


class Sort(NamedTuple):
    """A sort of protected files: folders with all that is in them, and names, anywhere in the tree.

    A story asks before it changes one, unless stories change such files all the time.
    """

    what: str
    folders: tuple[str, ...]
    names: tuple[str, ...]
    asked_by_stories: bool = True


PLATFORM, OWNERS = "a setting of the platform or its CI", "the list of code owners"
HOOKS = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
    "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "post-rewrite", "pre-push",
    "reference-transaction", "post-index-change", "fsmonitor-watchman",
)  # fmt: skip
SORTS = (
    Sort(PLATFORM, (".github", ".gitlab", ".gitea", ".forgejo", ".bitbucket"), ()),
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
            "zuul.y*ml", ".prow.y*ml", ".build.yml", ".semaphore.y*ml", ".scrutinizer.y*ml", ".taskcluster.y*ml",
            ".evergreen.y*ml", "screwdriver.y*ml", ".readthedocs.y*ml", ".mergify.y*ml",
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
        asked_by_stories=False,
    ),
    Sort(OWNERS, (), ("codeowners",), asked_by_stories=False),
    Sort(
        "a setting or an instruction of an agent",
        (
            ".claude", ".claude-plugin", ".cursor", ".windsurf", ".codex", ".agents", ".gemini", ".continue",
            ".roo", ".kiro", ".junie", ".opencode", ".amazonq", ".clinerules", ".augment", ".goose", ".copilot",
            ".openhands", ".trae", ".factory", ".qwen", ".crush", ".rules", ".kilocode", ".cody",
        ),
        (
            "claude.md", "claude.*.md", "agents.md", "agents.*.md", "agent.md", "gemini.md",
            "copilot-instructions.md", "qwen.md", "warp.md", "crush.md", "conventions.md", "crush.json",
            ".crush.json", ".mcp.json", "mcp.json", ".claude.json", ".cursorrules", ".cursorignore",
            ".windsurfrules", ".clinerules", ".roorules", ".roomodes", ".goosehints", ".aider*", "opencode.json*",
            ".ripgreprc", ".coderabbit.y*ml", ".greptile*", ".sourcery.y*ml", ".bugbot.md", "bugbot.md",
            ".pr_agent.toml",
        ),
    ),
    Sort(
        "what a machine runs by itself",
        (
            ".husky", ".githooks", "git-hooks", ".git-hooks", ".hooks", ".lefthook", ".lefthook-local",
            ".vscode", ".idea", ".devcontainer", ".zed", ".fleet", ".vs", ".run", ".mvn", ".yarn", ".cargo",
            ".bundle", ".gradle", ".bsp", ".helix", ".nvim", ".trunk", "mise", ".mise",
        ),
        (
            "lefthook.*", ".lefthook.*", "lefthook-local.*", ".lefthook-local.*", ".pre-commit-config.y*ml",
            ".pre-commit-hooks.y*ml", "prek.toml", ".huskyrc*", "husky.config.*", ".overcommit.y*ml",
            ".simple-git-hooks.*", "simple-git-hooks.*", ".lintstagedrc*", "lint-staged.config.*", ".envrc",
            "*.code-workspace", ".devcontainer.json", "*.sublime-project", ".dir-locals.el", ".exrc", ".nvimrc",
            ".nvim.lua", ".vimrc", ".lvimrc", ".gitpod.y*ml", "mise.*", ".mise.*", ".tool-versions",
            "nuget.config", "pip.conf", "pip.ini", "cog.toml", "captainhook.json",
            ".yarnrc*", ".npmrc", ".pnpmfile.*js", "gradle-wrapper.properties", "sitecustomize.py",
            "usercustomize.py", "renovate.json*", ".renovaterc*", ".bazelrc", "bunfig.toml",
        ),
    ),
    Sort("a hook of git", (), HOOKS),
    Sort("a setting of git", (".git",), (".gitattributes", ".gitmodules", ".gitconfig", ".lfsconfig")),
    Sort("a setting of baton", (), (".baton.yaml", ".baton.yml")),
)  # fmt: skip


def protected_sort(path: str, hooks: str = "") -> str:
    """Name the sort of a file that no resolver may change; empty for others. Case makes no difference.

    `hooks` is the folder of the repository that `hooks_folder` found.
    """
    sort = _sort(path, hooks)
    return sort.what if sort else ""


def risky_sort(path: str, hooks: str = "") -> str:
    """Name the sort of a file that a story asks about before it changes it; empty for others."""
    sort = _sort(path, hooks)
    return sort.what if sort and sort.asked_by_stories else ""


def _sort(path: str, hooks: str) -> Sort | None:
    *folders, name = parts = [folded_name(part) for part in path.split("/")]
    if hooks and parts[: hooks.count("/") + 1] == [folded_name(part) for part in hooks.split("/")]:
        return Sort("a hook of git", (), ())
    inside = {*folders, name}  # the last may be a folder that is a link, or a submodule
    for sort in SORTS:
        if not inside.isdisjoint(sort.folders) or any(fnmatchcase(name, pattern) for pattern in sort.names):
            return sort
    return None


def hooks_folder(git: Git) -> str:
    """Return the folder of the work tree that `core.hooksPath` names; empty where hooks are kept elsewhere."""
    configured = git.ask("config", "--type=path", "--get", "core.hooksPath").out.rstrip("\n")
    inside = os.path.relpath(os.path.join(git.project.root, configured), git.project.root)
    return "" if inside.split("/")[0] in (".", "..") else inside


def filter_protected(paths: Iterable[str], hooks: str = "") -> list[str]:
    """Return the files that no resolver may change."""
    return [path for path in paths if protected_sort(path, hooks)]
