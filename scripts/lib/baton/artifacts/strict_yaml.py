"""YAML as the program reads it: strings stay strings, a key stands once, no tags, no anchors."""

import re
from functools import cache
from typing import Any

MARK = "---"
DEPTH = 32
LENGTH = 50_000
PLAIN_INT = re.compile(r"0|-?[1-9][0-9]{0,17}")
PLAIN_FLOAT = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")


class YamlFault(ValueError):
    """A fault in a piece of YAML, in one line with its place."""


def split_front_matter(text: str) -> tuple[str, str]:
    """Split a document into its front matter (empty when there is none) and the rest."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != MARK:
        return "", text
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() == MARK:
            return "".join(lines[1:index]), "".join(lines[index + 1 :])
    raise YamlFault("line 1: the front matter is not closed by a line `---`")


def load_yaml(text: str, most: int = LENGTH) -> Any:
    """Read one YAML document; YamlFault for anything but plain, untagged data with unique keys."""
    if len(text) > most:
        raise YamlFault(f"longer than {most:,} characters")
    yaml, loader = _yaml()
    try:
        return _build(yaml.compose(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise YamlFault(f"line {line}: {error.problem}") from error
    except yaml.YAMLError as error:
        raise YamlFault(str(error).splitlines()[0]) from error


def check_yaml(text: str) -> None:
    """Read another's YAML, of any number of documents; YamlFault where it cannot be."""
    yaml, _ = _yaml()
    try:
        list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise YamlFault(" ".join(str(error).split())) from error


@cache
def _yaml() -> tuple[Any, Any]:
    """Return the library, and a loader that looks at each event before anything is built of it: one pass."""
    import yaml  # most calls read no YAML

    class Checked(yaml.SafeLoader):
        depth = 0

        def get_event(self) -> Any:
            event: Any = super().get_event()  # type: ignore[no-untyped-call]
            self.depth = _check_event(event, self.depth)
            return event

    return yaml, Checked


def _check_event(event: Any, depth: int) -> int:
    """Refuse what could grow (anchors), call (tags) or exhaust the stack (depth); returns the depth after it."""
    line = event.start_mark.line + 1
    if getattr(event, "anchor", None):
        raise YamlFault(f"line {line}: anchors and aliases are not read: write the value out")
    if getattr(event, "tag", None):
        raise YamlFault(f"line {line}: tags are not read: write plain data")
    name = type(event).__name__
    depth += name.endswith(("MappingStartEvent", "SequenceStartEvent"))
    depth -= name.endswith(("MappingEndEvent", "SequenceEndEvent"))
    if depth > DEPTH:
        raise YamlFault(f"line {line}: nested too deeply")
    return depth


def _build(node: Any) -> Any:
    if node is None:
        return None
    kind = node.tag.rpartition(":")[2]
    if kind == "map":
        return _mapping(node)
    if kind == "seq":
        return [_build(item) for item in node.value]
    return _scalar(node, kind)


def _mapping(node: Any) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key.value, str):
            raise YamlFault(f"line {line}: a key that is not plain text")
        if key.value in mapping:
            raise YamlFault(f"line {line}: `{key.value}` stands twice")
        mapping[_text(key)] = _build(value)
    return mapping


def _text(node: Any) -> str:
    """Return a scalar's words; an escape may have made half of a surrogate pair, which nothing can write."""
    words = str(node.value)
    try:
        words.encode()
    except UnicodeEncodeError as error:
        raise YamlFault(f"line {node.start_mark.line + 1}: half of a surrogate pair") from error
    return words


def _scalar(node: Any, kind: str) -> Any:
    words = _text(node)
    if kind == "null":
        return None
    if kind == "bool" and words.lower() in ("true", "false"):
        return words.lower() == "true"
    if kind == "int" and PLAIN_INT.fullmatch(words):
        return int(words)
    # Only what prints as it was written: an id such as 1.10 is not 1.1.
    if kind == "float" and PLAIN_FLOAT.fullmatch(words) and str(float(words)) == words:
        return float(words)
    return words
