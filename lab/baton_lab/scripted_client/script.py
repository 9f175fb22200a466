"""What the scripted model says: readable generators, one instance for each conversation."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from baton_lab.scripted_client.api import ErrorAnswer

MAIN = "main"
STRANGER = "agent"


class Call(NamedTuple):
    """One tool the model uses."""

    tool: str
    given: dict[str, Any]


class Say(NamedTuple):
    """What the model says to end its turn."""

    text: str


Step = Call | Say | ErrorAnswer | list[Call] | list[Call | Say]


def call(tool: str, **given: Any) -> Call:
    """Take a tool's name and its input; return the step that uses it (a list of these is one parallel turn)."""
    return Call(tool, given)


def say(text: str) -> Say:
    """Take a text; return the step that says it and ends the turn."""
    return Say(text)


def texts(content: object) -> Iterator[str]:
    """Take a message's or tool result's content; yield its texts, tool results left out."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (str(block["text"]) for block in content if block.get("type") == "text")


def blocks(message: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """Take a message and a block type; return its blocks of that type."""
    content = message["content"]
    return [block for block in content if block.get("type") == kind] if isinstance(content, list) else []


class Talk:
    """A conversation so far, as its script sees it; the same object is refreshed before each step."""

    def __init__(self, agent: str, messages: list[dict[str, Any]]) -> None:
        self.agent = agent
        self.messages = messages

    @property
    def prompt(self) -> str:
        """Return the first thing the user (for a sub-agent: its caller) said, reminders left out."""
        first = next(message for message in self.messages if message["role"] == "user")
        said = [text for text in texts(first["content"]) if not text.lstrip().startswith("<system-reminder>")]
        return "\n".join(said).strip()

    @property
    def fresh(self) -> list[dict[str, Any]]:
        """Return the messages since the model's last."""
        told = [at for at, message in enumerate(self.messages) if message["role"] == "assistant"]
        return self.messages[told[-1] + 1 :] if told else self.messages

    @property
    def results(self) -> list[str]:
        """Return the texts of the tool results since the model's last message."""
        found = [block for message in self.fresh for block in blocks(message, "tool_result")]
        return ["\n".join(texts(block.get("content", ""))) for block in found]

    @property
    def result(self) -> str:
        """Return the tool results since the model's last message as one text."""
        return "\n".join(self.results)

    @property
    def news(self) -> str:
        """Return what came besides tool results: prompts, notifications, what hooks added."""
        return "\n".join(text for message in self.fresh for text in texts(message["content"]))

    def every(self, pattern: str) -> list[str]:
        """Take a pattern; return its first group (or all of it) wherever the newest results and news hold it."""
        matches = re.finditer(pattern, f"{self.result}\n{self.news}", re.MULTILINE)
        return [match[1] if match.lastindex else match[0] for match in matches]

    def find(self, pattern: str) -> str | None:
        """Take a pattern; return the first of what `every` finds, or None."""
        return next(iter(self.every(pattern)), None)


Script = Callable[[Talk], Iterator[Step]]


class Player:
    """One script at work in one conversation."""

    def __init__(self, role: str, script: Script | None, talk: Talk) -> None:
        self.role = role
        self.talk = talk
        self._steps: Iterator[Step] = script(talk) if script else iter(())
        self._answered: tuple[str, Step] | None = None

    def answer(self, messages: list[dict[str, Any]]) -> Step:
        """Take the conversation so far; return the next step, or again the last one if the client only retried."""
        asked = json.dumps(messages, sort_keys=True)
        if self._answered is None or self._answered[0] != asked:
            self.talk.messages = messages
            self._answered = asked, next(self._steps, say(f"{self.role} done"))
        return self._answered[1]


def role_of(agent: str, system: str, scripts: Mapping[str, Script]) -> str:
    """Take an agent id ("" for a process's own conversation) and a system prompt; return the role that speaks."""
    named = next((marker for marker in scripts if marker != MAIN and marker in system), "")
    return named or (STRANGER if agent else MAIN)
