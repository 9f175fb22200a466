"""Whether a text looks random, as secrets are, or like something a person wrote."""

import re
from itertools import pairwise

EXAMPLE = re.compile(r"x{4}|\*{3}|\.{3}|…|example|placeholder|redacted|change[_-]?me|your[_-]|dummy", re.I)
CHANGE = re.compile("[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])")
DIGIT = re.compile("[0-9]")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.I)
# What stands for a password where none is given away.
WORDS = re.compile(r"(?:user(?:name)?|pass(?:word|wd)?|secret|token|pwd|x+|\W+|\$.*|<.*|%.*|\{.*)\Z", re.I)
FEWEST = 7  # different characters


def is_example(text: str) -> bool:
    """Tell whether documentation would write this for a secret: few letters, the alphabet, `xxxx`."""
    steps = sum(ord(after) - ord(before) in (0, 1) for before, after in pairwise(text))
    return bool(EXAMPLE.search(text)) or len(set(text.lower())) < FEWEST or steps * 2 > len(text)


def is_random(text: str) -> bool:
    """Tell whether letters and digits are mixed as in no name: one in two cases changes with each word only."""
    changes = len(CHANGE.findall(text))
    enough = changes * 4 >= len(text) if DIGIT.search(text) else changes * 12 >= len(text) * 5
    return enough and not is_example(text)


def is_mixed(text: str) -> bool:
    """Tell whether what follows a mark that only secrets have could be one: it is no word, and no example."""
    return (any(map(str.isdigit, text)) or text.lower() != text != text.upper()) and not is_example(text)


def is_keyed(text: str) -> bool:
    """Tell whether what follows a mark that a word may end in, such as `sk-`, is random and no UUID."""
    return is_random(text) and not UUID.match(text)


def is_password(text: str, user: str = "") -> bool:
    """Tell whether what stands where a password does is one, and not `password`, `$DB_PASS` or the user's name."""
    return text != user and not WORDS.match(text) and not EXAMPLE.search(text)
