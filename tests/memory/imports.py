"""The examples of imports: by kind, each a text before a change and one after it."""

from pathlib import Path

from baton.artifacts.strict_yaml import load_yaml

EXAMPLES = load_yaml(Path(__file__).with_name("imports.yaml").read_text(encoding="utf-8"))
# The kinds of which the client reads something that it did not read before.
READ = ("imports", "switched on")


def examples(kind: str) -> list[tuple[str, str]]:
    """Return the examples of a kind; one that is a single text was empty before."""
    return [("", example) if isinstance(example, str) else (example[0], example[1]) for example in EXAMPLES[kind]]
