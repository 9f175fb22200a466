"""Read a shell command that is one plain call of the launcher, and refuse every other.

This is no shell parser. It knows the few forms that bash, dash and zsh all read alike and gives up on the rest.
It imports nothing: it is loaded before every Bash call of the client.
"""

PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,@+")
ACTIVE_IN_DOUBLE_QUOTES = frozenset("$`\\!")
# A client, terminal or file that treats one of these specially would run another text than the one read here.
CONTROLS = tuple(chr(code) for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n")


def parse(command: str, launchers: tuple[str, ...]) -> list[str] | None:
    """Take a command and the launcher's spellings; give its arguments, or None if it is not one plain call."""
    if not _is_clean(command):
        return None
    for launcher in launchers:
        if command.startswith((launcher + " ", launcher + "\n")):
            return _arguments(command, len(launcher))
    return None


def spellings(path: str) -> tuple[str, ...]:
    """Take an absolute path; give the ways to write it that every shell reads as exactly that path."""
    bare = (path,) if PLAIN.issuperset(path) else ()
    single = () if "'" in path else (f"'{path}'",)
    double = () if '"' in path or not ACTIVE_IN_DOUBLE_QUOTES.isdisjoint(path) else (f'"{path}"',)
    return bare + single + double


def _is_clean(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate: what reaches the shell in its place is anyone's guess
        return False
    return not any(control in text for control in CONTROLS)


def _arguments(text: str, at: int) -> list[str] | None:
    words: list[str] = []
    while True:
        while text.startswith(" ", at):
            at += 1
        if at == len(text) or text[at] == "\n":
            return None if text[at:].strip(" \t\n") else words
        if text.startswith("<<", at):
            return words if _is_closed_here_document(text[at + 2 :]) else None
        word = _word(text, at)
        if word is None:
            return None
        words.append(word[0])
        at = word[1]


def _word(text: str, start: int) -> tuple[str, int] | None:
    value, at = "", start
    while at < len(text) and text[at] not in " \n":
        char = text[at]
        # Only an option may hold a bare "=": zsh expands `=word`, bash under `set -k` exports `NAME=word`.
        if char in PLAIN or (char == "=" and text[start] == "-"):
            value, at = value + char, at + 1
            continue
        end = text.find(char, at + 1)
        inside = text[at + 1 : end]
        if char not in "'\"" or end < 0 or (char == '"' and not ACTIVE_IN_DOUBLE_QUOTES.isdisjoint(inside)):
            return None
        value, at = value + inside, end + 1
    return value, at


def _is_closed_here_document(text: str) -> bool:
    opening, _, rest = text.partition("\n")
    opening = opening.strip(" ")
    delimiter = opening[1:-1]
    if opening not in (f"'{delimiter}'", f'"{delimiter}"') or not _is_plain_name(delimiter):
        return False
    lines = rest.split("\n")
    if delimiter not in lines:
        return False
    end = lines.index(delimiter)
    if any(_looks_like(delimiter, line) for line in lines[:end]):
        return False
    return not "".join(lines[end + 1 :]).strip(" \t")


def _is_plain_name(text: str) -> bool:
    return text.isascii() and text[:1].isalnum() and text.translate({ord("_"): "x", ord("-"): "x"}).isalnum()


def _looks_like(delimiter: str, line: str) -> bool:
    # Whatever trims lines or drops invisible characters on the way to the shell would end the document here.
    visible = line if line.isascii() else "".join(filter(str.isprintable, line))
    return visible.rstrip() == delimiter
