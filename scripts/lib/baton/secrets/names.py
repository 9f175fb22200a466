"""The variables of an environment that hold a credential, and their secret parts. Standard library alone.

One table: for the variables withheld from commands, from git and its hooks, and for the search in texts.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from urllib.parse import unquote

from baton.secrets.shapes import FEWEST_LETTERS, is_keyed, is_mixed, is_password, is_random, shapes_in

# Patterns of names, in capitals with `_` between words; compiled when first needed: every call loads this module.
NAMES = (
    r"TOKEN(?!IZ)|SECRET|CREDENTIAL",
    r"PASSW(?:OR)?D|PASSPHRASE|(?:^|_)PASS(?:_|$)|[A-Z]_?PWD$|PGPASS",
    r"(?:API|ACCESS|ACCOUNT|PRIVATE|SIGNING|ENCRYPTION|AUTH|MASTER)_?KEY",
    r"(?:^|_)AUTH$|AUTHORIZATION|BEARER|JWT",
    r"(?:^|_)SESSION(?:_?(?:KEY|COOKIE))?$|^OP_SESSION_|SESSID|SESSIONID|^(?:CONNECT_)?SID$|COOKIE",
    r"(?:^|_)KEYS?(?:_|$)|[A-Z]KEY$|MNEMONIC|AUTH(?!OR)|(?:^|_)PAT$|(?:^|_)SAS$",
    r"(?:^|_)DSN$|CONN(?:ECTION)?_?STR(?:ING)?|WEBHOOK",
    # What leads to a credential, or may hold one: programs asked for it, settings given to git.
    r"ASKPASS|^VSCODE_GIT_|^GIT_CONFIG_(?:COUNT|KEY|VALUE|PARAMETERS)",
)
CREDENTIAL = "|".join(NAMES)
# Names of no credential, although the table fits them.
NO_CREDENTIAL = r"KEYBOARD|KEYMAP|^(?:DESKTOP_|GDM|KDE_FULL_)SESSION$|^OLDPWD$"
# Names of what is public, or says where a secret is: their values are not looked for in texts.
NOT_SECRET = r"PUBLIC|_(?:ID|PATH|FILE|DIR|SOCK|(?<!WEBHOOK_)URL)$|^GPG_?KEY$|ASKPASS|^GIT_CONFIG_|^VSCODE_"
SETTING = r"GIT_CONFIG_(?:COUNT|(?:KEY|VALUE)_[0-9]+)\Z"
# In a value: `user:password@`, a user alone that may be a token, and `password=…`.
ADDRESS = r"(?:://|\A)([^\s/@:=;,\"']{0,200}):([^\s/@\"']{1,400})@"
USER = r"://([^\s/@:]{16,400})@"
PART = r"(?i:passw(?:or)?d|pwd|accountkey|sharedaccesskey|secret|token|[?&]sig)=([^;&\s\"']{3,400})"
PATH = r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+ -]+){2,}[/\\]?\Z"
# What is looked for: shorter values only where they are no word.
SHORTEST, SHORTEST_MIXED, LONGEST = 12, 8, 4096
SHORTEST_TOKEN = 20


@cache
def holds_credential(name: str, value: str) -> bool:
    """Whether a variable holds a credential, or leads to one: by its name, or by its value."""
    plain = name.upper()
    named = re.search(CREDENTIAL, plain) and not re.search(NO_CREDENTIAL, plain)
    return bool(named or next(_inner(value), "") or (len(value) >= SHORTEST_TOKEN and any(shapes_in(value))))


def without_credentials(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables that hold a credential or lead to one."""
    return {name: value for name, value in environment.items() if not holds_credential(name, value)}


def given_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment's settings for git; one with a token is emptied, not removed, as they are numbered."""
    given = {name: value for name, value in environment.items() if re.match(SETTING, name)}
    for name, key in environment.items():
        number = name.removeprefix("GIT_CONFIG_KEY_")
        value = f"GIT_CONFIG_VALUE_{number}"
        if number != name and _is_token(key, given.get(value, "")):
            given |= {name: "baton.withheld", value: ""}
    return given


def _is_token(key: str, value: str) -> bool:
    return key.lower().endswith(".extraheader") or holds_credential("", key) or holds_credential("", value)


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secret values in an environment; paths, short and plain values are not."""
    secrets: set[str] = set()
    for name, value in environment.items():
        if holds_credential(name, value):
            inner = list(_inner(value))
            whole = [] if inner or re.search(NOT_SECRET, name.upper()) else value.split()
            secrets.update(inner, map(unquote, inner), whole)
    return tuple(sorted(secret[:LONGEST] for secret in secrets if _can_be_told(secret)))


def _inner(value: str) -> Iterator[str]:
    """Return the passwords within a value: those of addresses, and of connection strings."""
    if "@" in value:
        yield from (match[2] for match in re.finditer(ADDRESS, value) if is_password(match[2], match[1]))
        yield from (match[1] for match in re.finditer(USER, value) if is_keyed(match[1]))
    if "=" in value:
        yield from (match[1] for match in re.finditer(PART, value) if is_password(match[1]))


def _can_be_told(value: str) -> bool:
    """Whether a value is long and mixed enough that a text has it only as the secret, not by chance."""
    if len(set(value)) < FEWEST_LETTERS or (re.match(PATH, value) and not is_random(value)):
        return False
    return len(value) >= SHORTEST or (len(value) >= SHORTEST_MIXED and is_mixed(value))
