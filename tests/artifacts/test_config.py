"""Settings: every one has a default, and a wrong one is named with its place."""

import pytest

from baton.artifacts.config import RETRIES, Config, Language, Prepush, commands_digest, commands_of
from baton.artifacts.load_config import read_config
from baton.errors import BatonError

WHOLE = """
base: trunk
production: [release]
dir: work/stories/
artifacts: commit
exclusive: true
integrate: {mode: branch, command_timeout_s: 60}
commands: {setup: make deps, build: make, test: make test, prepush: [{path: a b/, run: lint}, {path: ., run: all}]}
loop: {max_iterations: 7}
retries: {planning: 1, restarts: 100}
agents: {qa: {model: opus}, planner: {retry_model: opus}}
budget: {tokens: 1000, usd: none, per_day: {minutes: 1.5}}
"""


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "{}", "~"], ids=["nothing", "a remark", "empty", "null"])
def test_every_setting_has_a_default(text: str) -> None:
    config = read_config(text, "here")
    assert config == Config()
    assert (config.production, config.dir, config.max_iterations) == (("main", "master", "production"), "specs", 5)
    assert config.retries == RETRIES


def test_every_setting_can_be_set() -> None:
    config = read_config(WHOLE, "here")
    assert config[:3] == ("trunk", ("release",), "work/stories")
    assert config.commands == {"setup": "make deps", "build": "make", "test": "make test"}
    assert config.prepush == (Prepush("a b", "lint"), Prepush(".", "all"))
    assert (config.mode, config.command_timeout_s, config.exclusive) == ("branch", 60, True)
    assert (config.max_iterations, config.models) == (7, {"qa": "opus"})
    assert (config.retry_models, config.budget) == ({"planner": "opus"}, (1000, None, None))
    assert config.budget_per_day == (*Config().budget_per_day[:2], 1.5)
    assert config.retries == {**RETRIES, "planning": 1, "restarts": 100}


@pytest.mark.parametrize(("text", "where", "what"), [
    ("bases: main", "$", "no such key: `bases`; did you mean `base`?"),
    ("retries: {plan: 2}", "$.retries", "no such key: `plan`"),
    ("commands: {lint: x}", "$.commands", "no such key: `lint`"),
    ("agents: {reviewer: {model: x}}", "$.agents", "'reviewer' is none of"),
    ("agents: {qa: {modell: x}}", "$.agents.qa", "no such key: `modell`"),
    ("budget: {usd: 0}", "$.budget.usd", "0 is less than or equal to the minimum of 0"),
    ("budget: {usd: nope}", "$.budget.usd", "'nope': a number above 0, or none"),
    ("budget: {usd: true}", "$.budget.usd", "True is not a number or text"),
    ("budget: {per_day: {per_day: {}}}", "$.budget.per_day", "no such key: `per_day`"),
    ("base: 3", "$.base", "3 is not text"),
    ("base: ''", "$.base", "'' should be non-empty"),
    ("production: main", "$.production", "'main' is not a list"),
    ("loop: {max_iterations: 0}", "$.loop.max_iterations", "0 is less than the minimum of 1"),
    ("loop: {max_iterations: '5'}", "$.loop.max_iterations", "'5' is not a whole number"),
    ("loop: {max_iterations: 5.5}", "$.loop.max_iterations", "5.5 is not a whole number"),
    ("loop: {max_iterations: true}", "$.loop.max_iterations", "True is not a whole number"),
    ("retries: {report: 101}", "$.retries.report", "101 is greater than the maximum of 100"),
    ("integrate: {mode: push}", "$.integrate.mode", "'push' is none of: local, branch, pr, merge"),
    ("integrate:", "$.integrate", "None is not a mapping"),
    ("commands: {test: [make, test]}", "$.commands.test", "is not text"),
    ("integrate: {command_timeout_s: 0}", "$.integrate.command_timeout_s", "0 is less than the minimum of 1"),
    ("commands: {prepush: lint}", "$.commands.prepush", "'lint' is not a list"),
    ("commands: {prepush: [{run: lint}]}", "$.commands.prepush[0]", "'path' is a required property"),
    ("commands: {prepush: [{path: ../a, run: x}]}", "$.commands.prepush[0].path", "'../a': a folder's path"),
    ("commands: {prepush: [{path: /a, run: x}]}", "$.commands.prepush[0].path", "'/a': a folder's path"),
    ("commands: {prepush: [{path: a/./b, run: x}]}", "$.commands.prepush[0].path", "'a/./b': a folder's path"),
    ("languages: {lean: {commands: {prepush: []}}}", "$.languages.lean.commands", "no such key: `prepush`"),
    ("commits: {subject: 'fix: it'}", "$.commits.subject", "'fix: it': it must hold {summary}, may hold"),
    ("dir: /etc", "$.dir", "'/etc': a folder's path of letters"),
    ("dir: ../up", "$.dir", "'../up': a folder's path of letters"),
    ("dir: a/../../up", "$.dir", "'a/../../up': a folder's path of letters"),
    ("dir: a/.git", "$.dir", "'a/.git': a folder's path of letters"),
    ("dir: a b", "$.dir", "'a b': a folder's path of letters"),
    ("dir: |\n  specs\n", "$.dir", ": a folder's path of letters"),
    ("- base", "$", "is not a mapping or empty"),
    ("main", "$", "'main' is not a mapping or empty"),
    ("false", "$", "False is not a mapping or empty"),
])  # fmt: skip
def test_a_wrong_setting_is_named_with_its_place(text: str, where: str, what: str) -> None:
    with pytest.raises(BatonError) as caught:
        read_config(text, ".baton.yaml on main")
    assert caught.value.where == f".baton.yaml on main, {where}".removesuffix(", $")
    assert what in caught.value.what


