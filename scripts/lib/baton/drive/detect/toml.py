"""TOML, read by Python's own reader where it has one and as far as manifests need it otherwise."""

import re
import sys
from typing import Any

SPACE = re.compile(r"(?:[ \t]|#[^\n]*)*")
SPACE_AND_LINES = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
BARE = re.compile(r"[A-Za-z0-9_-]+")
WORD = re.compile(r"[^\s,\]}#]+")
STRING = re.compile(
    r"'''\n?(.*?'{0,2})'''(?!')|'([^'\n]*)'|\"\"\"\n?((?:[^\\]|\\.)*?\"{0,2})\"\"\"(?!\")|\"((?:[^\"\\\n]|\\.)*)\"",
    re.S,
)
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[ \t]*\n\s*|(.))", re.S)
PLAIN = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


class TomlFault(ValueError):
    """What is wrong with a piece of TOML, in one line."""


def load_toml(text: str) -> dict[str, Any]:
    """Read a TOML document; TomlFault when it is none."""
    try:
        if sys.version_info >= (3, 11):
            import tomllib

            return tomllib.loads(text)
        return load_plain_toml(text)
    except RecursionError as error:
        raise TomlFault("nested too deeply") from error
    except ValueError as error:
        raise TomlFault(str(error).partition("\n")[0]) from error


def load_plain_toml(text: str) -> dict[str, Any]:
    """Read tables, texts and lists of a TOML document; a date or an odd number is the text it is written as."""
    return _Reader(text.replace("\r\n", "\n")).document()


class _Reader:
    """A place in a text, and what can be read from there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def document(self) -> dict[str, Any]:
        top: dict[str, Any] = {}
        table = top
        while self._skip(SPACE_AND_LINES) < len(self.text):
            if self._take("[["):
                table = self._item(top)
            elif self._take("["):
                table = _into(top, self._keys("]"))
            else:
                self._pair(table)
            if self._skip(SPACE) < len(self.text) and not self._take("\n"):
                raise self._fault("more on the line")
        return top

    def _item(self, top: dict[str, Any]) -> dict[str, Any]:
        """Add a table to a list of them."""
        *way, last = self._keys("]]")
        tables = _into(top, way).setdefault(last, [])
        if not isinstance(tables, list):
            raise self._fault(f"`{last}` is no list")
        tables.append({})
        return _into(top, [*way, last])

    def _pair(self, table: dict[str, Any]) -> None:
        *way, last = self._keys("=")
        _into(table, way)[last] = self._value()

    def _keys(self, end: str) -> list[str]:
        keys = []
        while True:
            self._skip(SPACE)
            found = BARE.match(self.text, self.at)
            keys.append(found[0] if found else self._string())
            self.at = found.end() if found else self.at
            self._skip(SPACE)
            if self._take(end):
                return keys
            if not self._take("."):
                raise self._fault(f"no `{end}`")

    def _value(self) -> Any:
        self._skip(SPACE)
        if self._take("["):
            return self._list()
        if self._take("{"):
            return self._inline()
        if self.text[self.at : self.at + 1] in ('"', "'"):
            return self._string()
        found = WORD.match(self.text, self.at)
        if not found:
            raise self._fault("no value")
        self.at = found.end()
        number = int(found[0]) if found[0].isdecimal() else found[0]
        return {"true": True, "false": False}.get(found[0], number)

    def _list(self) -> list[Any]:
        values: list[Any] = []
        while True:
            self._skip(SPACE_AND_LINES)
            if self._take("]"):
                return values
            values.append(self._value())
            self._skip(SPACE_AND_LINES)
            if not self._take(",") and self.text[self.at : self.at + 1] != "]":
                raise self._fault("a list that is not closed")

    def _inline(self) -> dict[str, Any]:
        table: dict[str, Any] = {}
        while True:
            self._skip(SPACE_AND_LINES)
            if self._take("}"):
                return table
            self._pair(table)
            self._skip(SPACE_AND_LINES)
            if not self._take(",") and self.text[self.at : self.at + 1] != "}":
                raise self._fault("a table that is not closed")

    def _string(self) -> str:
        found = STRING.match(self.text, self.at)
        if not found:
            raise self._fault("a key or a text that is none")
        self.at = found.end()
        literal = found[1] if found[1] is not None else found[2]
        if literal is not None:
            return literal
        return ESCAPE.sub(self._escaped, found[3] if found[3] is not None else found[4])

    def _escaped(self, found: re.Match[str]) -> str:
        code = found[1] or found[2]
        number = int(code, 16) if code else 0
        if number > sys.maxunicode or 0xD800 <= number < 0xE000:
            raise self._fault("an escape that is none")
        if code:
            return chr(number)
        if not found[3]:
            return ""
        if found[3] not in PLAIN:
            raise self._fault("an escape that is none")
        return PLAIN[found[3]]

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def _take(self, mark: str) -> bool:
        taken = self.text.startswith(mark, self.at)
        self.at += len(mark) * taken
        return taken

    def _fault(self, what: str) -> TomlFault:
        return TomlFault(f"line {self.text.count(chr(10), 0, self.at) + 1}: {what}")


def _into(table: dict[str, Any], way: list[str]) -> dict[str, Any]:
    """Give the table at the end of a way of keys, made where it is missing; of a list of them, its last."""
    for key in way:
        inner = table.setdefault(key, {})
        inner = inner[-1] if inner and isinstance(inner, list) else inner
        if not isinstance(inner, dict):
            raise TomlFault(f"`{key}` is no table")
        table = inner
    return table
