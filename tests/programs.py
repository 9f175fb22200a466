"""Programs that a test puts in the place of others."""

from pathlib import Path


def write_program(path: Path, lines: str) -> Path:
    """Write a shell script that can be started; gives its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
    path.chmod(0o755)
    return path
