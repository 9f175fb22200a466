"""No value is ever part of a GraphQL document: what goes in is a variable, but for the numbers of its aliases."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from baton.github import queries
from baton.github.queries import draft_mutation, resolve_mutation

LIB = Path(queries.__file__).parents[1]
SENDS = ("query", "mutate")


def spliced(source: str) -> list[str]:
    """Give what is put into a text by any means but a number into an f-string."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FormattedValue) and (
            node.format_spec is None or ast.unparse(node.format_spec) != "f'd'"
        ):
            found.append(ast.unparse(node))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            found.append(ast.unparse(node))
        if isinstance(node, ast.Attribute) and node.attr in ("format", "format_map", "replace", "substitute"):
            found.append(ast.unparse(node))
    return found


def documents(source: str) -> Iterator[str]:
    """Give what is handed over as the document of a request."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SENDS:
            yield ast.unparse(node.args[0])


def test_nothing_but_numbers_is_put_into_a_document() -> None:
    assert spliced(Path(queries.__file__).read_text()) == []


@pytest.mark.parametrize("source", [
    'f"{name}"', 'f"{name!r}"', 'f"{name:>10}"', 'f"{name:{spec}}"', '"%s" % name', '"{}".format(name)',
    'TEXT.replace("NAME", name)', 'Template("$a").substitute(a=name)',
])  # fmt: skip
def test_a_value_that_is_put_in_is_noticed(source: str) -> None:
    assert spliced(source)
    assert not spliced('f"{number:d}" + OTHER + ", ".join(MORE)')


def test_a_number_is_all_that_can_be_put_in() -> None:
    with pytest.raises(ValueError, match="Unknown format code 'd'"):
        f"{'x':d}"


def test_every_request_takes_its_document_from_here() -> None:
    sent = {
        document
        for path in LIB.rglob("*.py")
        if "feedback" in path.parts
        for document in documents(path.read_text())
    }
    names = {var for var in vars(queries) if re.fullmatch("[A-Z_]+", var)}
    assert {one for one in sent if one not in names} == {"draft_mutation(len(part))", "resolve_mutation(len(ids))"}


@pytest.mark.parametrize("number", [1, 50])
def test_each_thread_has_its_variable_and_its_alias(number: int) -> None:
    document = resolve_mutation(number)
    assert re.findall(r"\$(t\d+): ID!", document) == [f"t{one}" for one in range(number)]
    replies = re.findall(r"(?m)^  t(\d+): \w+\(input: .*ThreadId: \$t\1, body: \$b\1\}\)", draft_mutation(number))
    assert replies == [str(one) for one in range(number)]
    assert re.findall(r"(?m)^  (t\d+): resolveReviewThread\(input: \{threadId: \$\1\}\)", document) == [
        f"t{one}" for one in range(number)
    ]
