"""The texts that cost most, as long as GitHub lets a comment be, and the slowest of them for each function.

Times are those of the processor, the best of a few runs: what others do on the machine does not count.
"""

import gc
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial
from importlib import import_module
from inspect import isfunction, signature
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time
from types import ModuleType
from typing import Any, NamedTuple

from speed.process import Call, fail, run

LENGTH = 65_536
RUNS = 3
REPEATED = (
    "<!--", "<!----!>", "<details>", "<details><summary>", "![", "[](", "[x]: ", "[U+", "`", "*", "_", "> ", "* ",
    "1. ", "| ", "@a ", "`1`: **", "ignore all ", "found 1 ", "<summary>comments (1", "comments ", "a/b.", "<!-- ",
)  # fmt: skip
TEXTS = {
    **{one: one for one in REPEATED},
    "<details> in quotes": "> <details>\n",
    "folded prompts": "<details><summary>Prompt for AI agents</summary>\nx</details>\n",
    "folded prompts on one line": "<details><summary>Prompt for AI</summary>x</details>",
    "folded prompts, each deeper": "<details>\n<summary>Prompt for AI agents</summary>\n",
    "quotes, each deeper": "".join(f"{'> ' * depth}x\n" for depth in range(60)),
    "lists, each deeper": "".join(f"{'  ' * depth}- x\n" for depth in range(60)),
    "alternating fences": "```\nx\n~~~\n",
    "fences in quotes": "> ```a\nx\n",
    "fences far to the right": "    ```a\n",
    "comments over a blank line": "x <!--\n\n",
    "one word": "w",
    "carriage returns": "\r",
    "zero-width spaces": "\u200b",
    "variation selectors": "\ufe0f",
    "emoji that join": "\U0001f469\u200d",
    "halves of pairs": "\ud83d",
}
MODULES = (
    "feedback.text.markdown",
    "text",
    "feedback.text.excerpt",
    "feedback.text.flags",
    "feedback.reader.texts",
    "feedback.reader.readings",
    "feedback.reader.check_reading",
)
# What a function is given, by the names of its parameters: such a text, or what is likely.
HOSTILE = {"text", "body", "heading", "words"}
OTHERS = {
    "limit": 72,
    "most": 72,
    "quote": "x" * 300,
    "after": 0,
    "spans": [(one, one + 2) for one in range(0, LENGTH, 8)],
    "cuts": [(one, one + 2, "…") for one in range(0, LENGTH, 8)],
}
Case = Callable[[], object]
Reader = Callable[..., object]


class Slowest(NamedTuple):
    """What the slowest text took, also as a ratio to what the base took, and which it is."""

    seconds: float
    ratio: float
    text: str


def measure_texts(base: Call, small: bool = False, wanted: str = "*") -> dict[str, Slowest]:
    """Give the slowest text for each function of such a name."""
    bases, found = [], {}
    for name, cases in all_cases(LENGTH // 16 if small else LENGTH).items():
        if fnmatchcase(name, wanted):
            bases.append(timed_run(base))
            found[name] = slowest(cases)
    return {name: Slowest(seconds, seconds / min(bases), case) for name, (seconds, case) in found.items()}


def slowest(cases: dict[str, Case]) -> tuple[float, str]:
    """Give the slowest case, its time the best of a few runs."""
    took = {name: timed(case) for name, case in cases.items()}
    settled = set[str]()
    while (name := max(took, key=lambda one: took[one])) not in settled:
        took[name] = min(took[name], *(timed(cases[name]) for _ in range(RUNS)))
        settled.add(name)
    return took[name], name


def timed(case: Case) -> float:
    """Give the seconds that a case takes, its text never read before."""
    for module in map(import_module, (f"baton.{name}" for name in MODULES)):
        for var in vars(module).values():
            if hasattr(var, "cache_clear"):
                var.cache_clear()
    gc.disable()  # as baton does
    begin = process_time()
    case()
    seconds = process_time() - begin
    gc.enable()
    return seconds


def timed_run(call: Call) -> float:
    """Give the seconds that a call takes."""
    before = getrusage(RUSAGE_CHILDREN)
    run(call)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def all_cases(length: int = LENGTH) -> dict[str, dict[str, Case]]:
    """Give every function that reads what somebody wrote, by its name, on each of the texts."""
    from baton.feedback.text.comment_marks import marks_in

    modules = [import_module(f"baton.{name}") for name in MODULES]
    functions = [*(reader for module in modules for reader in readers(module)), marks_in]
    texts = {name: (unit * (length // len(unit) + 1))[:length] for name, unit in TEXTS.items()}
    cases: dict[str, dict[str, Case]] = {}
    for function in functions:
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        cases[name] = {case: partial(function, *given(function, text)) for case, text in texts.items()}
    for says in ("actionable", "ignore"):
        cases[f"reading.check_reading, {says}"] = {case: checked(says, text) for case, text in texts.items()}
    return cases


def checked(says: str, words: str) -> Case:
    """Give a check of what a reader says of a person's comment: with quotes and places that may stand there."""
    from baton.feedback.reader.check_reading import HeadFiles, Share, check_reading
    from baton.feedback.reader.texts import Text

    finding = {"quote": words[:300].strip() or "x", "category": "other", "path": "b.x", "line": 1}
    wrong = {**finding, "quote": "none of its words", "path": "none"}
    found = [finding, wrong] if says == "actionable" else []
    value = {"reading": "r", "texts": [{"id": "t1", "says": says, "findings": found}]}
    share = Share("r", {"t1": Text("C_1", "comment", "alice", False, words, words)}, {})
    return partial(check_reading, value, share, HeadFiles((), lambda name: 0))


def readers(module: ModuleType) -> list[Reader]:
    """Give the public functions of a module that take a text."""
    own = (var for var in vars(module).values() if isfunction(var) and var.__module__ == module.__name__)
    return [one for one in own if one.__name__[0] != "_" and HOSTILE & set(signature(one).parameters)]


def given(function: Reader, text: str) -> list[Any]:
    """Give what a function is called with: a text wherever it takes one."""
    names = signature(function).parameters
    if unknown := set(names) - HOSTILE - set(OTHERS):
        fail(f"nothing is known that {function.__module__}.{function.__name__} takes as {', '.join(unknown)}")
    return [text if name in HOSTILE else OTHERS[name] for name in names]
