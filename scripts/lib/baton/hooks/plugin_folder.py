"""Whether a call may write to the plugin's own folder, where the rules lie that judge the work.

A text is followed as far as it can be read: where it names the folder, each of its commands is to be a reader. The
standard library alone.
"""

import os
import re
from collections.abc import Iterator

from baton.hooks.calls import Event, input_of, readings

ROOT = __file__.rsplit("/", 5)[0]
VARIABLE = re.compile(r"\$\{?CLAUDE_PLUGIN_ROOT\b")
HOME = re.compile(r"(?<![\w/.-])~(?=/)|\$HOME\b|\$\{HOME\}")


def writes_to_plugin(event: Event, path: str = "") -> bool:
    """Whether an edit of a path, or else a Bash call, may change a file of the plugin.

    No call does where the project is that very folder: there baton itself is worked on.
    """
    if _is_inside(os.environ.get("CLAUDE_PROJECT_DIR") or ""):
        return False
    if path:
        return _is_inside(path)
    command, cwd = input_of(event, "command"), str(event.get("cwd") or "")
    if not (_is_inside(cwd) or any(map(_names_it, readings(command)))):
        return False
    from baton.hooks.any_text import pipelines_in

    pipelines = pipelines_in(command)
    return pipelines is None or not all(part.only_reads for parts in pipelines for part in parts)


def _names_it(text: str) -> bool:
    if VARIABLE.search(text):
        return True
    whole = HOME.sub(lambda _: os.environ.get("HOME", "~"), text)
    return any(re.search(rf"{re.escape(root)}(?![\w.-])", whole) for root in _roots())


def _is_inside(path: str) -> bool:
    places = {path, os.path.realpath(path)} if path else set()
    return any(f"{place}/".startswith(f"{root}/") for place in places for root in _roots())


def _roots() -> Iterator[str]:
    """Return the plugin's folder in each way it may be written."""
    for root in {os.environ.get("CLAUDE_PLUGIN_ROOT", "").rstrip("/"), ROOT}:
        if root.startswith("/"):
            yield from {root, os.path.realpath(root)}
