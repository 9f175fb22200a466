"""Templates: what a run is told and what the user reads; data only as values, nothing left undefined."""

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

TEMPLATES = Path(__file__).parents[1] / "templates"
NOT_RAW = re.compile(r"[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment


@cache
def _environment() -> "ImmutableSandboxedEnvironment":
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # What is rendered is Markdown for a model or the user, never HTML: there is nothing to escape for.
    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(one_line=one_line, indented=indented)
    environment.policies["json.dumps_function"] = yaml_string
    return environment


def one_line(text: str) -> str:
    """Return a text as one line: whatever some program takes for a line's end is a space."""
    return " ".join(" ".join(text.splitlines()).split())


def indented(text: str) -> str:
    """Return a text as the item of a list: no line of it but the first begins at the margin."""
    return "\n  ".join(text.splitlines())


def yaml_string(value: object, **options: Any) -> str:
    """Write a value as JSON that YAML reads alike: escaped only where YAML needs it."""
    text = json.dumps(value, ensure_ascii=False, **options)
    return NOT_RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _source(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def render(template: str, **values: object) -> str:
    """Render a template file with `values`; every value it names must be given."""
    return _environment().get_template(template).render(values)
