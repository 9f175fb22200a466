"""A line of Markdown made inert: it mentions nobody, closes nothing, calls no bot, and is no image or HTML.

What acts is put in a code span, since GitHub looks for names and references in text alone. Some bots read the raw
text, code and all: the name of a bot is parted from its `@` besides. To be sure of what is code and what is text,
backticks pair up on their own line or are escaped, and what could make them pair up otherwise is broken: links,
tags, tables, an address that runs into a backtick.
"""

import re
from bisect import bisect_left
from collections.abc import Callable

from baton.feedback.bots import BOTS

# Those whose comments are read by a program that obeys them.
OBEYING = (
    "allcontributors|argocd-bot|azure-pipelines|bors|changeset-bot|claude|codecov|codex|copilot|cursor|cursoragent"
    "|dependabot|dependabot-preview|devin|ellipsis|ellipsis-dev|gemini|gemini-cli|github-actions|greptile|highfive|homu"
    "|jules|k8s-ci-robot|kodus|korbit|mergify|mergifyio|netlify|openhands|openhands-agent|opencode|oc|pre-commit"
    "|pullapprove|qodo|rabbitai|renovate|renovate-bot|rust-lang|rustbot|sentry|snyk|sourcery|sweep|sweep-ai|vercel"
)
BOT = re.compile(
    rf"@(?=(?:{OBEYING}|{'|'.join(map(re.escape, sorted(BOTS)))})(?:\[bot\])?(?![\w/-]))", re.I
)  # fmt: skip
FORGED = re.compile(r"<!(?=--+\s*baton)", re.I)
# Longer runs of backticks are no code for GitHub's parser.
LONGEST_RUN = 80
KEPT_ESCAPES = "\\`[]*_~!|&>$()"
ESCAPE_OR_CODE = re.compile(r"\\[!-/:-@\[-`{-~]|`+")
RUN = re.compile("`+")
IMAGE = re.compile(r"!\[([^\[\]]{0,300})\](?:\([^()\s]{0,2000}(?:\s{1,9}[^()]{0,300})?\)|\[[^\[\]]{0,300}\])?")
LINK = re.compile(r"\[([^\[\]]{0,300})\]\(([^()\s]{1,2000})\)")
AUTOLINK = re.compile(r"<(https?://[^\s<>]{1,2000})>", re.I)
CONTAINER = r"(?:[ \t]|>|[-*+](?=[ \t])|[0-9]{1,9}[.)](?=[ \t]))"
CONTAINERS = f"{CONTAINER}*"
ONE_CONTAINER = re.compile(CONTAINER)
ROW = "-|: \t"
COMMAND = re.compile(
    r"([ \t]*)([/!]\w[^\s`<\\]*|(?:bors|homu|jenkins|azp|recheck|retest|r[+?=-](?=\s|\Z|[\w@]))[^\s`<\\]*)",
    re.I,
)
ENTITY = r"&(?!(?:lt|gt|amp|quot);)(?=(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,9}|[A-Za-z][A-Za-z0-9]{0,40});)"
TOKEN = re.compile(
    rf"\\[!-/:-@\[-`{{-~]|`+|<|\[|(?P<and>{ENTITY})"
    r"|(?P<url>(?:(?:https?|ftp)://|www\.)[^\s<`\\]*)"
    r"|(?P<code>(?<![A-Za-z0-9])@[A-Za-z0-9](?:[\w@/#.-]*[\w@#])?"
    r"|#[0-9](?:[\w@/#.-]*[\w@#])?|(?<![A-Za-z0-9])GH-[0-9](?:[\w@/#.-]*[\w@#])?)",
    re.I | re.A,
)
TRAILING = ".,;:!?)*_~'\"]}"
SAFE_URL = re.compile(
    r"(?:https?://|www\.)[\w.-]+(?::[0-9]{1,5})?(?:/[\w./%+=?&~,!:;-]*)?(?:#[A-Za-z][\w-]*)?", re.A | re.I
)
# An address of something that would show that it was mentioned, or be closed.
REFERENCE = re.compile(r"/(?:issues|pulls?|discussions)/[0-9]|(?<![A-Za-z0-9])gh-[0-9]", re.I)


def inert_line(line: str) -> str:
    """Give a line of text, no code fence, as Markdown that reads the same and does nothing; twice is once."""
    return _Line(_unescaped(line)).made()