@pytest.mark.parametrize(("text", "what"), [
    ("base: a\nbase: b", "line 2: `base` stands twice"),
    ("retries: {report: 1, report: 2}", "line 1: `report` stands twice"),
    ("base: [", "line 1: "),
    ("commands: {build: &b make, test: *b}", "line 1: anchors and aliases are not read"),
    ("base: !!python/name:os.system x", "line 1: tags are not read"),
])  # fmt: skip
def test_yaml_that_is_not_plain_is_refused_in_one_line(text: str, what: str) -> None:
    with pytest.raises(BatonError, match="not readable as YAML") as caught:
        read_config(text, "here")
    assert what in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def digest(commands: str) -> str:
    return commands_digest(commands_of(read_config(f"commands: {commands}", "here"), Language()))


@pytest.mark.parametrize(("other", "is_same"), [
    ("{test: make test, build: make}", True), ("{build: make, test: make test2}", False), ("{build: make}", False),
    ("{build: make test, test: make}", False), ("{setup: make, test: make test}", False),
    ("{build: make, test: 'make test '}", False),
    ("{build: make, test: make test, prepush: [{path: a, run: make}]}", False),
])  # fmt: skip
def test_commands_are_the_same_in_any_order_and_others_are_confirmed_anew(other: str, is_same: bool) -> None:
    assert (digest(other) == digest("{build: make, test: make test}")) is is_same


def test_no_commands_need_no_confirmation() -> None:
    assert digest("{}") == commands_digest([]) == ""


@pytest.mark.parametrize(("name", "listed", "is_production"), [
    ("prod", ["main"], True), ("release/live", ["main"], True), ("Production (eu)", ["main"], True),
    ("main", ["Main"], True), ("alive", ["main"], False), ("prod2", ["main"], False), ("develop", ["main"], False),
    ("prod", [], False),
])  # fmt: skip
def test_production_is_what_is_listed_or_named_so(name: str, listed: list[str], is_production: bool) -> None:
    assert Config(production=tuple(listed)).is_production(name) is is_production
