"""Render the templates for runs and the user: data only as values, and nothing left undefined."""

import json
import re
from functools import cache
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from baton.errors import BatonError

TEMPLATES = Path(__file__).parents[1] / "templates"
# What an expression of the user's own template may raise: a recursive macro a RuntimeError, too.
FAULTS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RuntimeError, MemoryError)
NOT_RAW = re.compile(r"[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment


@cache
def _jinja() -> Any:
    import jinja2.sandbox  # most calls render nothing

    return jinja2


@cache
def _environment(html: bool = False, own: bool = False) -> "ImmutableSandboxedEnvironment":
    jinja = _jinja()
    # What is rendered is Markdown for a model or the user, where there is nothing to escape for; or a page.
    environment: ImmutableSandboxedEnvironment = jinja.sandbox.ImmutableSandboxedEnvironment(
        loader=None if own else jinja.FunctionLoader(_source),
        undefined=jinja.StrictUndefined,
        autoescape=html,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(one_line=one_line, indented=indented, fenced=fenced, quoted=quote, coded=coded)
    environment.policies["json.dumps_function"] = yaml_string
    return environment


def one_line(text: str) -> str:
    """Return a text as one line: each line end, of any sort, becomes a space."""
    return " ".join(" ".join(text.splitlines()).split())


def indented(text: str) -> str:
    """Return a text as an item of a list, with all lines but the first indented."""
    return "\n  ".join(text.splitlines())


def fenced(text: str) -> str:
    """Return a text as a block of code in Markdown, in a fence longer than any in it."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
    return f"{fence}\n{text}\n{fence}"


def coded(text: str) -> Any:
    """Return a text as HTML, escaped, with what stands in backticks as code."""
    safe = _jinja().utils.markupsafe
    return safe.Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(safe.escape(text))))


def yaml_string(value: object, **options: Any) -> str:
    """Return a value as JSON that YAML reads alike: escaped only where YAML needs it."""
    text = json.dumps(value, ensure_ascii=False, **options)
    return NOT_RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _source(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def render(template: str, **values: object) -> str:
    """Render a template file with `values`; every value it names must be given."""
    return _environment().get_template(template).render(values)


def render_page(template: str, values: dict[str, Any]) -> str:
    """Render a template of HTML, with every value escaped."""
    return _environment(html=True).get_template(template).render(values)


def render_own(text: str, where: str, values: dict[str, Any], html: bool) -> str:
    """Render a template of the user's; a BatonError names its fault and line."""
    try:
        return _environment(html, own=True).from_string(text).render(values)
    except (_jinja().TemplateError, *FAULTS) as error:
        line = f", line {error.lineno}" if isinstance(error, _jinja().TemplateSyntaxError) else ""
        remedy = "correct it: `baton report ID --json` shows the names"
        what = f"the template fails ({str(error) or type(error).__name__})"
        raise BatonError(what, f"{where}{line}", remedy) from error
