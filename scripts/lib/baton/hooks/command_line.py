"""Read a shell command that is one plain call of the launcher, and refuse every other.

This is no shell parser. It knows the few forms that bash, dash and zsh all read alike and gives up on the rest.
"""

import re

# What no shell expands. Only an option may hold a bare "=": zsh expands `=word`, bash under `set -k` exports
# `NAME=word`.
PLAIN = r"[A-Za-z0-9_./:,@+-]"
QUOTED = r"""'[^']*'|"[^"$`\\!]*\""""
WORD = rf"-(?:{PLAIN}|=|{QUOTED})*|(?!-)(?:{PLAIN}|{QUOTED})+"
# Of each sort of text one reading: nothing here needs a possessive quantifier, which the `re` of Python 3.11.0 to
# 3.11.4 matches wrongly (https://github.com/python/cpython/issues/106052).
NEXT = re.compile(rf"[ ]+({WORD})(?=[ \n]|\Z)")
DOCUMENT = r"[ ]+<<[ ]*(?P<quote>['\"])(?P<end>[A-Za-z0-9][A-Za-z0-9_-]*)(?P=quote)[ ]*\n(?P<text>.*)"
END = re.compile(rf"[ ]*(?:\n[ \t\n]*)?|{DOCUMENT}", re.DOTALL)
UNQUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
# A client, terminal or file that treats one of these specially would run another text than the one read here, and
# what reaches the shell in the place of a lone surrogate is anyone's guess.
UNCLEAN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def parse(command: str, launchers: tuple[str, ...]) -> list[str] | None:
    """Take a command and the launcher's spellings; give its arguments, or None if it is not one plain call."""
    launcher = next((name for name in launchers if command.startswith((f"{name} ", f"{name}\n"))), "")
    if not launcher or UNCLEAN.search(command):
        return None
    words, at = [], len(launcher)
    while word := NEXT.match(command, at):
        words.append(UNQUOTED.sub(r"\1\2", word[1]))
        at = word.end()
    rest = END.fullmatch(command, at)
    return words if rest and (not rest["end"] or _is_closed(rest["text"], rest["end"])) else None


def spellings(path: str) -> tuple[str, ...]:
    """Take an absolute path; give the ways to write it that every shell reads as exactly that path."""
    ways = (path, f"'{path}'", f'"{path}"')
    return tuple(way for way in ways if re.fullmatch(WORD, way) and UNQUOTED.sub(r"\1\2", way) == path)


def _is_closed(text: str, end: str) -> bool:
    """Whether a here-document ends at its first line that anything could read as its end, and nothing follows."""
    body, end_line, rest = f"\n{text}\n".partition(f"\n{end}\n")
    # Whatever trims lines or drops invisible characters on the way to the shell would end the document there.
    seen = ("".join(filter(str.isprintable, line)).rstrip() for line in body.split("\n"))
    return bool(end_line) and end not in seen and not rest.strip(" \t\n")
