"""The tracked files of one folder of a project, and the values in its manifests."""

import re
import tomllib
from collections.abc import Callable
from typing import Any

from baton.artifacts.strict_json import JsonFault, load_json
from baton.errors import BatonError
from baton.project.ecosystems import CHANGES, WATCHES, Row

READ_LIMIT = 50
KEY = re.compile(r"[\w.-]+")
# In the order in which they were noted, each once.
Doubts = dict[str, None]


class CodeFolder:
    """The tracked files of one folder, as rows match them: by their names from that folder."""

    def __init__(self, path: str, names: list[str], read: Callable[[str], str], doubts: Doubts) -> None:
        self.start = f"{path}/" if path else ""
        self.names = {name[len(self.start) :]: None for name in names if name.startswith(self.start)}
        self._read, self.doubts = read, doubts

    def doubt(self, name: str, why: str) -> None:
        """Note once that a file, or a part of it, was skipped."""
        self.doubts[f"{self.start}{name}: {why}"] = None

    def those(self, pattern: str) -> list[str]:
        """Return the files whose whole name matches a pattern."""
        return [name for name in self.names if re.fullmatch(pattern, name)]

    def text(self, name: str) -> str:
        """Return a file's text; empty when it is missing or, with a doubt, cannot be read."""
        try:
            return self._read(self.start + name) if name in self.names else ""
        except BatonError as error:
            self.doubt(name, error.what)
            return ""

    def value(self, name: str, key: str) -> Any:
        """Return the value of a key, with dots, in a JSON or TOML file; None, with a doubt, if broken."""
        try:
            text = self.text(name)
            value: Any = tomllib.loads(text) if name.endswith(".toml") else load_json(text or "{}")
        except (JsonFault, ValueError, RecursionError) as fault:
            self.doubt(name, f"broken ({fault})")
            return None
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def fitting(self, row: Row) -> str:
        """Return the first file that a row matches, if the file that must be beside it is there."""
        if row.beside and not self.those(row.beside):
            return ""
        return next((name for name in self.those(row.file)[:READ_LIMIT] if self._has(name, row.sign)), "")

    def _has(self, name: str, sign: str) -> bool:
        if not (KEY.fullmatch(sign) and name.endswith((".json", ".toml"))):
            return not sign or bool(re.search(sign, self.text(name)))
        value = self.value(name, sign)
        if not sign.startswith("scripts."):
            return bool(value)
        for unfit, why in ((WATCHES, "waits for changes"), (CHANGES, "changes the files it would judge")):
            if isinstance(value, str) and unfit.search(value):
                self.doubt(name, f"its {sign} {why}")
                return False
        return isinstance(value, str) and bool(value.strip()) and "no test specified" not in value
