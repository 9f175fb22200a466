"""What must never be written in this program, each with a sample that shows its rule can fail."""

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
FILES = sorted(
    path
    for path in SCRIPTS.rglob("*")
    if path.is_file() and "__pycache__" not in path.parts and path.name != "requirements.txt"
)


class Code(NamedTuple):
    """What the rules look at: calls, handlers, texts, and those that a call, a list or a tuple hold together."""

    calls: list[ast.Call]
    caught: list[str]
    texts: list[str]
    arguments: list[list[str]]


def code_of(source: str) -> Code:
    nodes = list(ast.walk(ast.parse(source)))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    caught = [ast.unparse(node.type) if node.type else "" for node in nodes if isinstance(node, ast.ExceptHandler)]
    given = [
        *(call.args for call in calls),
        *(node.elts for node in nodes if isinstance(node, ast.List | ast.Tuple)),
    ]
    constants = [[one.value for one in some if isinstance(one, ast.Constant)] for some in given]
    texts = [text_of(node) for node in nodes if isinstance(node, ast.JoinedStr | ast.Constant)]
    return Code(calls, caught, texts, [[one for one in some if isinstance(one, str)] for some in constants])


def text_of(node: ast.expr) -> str:
    """Return a text as it is written, with an x where an f-string puts a value in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    return str(node.value) if isinstance(node, ast.Constant) else "x"


@cache
def program() -> dict[str, Code]:
    """Return what there is to look at in each module."""
    return {name(path): code_of(path.read_text(encoding="utf-8")) for path in FILES if path.suffix == ".py"}


Rule = Callable[[Code], bool]


def calls_named(*names: str) -> Rule:
    """Make a rule that finds calls of the named functions."""
    return lambda code: any(ast.unparse(call.func) in names for call in code.calls)


def uses_a_shell(code: Code) -> bool:
    given = (word for call in code.calls for word in call.keywords if word.arg == "shell")
    return any(ast.unparse(word.value) != "False" for word in given)


def has_word(*words: str) -> Rule:
    """Make a rule that finds an option, alone or in a line."""
    return lambda code: any(set(words) & set(" ".join(given).split()) for given in code.arguments)


def hands_over(*words: str) -> Rule:
    """Make a rule that finds an argument that is no more than a word."""
    return lambda code: any(set(words) & set(given) for given in code.arguments)


def adds_everything(code: Code) -> bool:
    lines = [" ".join(given).split() for given in code.arguments]
    return any("add" in line and {"-A", "--all"} & set(line) for line in lines)


def catches_everything(code: Code) -> bool:
    return any(re.search(r"\b(Base)?Exception\b", name) or not name for name in code.caught)


def has_possessive_pattern(code: Code) -> bool:
    bare = (re.sub(r"\[\^?\]?[^\]]*\]", "x", re.sub(r"\\.", "x", text)) for text in code.texts)
    return any(re.search(r"(?<=[^\n+])[*+?}]\+|\(\?>", text) for text in bare)


RULES: dict[str, tuple[Rule, str, str]] = {
    "no shell between the program and what it runs": (
        uses_a_shell, "subprocess.run(line, shell=True)", "subprocess.run(['sh', '-c', line])",
    ),
    "no system call by a line of text": (
        calls_named("os.system", "os.popen", "subprocess.getoutput"), "os.system('git push')",
        "run(['git', 'push'])",
    ),
    "no YAML that can call": (
        calls_named("yaml.load", "yaml.unsafe_load", "yaml.full_load"), "yaml.load(text)", "yaml.compose(text)",
    ),
    "no pickles and no code out of text": (
        calls_named("pickle.loads", "pickle.load", "eval", "exec"), "eval(text)", "re.compile(text)",
    ),
    "no forced push": (
        has_word("--force", "--force-with-lease", "-f"), "git('push', '-f')", "git('push', '--set-upstream')",
    ),
    "no hook is skipped": (has_word("--no-verify"), "git('commit', '--no-verify')", "git('commit', '--verify')"),
    "nothing of the user's is thrown away": (
        has_word("--hard", "-D"), "git('reset', '--hard')", "git('branch', '--delete', name)",
    ),
    "no work tree on a disk that is away is forgotten": (
        hands_over("prune"), "git('worktree', 'prune')", "say('`git worktree prune`')",
    ),
    "nothing of the user's is set aside": (hands_over("stash", "clean"), "git('stash')", "say('the clean tree')"),
    "no new file is staged that was not named": (adds_everything, "run(['git add -A'])", "git('add', '--', name)"),
    # https://github.com/python/cpython/issues/106052
    "no pattern that Python 3.11.0 to 3.11.4 matches wrongly": (
        has_possessive_pattern, "rf'(?:{WORD}|=)*+x'", r"r'[*+]+\++x *', '\n+++ b'",
    ),
    "no exception is caught unseen": (
        catches_everything, "try:\n    f()\nexcept Exception:\n    pass",
        "try:\n    f()\nexcept OSError:\n    pass",
    ),
}  # fmt: skip
EXEMPT = {
    "no new file is staged that was not named": {
        "lib/baton/demo/workplace.py",  # in the repository it made itself
        "lib/baton/git/commits.py",  # in the work tree of a run, by a list of names
    },
    # In the check tree, where nobody works.
    "no forced push": {"lib/baton/checks/check_tree.py"},
    "nothing of the user's is set aside": {"lib/baton/checks/check_tree.py"},
    "no exception is caught unseen": {
        "lib/baton/cli.py",  # where a bug is shown as one
        "lib/baton/headless/one_story.py",  # and raised, once the other stories have ended their turns
    },
}
TEXT_RULES = {
    "a template escapes nothing on request": (
        r"\|\s*safe\b",
        "{{ title | safe }}",
        "{{ title | replace('\n', ' ') }}",
    ),
    "no work is left for later": (r"\b(?:TODO(?!\.md)|FIXME|XXX|HACK)\b", "# TODO: this", "# what is to do: this"),
    "no merge is left open": (r"(?m)^(?:<{7}|>{7}) ", "<<<<<<< ours", "<< ours"),
}


def name(path: Path) -> str:
    return path.relative_to(SCRIPTS).as_posix()


def test_there_are_files_of_each_sort_to_look_at() -> None:
    suffixes = {path.suffix for path in FILES}
    assert {".py", ".j2", ".json", ""} <= suffixes
    assert len(program()) > 30


@pytest.mark.parametrize("rule", RULES)
def test_no_module_breaks_a_rule(rule: str) -> None:
    breaks = RULES[rule][0]
    assert {place for place, code in program().items() if breaks(code)} == EXEMPT.get(rule, set())


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_can_be_broken_and_kept(rule: str) -> None:
    breaks, bad, good = RULES[rule]
    assert breaks(code_of(bad))
    assert not breaks(code_of(good))


@pytest.mark.parametrize("rule", TEXT_RULES)
def test_no_file_breaks_a_rule_for_text(rule: str) -> None:
    pattern = re.compile(TEXT_RULES[rule][0])
    assert [name(path) for path in FILES if pattern.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("rule", TEXT_RULES)
def test_a_rule_for_text_can_be_broken_and_kept(rule: str) -> None:
    pattern, bad, good = TEXT_RULES[rule]
    assert re.search(pattern, bad)
    assert not re.search(pattern, good)
