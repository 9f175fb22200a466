"""Read what a tool's call says of baton; allow it, deny it, or have the client ask.

This is no shell parser. It knows the few forms that bash, dash and zsh all read alike and gives up on the rest.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

# The verbs that change nothing, for whoever calls them.
OUR_AGENTS = "baton:"
LOOKING = frozenset({"explain", "show", "status", "timeline", "validate"})
# The launcher by any path, its own modules, and where its records lie: a text may go there in steps. These are
# compiled where a text is searched for them: most calls of baton are one plain call.
ABOUT = (
    r"(?i)(?:(?<![\w-])|(?<=\\[a-z]))baton(?![\w./-])|\blib/launch\.py"
    r"|(?:\bfrom|\bimport|-m)\s*baton\b|['\"]baton\.(?!md\b|ya?ml\b)[a-z_]"
)
GIT_FOLDER = r"(?i)\.git\b|\bgit-(?:common-)?dir\b"
RECORDS = r"(?i)\bbaton\b"
MARKS = r"(?i)\.permits\b|\bbaton-run\b"
# A shell takes quotes and backslashes out of a word, and joins continued lines; a path may be written at length.
TAKEN_OUT = str.maketrans("", "", "'\"\\")
LONG_WAY = r"/(?:\.?/)+"
# Any other setting of a Bash call, such as leaving the client's sandbox, is not ours to allow.
HARMLESS_SETTINGS = frozenset({"command", "description", "run_in_background", "timeout"})
# They add permissions, work without the client, write to a file of the caller's choice, claim that the user was
# asked, work in another project, give a journal up.
USER_OPTIONS = ("--allow", "--make", "--out", "--permit", "--project", "--set-aside")

# The small scripts, each with its verb.
SCRIPTS = {"validate-handoff": "validate", "resume-context": "resume-context", "cluster-brief": "cluster-brief"}
# Of a reason the client draws ten rows; these many characters fit at 80 columns.
LONGEST_REASON = 650
# What no shell expands. Only an option may hold a bare "=": zsh expands `=word` (zshexpn(1)), bash under `set -k`
# exports `NAME=word` (bash(1)).
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
# what reaches the shell in the place of a lone surrogate is anyone's guess. A range of so many is slow to compile.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
SURROGATE = r"[\ud800-\udfff]"

Event = Mapping[str, object]


def _decision(decision: str, reason: str, **more: object) -> str:
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    return json.dumps({"hookSpecificOutput": {**output, **more}})


ALLOW = _decision("allow", "one plain call of baton itself")


def deny(reason: str) -> str:
    """Refuse a call, in every permission mode; the model reads why."""
    return _decision("deny", f"baton: {reason}")


def ask(reason: str, **more: object) -> str:
    """Have the client ask the user, in every permission mode."""
    return _decision("ask", f"baton: {reason}"[:LONGEST_REASON], **more)


def ask_with(event: Event, token: str, reason: str) -> str:
    """Have the client ask the user, and put a token into the plain call it then makes."""
    given, command = event["tool_input"], input_of(event, "command")
    launcher = next(launcher for launcher in _launchers() if command.startswith(f"{launcher} "))
    changed = f"{launcher} --permit {token}{command.removeprefix(launcher)}"
    assert isinstance(given, dict)
    return ask(reason, updatedInput={**given, "command": changed})


def input_of(event: Event, name: str) -> str:
    """Return one text of a tool's input; nothing for one that is missing."""
    call = event.get("tool_input")
    value = call.get(name) if isinstance(call, dict) else None
    return value if isinstance(value, str) else ""


def plain_call(event: Event) -> list[str] | None:
    """Return the arguments of a Bash call that is one plain call of the launcher; None for any other."""
    call = event.get("tool_input")
    if not isinstance(call, dict) or any(call[name] for name in call.keys() - HARMLESS_SETTINGS):
        return None
    return read_call(input_of(event, "command"))


