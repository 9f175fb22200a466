"""The text that `/implement` was given, as it is read, and the questions about what is not clear in it."""

import re
from typing import NamedTuple

from baton.errors import BatonError
from baton.story.ask.answer_source import session_here
from baton.story.ask.step import Step
from baton.story.next_step import NextOptions

FLAG = r"--plan-only|--no-loop|--write-back|--max-iterations(?: +|=)(?:100|[1-9][0-9]?)"
FIRST, LAST = re.compile(rf"({FLAG})(?:\s+|\Z)"), re.compile(rf"(?<!\S)({FLAG})\Z")
UNKNOWN = re.compile(r"(--[a-z]\S*)|\S+\s+(--[a-z]\S*)\Z|.*\s(--complexity)[ =]+[0-9]+", re.S)
OF_NEW = ("--id", "--complexity", "--language", "--criterion", "--depends-on", "--body-file", "--from")
ISSUE = re.compile(r"(#[0-9]+|https?://\S+/issues/[0-9]+\S*)[ \t]*(?:\n|\Z)")
QUOTED = re.compile(r"\A([\"'`\u201c\u2018])((?:(?!\1)[^\n])*)[\"'`\u201d\u2019]\Z")


class Request(NamedTuple):
    """The text that was given: `kind` is nothing, issue, path, word or text; and the flags around it."""

    kind: str
    text: str = ""
    flags: tuple[str, ...] = ()

    @property
    def asked(self) -> NextOptions:
        """Return the flags as `next` takes them."""
        numbers = [int(re.split("[ =]+", flag)[1]) for flag in self.flags if flag.startswith("--max")]
        plan_only, no_loop = ("--plan-only" in self.flags), ("--no-loop" in self.flags)
        return NextOptions("", plan_only, numbers[-1] if numbers else None, no_loop, session_here())


def parse_request(given: str) -> Request:
    """Read the text that was given; flags count before and after it, within it they are words of it."""
    text, flags = given.strip(), list[str]()
    while match := FIRST.match(text) or LAST.search(text):
        flags.append(match[1])
        text = (text[: match.start()] + text[match.end() :]).strip()
    if match := UNKNOWN.fullmatch(text) or re.match(r"(--[a-z]\S*)", text):
        flag = next(filter(None, match.groups()))
        remedy = "there are --plan-only, --no-loop, --write-back and --max-iterations N, of 1 to 100"
        if (name := flag.partition("=")[0]) in OF_NEW:
            remedy = f'`baton story new "…" {name} …` takes it, and prints the id to begin with'
        raise BatonError(f"no flag `{flag}`", "what was given", remedy)
    bare = QUOTED.sub(r"\2", text.removeprefix("@")).strip()
    return Request(_kind(bare, text.startswith("@")), bare, tuple(flags))


def _kind(text: str, is_path: bool) -> str:
    words = text.split()
    if ISSUE.match(text):
        return "issue"
    if not words or "\n" in text:
        return "text" if words else "nothing"
    if is_path or text.endswith(".md") or (len(words) == 1 and "/" in text):
        return "path"
    return "word" if len(words) == 1 else "text"


def ask(rule: str, reason: str, question: str, then: str) -> Step:
    """Ask for what is not clear; `then` is the command that follows."""
    asked = {"question": question, "options": [], "answer_with": then}
    return Step("", "planning", "ask", f"request/{rule}", reason, question=asked)


def call(request: Request, text: str, option: str = "") -> str:
    """Return the call that goes on from a question, with the flags that were given."""
    flags = f"{' '.join(request.flags)}\n" if request.flags else ""
    return f"baton start -{option} <<'END-OF-STORY'\n{flags}{text}\nEND-OF-STORY"
