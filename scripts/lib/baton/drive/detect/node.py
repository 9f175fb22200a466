"""Node: the scripts of a package.json, run by the manager its lock file is of."""

import re
from typing import Any

from baton.drive.detect.files import Folder, Found, Line, is_member, part, strings

MANIFESTS = ("package.json",)
LOCKS = {
    "package-lock.json": "npm", "npm-shrinkwrap.json": "npm", "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn",
    "bun.lock": "bun", "bun.lockb": "bun",
}  # fmt: skip
LOCKED = {
    "npm": "npm ci",
    "pnpm": "pnpm install --frozen-lockfile",
    "yarn": "yarn install --frozen-lockfile",
    "yarn 2": "yarn install --immutable",
    "bun": "bun install --frozen-lockfile",
}
# A script in each package of a workspace that has it; yarn has no such line for every one of its versions.
EVERYWHERE = {
    "npm": "npm run {} --workspaces --if-present",
    "pnpm": "pnpm -r run {}",
    "bun": "bun run --filter '*' {}",
}
BUILDS = ("build", "compile", "typecheck", "type-check", "check-types", "tsc", "lint")
TESTS = ("test", "test:ci")
NO_TEST = "no test specified"
WATCHES = re.compile(r"--watch(?:All)?(?![\w-]|=false)|\bng test\b|\bweb-test-runner\b.*--open")
WATCHES_UNLESS_CI = re.compile(r"\breact-scripts test\b")
NEEDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "workspaces")


def find_node(folder: Folder) -> Found:
    """Find how a Node package is set up, built and tested; nothing when its manager is not sure."""
    package = folder.table("package.json")
    manager, lock = _manager(folder, package)
    if not package or not manager:
        return Found()
    members = _members(folder, package)
    build = _script(folder, package, manager, BUILDS) or _everywhere(folder, members, manager, "build")
    test = _script(folder, package, manager, TESTS) or _everywhere(folder, members, manager, "test")
    setup = Line()
    if lock:
        is_new = manager == "yarn" and _is_new_yarn(folder, package)
        setup = Line(LOCKED["yarn 2" if is_new else manager], lock)
    elif any(package.get(one) for one in NEEDS):
        setup = Line(f"{manager} install", "package.json")
    return Found(setup, Line(build, "package.json" if build else ""), Line(test, "package.json" if test else ""))


def covers_node(folder: Folder, path: str) -> bool:
    """Whether a folder below is a package of this one's workspace."""
    patterns = _patterns(folder, folder.table("package.json"))
    without = [one[1:] for one in patterns if one.startswith("!")]
    return is_member(path, [one for one in patterns if not one.startswith("!")], without)


def _manager(folder: Folder, package: dict[str, Any]) -> tuple[str, str]:
    """Give the package manager and the lock file that names it; nothing, with a doubt, when two do."""
    locks = {LOCKS[one]: one for one in LOCKS if folder.has(one)}
    named = str(package.get("packageManager", "")).partition("@")[0]
    if not locks:
        return (named if named in LOCKED else "npm"), ""
    if len(locks) > 1 and named not in locks:
        folder.doubt("package.json", f"lock files of {' and '.join(locks)} beside it; none was chosen")
        return "", ""
    manager = next(iter(locks)) if len(locks) == 1 else named
    return manager, locks[manager]


def _is_new_yarn(folder: Folder, package: dict[str, Any]) -> bool:
    named = str(package.get("packageManager", ""))
    if named.startswith("yarn@"):
        return not named.startswith(("yarn@0", "yarn@1."))
    return folder.has(".yarnrc.yml") or "__metadata:" in folder.text("yarn.lock", quiet=True)


def _script(folder: Folder, package: dict[str, Any], manager: str, names: tuple[str, ...]) -> str:
    """Give the line that runs the first of some scripts that ends by itself."""
    for name in names:
        text = part(package, "scripts").get(name)
        if not isinstance(text, str) or not text.strip() or NO_TEST in text:
            continue
        if WATCHES.search(text):
            folder.doubt("package.json", f"its script {name} waits for changes")
            continue
        start = "CI=true " if WATCHES_UNLESS_CI.search(text) else ""
        short = name == "test" and manager in ("npm", "pnpm")
        return f"{start}{manager} {name if short else f'run {name}'}"
    return ""


def _patterns(folder: Folder, package: dict[str, Any]) -> list[str]:
    listed = package.get("workspaces")
    listed = listed.get("packages") if isinstance(listed, dict) else listed
    return strings(listed) or strings(folder.table("pnpm-workspace.yaml").get("packages"))


def _members(folder: Folder, package: dict[str, Any]) -> list[Folder]:
    if not _patterns(folder, package):
        return []
    inner = (one for one in folder.folders_with(*MANIFESTS) if covers_node(folder, one))
    return [Folder(folder.files, folder.name(one)) for one in inner]


def _everywhere(folder: Folder, members: list[Folder], manager: str, name: str) -> str:
    """Give the line that runs a script in the packages of a workspace that have it; nothing when none has."""
    scripts = [(one, part(one.table("package.json"), "scripts").get(name)) for one in members]
    there = [(one, text) for one, text in scripts if isinstance(text, str)]
    doubtful = [one for one, text in there if NO_TEST in text or WATCHES.search(text)]
    if not there or len(doubtful) == len(there):
        return ""
    if doubtful or manager not in EVERYWHERE:
        folder.doubt("package.json", f"packages of its workspace have a script {name}, but not one line runs all")
        return ""
    return EVERYWHERE[manager].format(name)