def read_call(command: str) -> list[str] | None:
    """Return the arguments of a text that is one plain call of the launcher; None for any other.

    A small script is a verb by a name of its own.
    """
    arguments = parse_call(command, _launchers())
    for script, verb in SCRIPTS.items() if arguments is None else ():
        given = parse_call(command, _launchers(script))
        arguments = arguments if given is None else [verb, *given]
    return arguments


def parse_call(command: str, launchers: Iterable[str]) -> list[str] | None:
    """Take a command and the launcher's spellings; give its arguments, or None if it is not one plain call."""
    launcher = next((name for name in launchers if command.startswith((f"{name} ", f"{name}\n"))), "")
    if not launcher or _is_unclean(command):
        return None
    words, at = [], len(launcher)
    while word := NEXT.match(command, at):
        words.append(UNQUOTED.sub(r"\1\2", word[1]))
        at = word.end()
    rest = END.fullmatch(command, at)
    return words if rest and (not rest["end"] or _is_closed(rest["text"], rest["end"])) else None


def _is_unclean(text: str) -> bool:
    return bool(CONTROL.search(text) or (not text.isascii() and re.search(SURROGATE, text)))


def _is_closed(text: str, end: str) -> bool:
    """Whether a here-document ends at its first line that anything could read as its end, and nothing follows."""
    body, end_line, rest = f"\n{text}\n".partition(f"\n{end}\n")
    # Whatever trims lines or drops invisible characters on the way to the shell would end the document there.
    seen = ("".join(filter(str.isprintable, line)).rstrip() for line in body.split("\n"))
    return bool(end_line) and end not in seen and not rest.strip(" \t\n")


def is_about_baton(command: str) -> bool:
    """Whether a text names the launcher or a place of its records, however a shell would read it."""
    return any(re.search(ABOUT, reading) for reading in shell_readings(command)) or is_about_records(command)


def is_about_records(command: str) -> bool:
    """Whether a text names a place of baton's records."""
    return any(_names_records(reading) for reading in shell_readings(command))


def _names_records(text: str) -> bool:
    git = re.search(GIT_FOLDER, text)
    return bool(re.search(MARKS, text) or (git and re.search(RECORDS, text[git.end() :])))


def user_option(arguments: list[str]) -> str:
    """Return the first of the options that need the user, nothing for none."""
    # The option of `pr show` names a pull request, and is no start of another option.
    shows = arguments[:2] == ["pr", "show"]
    given = [argument for argument in arguments if not (shows and argument.partition("=")[0] == "--pr")]
    return next((option for argument in given for option in USER_OPTIONS if is_option(argument, option)), "")


def is_option(argument: str, option: str) -> bool:
    """Whether an argument is this option: an option parser may accept the start of a name."""
    name = argument.partition("=")[0]
    return len(name) > 2 and option.startswith(name)


def option_values(arguments: list[str], option: str) -> Iterator[str]:
    """Return the values of an option, one for each time it is given."""
    for argument, following in pairwise([*arguments, ""]):
        if is_option(argument, option):
            _, given, value = argument.partition("=")
            yield value if given else following


def shell_readings(command: str) -> Iterator[str]:
    """Return a text as it stands, and as a shell would read it."""
    yield command
    yield re.sub(LONG_WAY, "/", command.replace("\\\n", "").translate(TAKEN_OUT))


def _launchers(name: str = "baton") -> Iterator[str]:
    """Return the ways to write the launcher, its bare name first: most calls have that."""
    yield name
    roots = {os.environ.get("CLAUDE_PLUGIN_ROOT", "").rstrip("/"), __file__.rsplit("/", 5)[0]}
    paths = [f"{root}/{place}/{name}" for root in roots if root.startswith("/") for place in ("bin", "scripts")]
    for path in paths:
        yield from path_spellings(path)


def path_spellings(path: str) -> tuple[str, ...]:
    """Take an absolute path; give the ways to write it that every shell reads as exactly that path."""
    ways = (path, f"'{path}'", f'"{path}"')
    return tuple(way for way in ways if re.fullmatch(WORD, way) and UNQUOTED.sub(r"\1\2", way) == path)
