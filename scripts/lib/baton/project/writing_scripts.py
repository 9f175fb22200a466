"""Whether a command writes to the files it would judge, by itself or through a project's scripts that it calls."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

PARTS = re.compile(r"&&|[|;&\n]")
# Flags that make any tool write, and those of single ones.
WRITES = re.compile(
    r"\s--(?:fix|write|apply(?:-unsafe)?|auto-?correct(?:-all)?)(?![\w=-])"
    r"|\b(?:prettier|gofmt|goimports|gofumpt|shfmt)\s(?:.{0,200}\s)?-w(?!\S)"
    r"|\brubocop\s(?:.{0,200}\s)?-[aA](?!\S)|\bclang-format\s(?:.{0,200}\s)?-i(?!\S)"
)
# Tools that write unless they are told to look only.
FORMATS = re.compile(
    r"(?:^[@+ \t-]*|\s(?:run|exec|npx|uvx|-m)\s+)(?:\w+=\S*\s+)*(?:\S*/)?"
    r"(?:cargo (?:\+\S+ )?fmt|rustfmt|go fmt|black|isort|ruff format|deno fmt|dprint fmt|oxfmt)(?![\w-])"
)
LOOKS = re.compile(r"\s(?:--check(?:-only)?|--diff|--list-different)(?![\w-])|\bisort\s(?:.{0,200}\s)?-c(?!\S)")
CALLS = re.compile(r"\b(?:npm|pnpm|yarn|bun|run-[sp]|npm-run-all2?|concurrently|make)\b|\$[({]MAKE[)}]")
WORD = re.compile(r"[^\s\"'`(){}]+")
SHOWN = 80


def find_writer(line: str, scripts: Mapping[str, str]) -> str:
    """Return the part of a shell line, or of what it calls among `scripts`, that writes to files; else nothing."""
    queue, seen = [line], set[str]()
    while queue:
        for part in PARTS.split(queue.pop()):
            if WRITES.search(part) or (FORMATS.search(part) and not LOOKS.search(part)):
                return part.strip("@ \t")[:SHOWN]
            new = _called(part, scripts) - seen
            seen |= new
            queue += [scripts[name] for name in sorted(new)]
    return ""


def _called(part: str, scripts: Mapping[str, str]) -> set[str]:
    """Return the scripts that a command calls, with those that are run before and after each."""
    if not CALLS.search(part):
        return set()
    words = {word.removeprefix("npm:") for word in WORD.findall(part)}
    # `lint:*` calls each script that begins so.
    named = words | {name for word in words if ":" in word for name in scripts if fnmatchcase(name, word)}
    return {f"{when}{name}" for name in named for when in ("pre", "", "post")} & scripts.keys()


def make_targets(text: str) -> dict[str, str]:
    """Return what each target of a makefile runs: its recipe, after a call of the targets it needs."""
    targets, current = dict[str, str](), list[str]()
    for line in text.replace("\\\n", " ").split("\n"):
        if line.startswith("\t"):
            targets |= {name: f"{targets[name]}\n{line.strip()}" for name in current}
            continue
        head, colon, needs = line.partition(":")
        if not line.strip():
            continue
        is_rule = colon and not ("=" in head or needs.lstrip(":").startswith("=") or line.startswith("#"))
        current = head.split() if is_rule else []
        call = f"\nmake {needs.lstrip(':').partition('#')[0]}"
        targets |= {name: targets.get(name, "") + call for name in current}
    return targets