def inert_code(code: str) -> str:
    """Give code in which no bot is called and no mark of ours is forged, as far as those read code."""
    return FORGED.sub("<! ", BOT.sub("@ ", code))


def row_in(line: str) -> int:
    """Return where a row begins, in quotes and lists, that makes a table of the line before it; -1: nowhere."""
    first = len(line.rstrip(ROW))
    last = min(line.rfind("-"), max(line.rfind("|"), line.rfind(":")))
    if last < first:
        return -1
    begin, position, inside = -1, 0, True
    while inside and position <= last:
        if position >= first and line[position] in "-|:":
            begin = position
        container = ONE_CONTAINER.match(line, position)
        inside, position = bool(container), container.end() if container else position
    return begin


def closer(line: str) -> Callable[[int, int], int]:
    """Give what finds where code ends that is opened by the backticks between two offsets; 0: nowhere."""
    starts: dict[int, list[int]] = {}
    for run in RUN.finditer(line):
        starts.setdefault(run.end() - run.start(), []).append(run.start())

    def end_of_code(begin: int, end: int) -> int:
        runs = starts.get(end - begin, []) if end - begin <= LONGEST_RUN else []
        number = bisect_left(runs, end)
        return runs[number] + end - begin if number < len(runs) else 0

    return end_of_code


def _unescaped(line: str) -> str:
    """Give a line without backslashes that only hide what follows from us; its links and images as text."""
    end_of_code = closer(line)
    kept: list[str] = []
    plain: list[str] = []
    position = 0
    while found := ESCAPE_OR_CODE.search(line, position):
        plain.append(line[position : found.start()])
        position = found.end()
        if found[0][0] == "\\" and found[0][1] not in KEPT_ESCAPES:
            plain.append(found[0][1])
            continue
        if found[0][0] == "`":
            position = end_of_code(*found.span()) or position
        kept += [_unlinked("".join(plain)), line[found.start() : position]]
        plain = []
    return "".join([*kept, _unlinked("".join(plain) + line[position:])])


def _unlinked(text: str) -> str:
    if "[" in text:
        text = IMAGE.sub(lambda found: f"(image: {found[1].strip() or 'without a text'})", text)
        text = LINK.sub(lambda found: found[2] if found[1] in ("", found[2]) else f"{found[1]} ({found[2]})", text)
    return AUTOLINK.sub(r"\1", text)


class _Line:
    """A line, read from left to right, and what is made of it."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.parts: list[str] = []

    def made(self) -> str:
        line, position = self.line, 0
        if (begin := row_in(line)) >= 0:
            return f"{line[:begin]}\\{line[begin:]}"
        if command := COMMAND.match(line):
            self.parts.append(command[1])
            self.code(command[2])
            position = command.end()
        end_of_code = closer(line)
        while found := TOKEN.search(line, position):
            self.parts.append(line[position : found.start()])
            position = found.end()
            if found[0][0] == "`":
                end = end_of_code(*found.span())
                if end:
                    position = end
                self.backticks(line[found.start() : position], found[0] if end else "")
            else:
                self.take(found, line[position : position + 1])
        return "".join([*self.parts, line[position:]])

    def backticks(self, text: str, mark: str) -> None:
        """Take code between marks, or backticks that open none."""
        if mark:
            self.code(text[len(mark) : -len(mark)], mark)
        else:
            self.parts.append("\\`" * len(text))

    def take(self, found: re.Match[str], following: str) -> None:
        """Take anything else that is not plain text."""
        if found["url"]:
            self.url(found["url"], following)
        elif found["code"]:
            self.code(found["code"])
        elif found["and"]:
            self.parts.append("&amp;")
        else:
            self.parts.append({"<": "&lt;", "[": "\\["}.get(found[0], found[0]))

    def url(self, text: str, following: str) -> None:
        """Take an address; nothing may stand so close to it that it would be read as a part of it."""
        bare = text.rstrip(TRAILING)
        if SAFE_URL.fullmatch(bare) and not REFERENCE.search(bare) and not re.search(ENTITY, bare):
            self.parts.append(text)
        else:
            self.code(bare)
            self.parts.append(text[len(bare) :].replace("[", "\\["))
        if following.strip():
            self.parts.append(" ")

    def code(self, text: str, mark: str = "`") -> None:
        """Add a code span, with a space after what would change where it begins."""
        touching = "".join(self.parts[-2:]).endswith(("`", "\\"))
        self.parts.append(f"{' ' if touching else ''}{mark}{inert_code(text)}{mark}")
