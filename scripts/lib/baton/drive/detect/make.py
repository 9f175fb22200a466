"""Make: the targets of a makefile, which mostly wrap what else a folder has."""

import re

from baton.drive.detect.files import Folder

# In the order in which make looks for them.
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
RULE = re.compile(r"([A-Za-z0-9_.-]+(?:[ \t]+[A-Za-z0-9_.-]+)*)[ \t]*::?(?![:=])")
# What changes more than the tree the command runs in.
OUTSIDE = re.compile(r"\b(sudo|docker|docker-compose|podman|kubectl)\b")
NAMES = ("build", "test", "all", "check")


def find_targets(folder: Folder) -> tuple[str, set[str]]:
    """Give a folder's makefile and which of the targets that matter it has."""
    makefile = folder.first(*MAKEFILES)
    if not makefile:
        return "", set()
    recipes = _recipes(folder.text(makefile))
    targets = set()
    for name in NAMES:
        outside = OUTSIDE.search(recipes.get(name, ""))
        if outside and name in ("build", "test"):
            folder.doubt(makefile, f"its target {name} calls {outside[0]}")
        if name in recipes and not outside:
            targets.add(name)
    return makefile, targets


def _recipes(text: str) -> dict[str, str]:
    """The targets of a makefile, each with the lines that make it."""
    recipes: dict[str, str] = {}
    current: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        rule = RULE.match(line)
        if rule:
            current = rule[1].split()
            line = line[rule.end() :].partition(";")[2]
        elif line.strip() and not line.startswith(("\t", "#")):
            current = []
        for name in current:
            recipes[name] = recipes.get(name, "") + line + "\n"
    return recipes
