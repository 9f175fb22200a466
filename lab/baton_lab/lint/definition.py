"""A definition as the client reads it, leniently; the hooks of a JSON file; and what a rule about them is."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from baton.artifacts.strict_yaml import YamlFault, load_yaml, split_front_matter
from baton.text import clip, one_line

AGENT, SKILL, COMMAND = "agent", "skill", "command"
# As the client does it: a value that plain YAML stumbles over is taken as one text.
VALUE = re.compile(r"([A-Za-z_-]+):\s+(.+)")
SPECIAL = re.compile(r"[{}\[\]*&#!|>%@`]|: ")
QUOTED = re.compile(r"\".*\"|'.*'")
# A tool's name, and what stands in brackets behind it.
TOOL = re.compile(r"([^\s,()]+)(\([^)]*\))?")


class Spot(NamedTuple):
    """A place that a rule has found: its file and line, and what its message says of it."""

    path: Path
    line: int
    values: Mapping[str, str]


class Tool(NamedTuple):
    """A tool in a list: its name, and what stands behind it in brackets, such as `(git *)`."""

    name: str
    pattern: str


class Definition(NamedTuple):
    """An agent, a skill or a command; `fault` says in plain words why its front matter is dropped."""

    kind: str
    path: Path
    head: str
    fields: Mapping[str, Any]
    body: str
    fault: str = ""

    @property
    def name(self) -> str:
        """The name it gives itself, else its file's or folder's."""
        own = self.path.parent.name if self.kind == SKILL else self.path.stem
        return str(self.fields.get("name") or own)

    def tools(self, key: str) -> list[Tool]:
        """Return the tools a key lists, as text or as a list."""
        given = self.fields.get(key)
        texts = given if isinstance(given, list) else [given or ""]
        return [Tool(found[1], found[2] or "") for text in texts for found in TOOL.finditer(str(text))]

    def key_spot(self, key: str, /, **values: str) -> Spot:
        """Return the place of a key of the front matter."""
        before = re.split(rf"(?m)^{re.escape(key)}\s*:", self.head, maxsplit=1)
        return self._spot(2 + before[0].count("\n") if len(before) > 1 else 1, values)

    def body_spot(self, at: int, /, **values: str) -> Spot:
        """Return a place in the text, by its offset."""
        begins = self.head.count("\n") + 3 if self.head else 1
        return self._spot(begins + self.body.count("\n", 0, at), values)

    def _spot(self, line: int, values: Mapping[str, str]) -> Spot:
        return Spot(self.path, line, {key: clip(one_line(value), 80) for key, value in values.items()})


class HookEntry(NamedTuple):
    """A hook: its event, the group it stands in (matcher and other keys), and its own keys."""

    path: Path
    text: str
    event: str
    group: Mapping[str, Any]
    hook: Mapping[str, Any]

    @property
    def command(self) -> str:
        """The command it runs; empty for a hook of another type."""
        command = self.hook.get("command")
        return command if isinstance(command, str) and self.hook.get("type", "command") == "command" else ""

    @property
    def matcher(self) -> str:
        """Its matcher; empty for none."""
        return str(self.group.get("matcher") or "")

    def spot(self, needle: str, /, **values: str) -> Spot:
        """Return the place of a text of the hook: the first of these words in the file."""
        import json

        found = next((form for form in (json.dumps(needle), json.dumps(needle, ensure_ascii=False), needle)
                      if form in self.text), "")  # fmt: skip
        line = 1 + self.text.count("\n", 0, self.text.index(found))
        return Spot(self.path, line, {key: clip(one_line(value), 80) for key, value in values.items()})


class DefinitionSet(NamedTuple):
    """All definitions of a plugin (`plugin` is its name) or of a project's `.claude` (it is empty)."""

    root: Path
    plugin: str
    in_repository: bool
    definitions: tuple[Definition, ...]
    hooks: tuple[HookEntry, ...]

    def of(self, *kinds: str) -> Iterator[Definition]:
        """Yield the definitions of some kinds."""
        return (definition for definition in self.definitions if definition.kind in kinds)


class LintRule(NamedTuple):
    """A rule: what the client does, seen by its probe; what to do; and the function that finds where it matters.

    `message` and `remedy` name values of a spot in braces.
    """

    id: str
    probe: str
    severity: str
    message: str
    remedy: str
    find: Callable[[DefinitionSet], Iterator[Spot]]


def read_definition(kind: str, path: Path, text: str) -> Definition:
    """Read a definition's text as the client does."""
    try:
        head, body = split_front_matter(text)
    except YamlFault:  # never closed: all of it is text
        return Definition(kind, path, "", {}, text)
    try:
        fields = _load(head)
    except YamlFault as fault:
        # What only baton is strict about, such as an anchor, the client reads.
        return Definition(kind, path, head, {}, body, str(fault) if fault.__cause__ else "")
    return Definition(kind, path, head, fields if isinstance(fields, dict) else {}, body)


def _load(head: str) -> Any:
    try:
        return load_yaml(head)
    except YamlFault:
        return load_yaml("\n".join(map(_quoted, head.expandtabs().splitlines())))


def _quoted(line: str) -> str:
    found = VALUE.fullmatch(line)
    if not found or QUOTED.fullmatch(found[2]) or not SPECIAL.search(found[2]):
        return line
    value = found[2].replace("\\", "\\\\").replace('"', '\\"')
    return f'{found[1]}: "{value}"'


def hooks_in(path: Path, text: str, hooks: object) -> Iterator[HookEntry]:
    """Yield the hooks of a `hooks` object; what has another shape is left to the client's own validation."""
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            entries = group.get("hooks") if isinstance(group, dict) else None
            for hook in entries if isinstance(entries, list) else ():
                if isinstance(hook, dict):
                    yield HookEntry(path, text, event, group, hook)
