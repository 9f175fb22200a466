"""What was read and found valid, kept by its content: to read it again would cost more than all else of a call."""

import hashlib
import json
from contextlib import suppress
from typing import Any

from baton.errors import BatonError
from baton.story.durable import read_plain, write_durably
from baton.story.places import Project


def recall(project: Project, name: str) -> Any:
    """Give the value that was kept under a name; None when none was, or it is not as it was written."""
    with suppress(OSError, ValueError):
        seal, _, text = (read_plain(project.state / "valid" / name, project.common) or b"").partition(b"\n")
        if seal == _seal(name, text):
            return json.loads(text)
    return None


def keep(project: Project, name: str, value: Any) -> None:
    """Keep a value that JSON can hold, where a story was made; a value that cannot be kept is only made anew."""
    text = json.dumps(value).encode()
    if project.state.is_dir():
        with suppress(BatonError):
            write_durably(project.state / "valid" / name, _seal(name, text) + b"\n" + text, project.common)


def _seal(name: str, text: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + text).hexdigest().encode()
