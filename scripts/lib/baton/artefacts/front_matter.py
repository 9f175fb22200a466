"""YAML as the program reads it: strings stay strings, a key stands once, no tags, no anchors."""

from typing import Any

MARK = "---"


class YamlFault(ValueError):
    """What is wrong with a piece of YAML, in one line with its place."""


def split_front_matter(text: str) -> tuple[str, str]:
    """Split a document into its front matter (empty when there is none) and the rest."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != MARK:
        return "", text
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() == MARK:
            return "".join(lines[1:index]), "".join(lines[index + 1 :])
    raise YamlFault("line 1: the front matter is not closed by a line `---`")


def load_yaml(text: str) -> Any:
    """Read one YAML document; YamlFault for anything but plain, untagged data with unique keys."""
    import yaml

    try:
        return _build(yaml.compose(text, Loader=yaml.SafeLoader), 0)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise YamlFault(f"line {line}: {error.problem}") from error
    except yaml.YAMLError as error:
        raise YamlFault(str(error).splitlines()[0]) from error


def _build(node: Any, depth: int) -> Any:
    if node is None:
        return None
    if depth > 32:
        raise YamlFault(f"line {node.start_mark.line + 1}: nested too deeply")
    kind = node.tag.rpartition(":")[2]
    if kind == "map":
        return _mapping(node, depth)
    if kind == "seq":
        return [_build(item, depth + 1) for item in node.value]
    return _scalar(node, kind)


def _mapping(node: Any, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in node.value:
        name = str(key.value)
        if name in made:
            raise YamlFault(f"line {key.start_mark.line + 1}: `{name}` stands twice")
        made[name] = _build(value, depth + 1)
    return made


def _scalar(node: Any, kind: str) -> Any:
    words = str(node.value)
    if kind == "null":
        return None
    if kind == "bool" and words.lower() in ("true", "false"):
        return words.lower() == "true"
    if kind == "int" and words.lstrip("-").isdigit() and (words == "0" or not words.lstrip("-").startswith("0")):
        return int(words)
    return words
