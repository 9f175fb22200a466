"""`.baton.yaml`: what a project settles once, read as it is committed on the base branch."""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from baton.artifacts.bots import REVIEW_BOTS
from baton.errors import BatonError

NAME = ".baton.yaml"
RETRIES = {
    "planning": 2, "micro": 2, "no_return": 2, "report": 2, "qa_verdict": 2, "qa_fail_cycles": 2,
    "memory_delta": 3, "integration_fixes": 2, "restarts": 3,
}  # fmt: skip


# No setting is ever changed.
NONE: dict[str, str] = {}
NO_LAYOUTS = (
    "`layouts:` in .baton.yaml is not read any more: the planner reads what other tools keep; take it out, and "
    "name their folders under `sources:`, where ids are looked for"
)


class Language(NamedTuple):
    """The particulars of a language: the part of the brief it adds, and its own commands."""

    brief: str = ""
    commands: dict[str, str] = NONE


# The steps whose commands run in the root of the work tree.
ORDER = ("setup", "build", "test")


class Prepush(NamedTuple):
    """A command that is run in the folder `path` before a story is integrated that changes something below it."""

    path: str
    run: str


class Command(NamedTuple):
    """A command of the project: the step it is for, its shell line, and its folder (empty: the root).

    Of several commands of a step in one folder, `number` tells the second and those after it apart. `report` is
    the JUnit XML file it writes, if any.
    """

    step: str
    line: str
    path: str = ""
    number: int = 1
    report: str = ""

    @property
    def name(self) -> str:
        """Its name, which no other command of the project has."""
        place = f"{self.step} in {self.path}" if self.path else self.step
        return place if self.number == 1 else f"{place} ({self.number})"


class Budget(NamedTuple):
    """The most tokens, US dollars and minutes of runs; None is no limit."""

    tokens: float | None
    usd: float | None
    minutes: float | None


# A small story takes some 15 million tokens, most of them read from the cache, and at most 25 dollars; what goes
# in a circle gets here within a night. Minutes have no limit unless one is set: a run that waits for you until
# morning wastes nothing.
PER_STORY = Budget(200_000_000, 100, None)
PER_DAY = Budget(600_000_000, 300, None)
PRODUCTION = frozenset({"prod", "production", "live"})
LANGUAGES = {"lean": Language("lean", {"build": "lake build"})}


class Config(NamedTuple):
    """A project's settings with every default filled in."""

    base: str = ""
    production: tuple[str, ...] = ("main", "master", "production")
    dir: str = "specs"
    artifacts: str = "commit"
    notify: str = ""
    ask_on: str = "client"
    exclusive: bool = False
    keep: str = ""
    triage: str = "ask"
    confirm: str = "always"
    mode: str = ""
    command_timeout_s: int = 7200
    checks: str = "required"
    checks_wait_s: int = 600
    method: str = "squash"
    draft: bool = False
    reviewers: tuple[str, ...] | None = None
    quiet_s: int = 120
    review_wait_s: int = 259_200
    deploy_wait_s: int = 3600
    subject: str = "story {id}: {summary}"
    squash: bool = False
    commands: dict[str, str] = NONE
    prepush: tuple[Prepush, ...] = ()
    max_iterations: int = 5
    same_error_limit: int = 3
    no_progress_limit: int = 3
    backoff_s: int = 5
    retries: dict[str, int] = RETRIES
    models: dict[str, str] = NONE
    retry_models: dict[str, str] = NONE
    budget: Budget = PER_STORY
    budget_per_day: Budget = PER_DAY
    languages: dict[str, Language] = LANGUAGES
    resolved_lookback: int = 10
    volume: int = 3
    parallel: int = 4
    resolve: str = "own"
    replies: str = "review"
    bots: tuple[str, ...] = REVIEW_BOTS
    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def is_production(self, name: str) -> bool:
        """Whether a branch or an environment is listed or named so; nothing is where nothing is listed."""
        words = re.split(r"[\W_]+", name.lower())
        listed = name.lower() in map(str.lower, self.production)
        return listed or bool(self.production and PRODUCTION.intersection(words))


def commands_of(config: Config, language: Language) -> list[Command]:
    """Return a project's commands in the order they run, those of a language in place of the general ones."""
    lines = {**config.commands, **language.commands}
    reports = {"test": lines.get("report", "")}
    named = [Command(step, lines[step], report=reports.get(step, "")) for step in ORDER if step in lines]
    paths = [command.path for command in config.prepush]
    return named + [
        Command("prepush", command.run, command.path, paths[: index + 1].count(command.path))
        for index, command in enumerate(config.prepush)
    ]


def commands_to_confirm(config: Config, language: Language) -> list[Command]:
    """Return all that is run on this machine by a project's settings: its commands, and the one that notifies."""
    notify = [Command("notify", config.notify)] if config.notify else []
    return commands_of(config, language) + notify


def commands_digest(commands: Sequence[Command]) -> str:
    """Name commands by their content, as the user confirms them; empty when there are none."""
    if not commands:
        return ""
    return hashlib.sha256(json.dumps(commands).encode()).hexdigest()


def read_config(text: str, where: str) -> Config:
    """Read a configuration; a BatonError names its first fault and where it is."""
    return filled(load_config(text, where))


def load_config(text: str, where: str, known: bool = False) -> dict[str, Any]:
    """Load a configuration without its defaults; a BatonError names its first fault and where it is.

    `known` says that this text was found valid before.
    """
    from baton.artifacts.front_matter import YamlFault, load_yaml

    try:
        value = load_yaml(text)
    except YamlFault as fault:
        raise BatonError(f"not readable as YAML ({fault})", where, "fix it and commit it") from fault
    from baton.artifacts.schema import check_schema

    findings = [] if known else check_schema(value, "config", where)
    if findings:
        first = findings[0]
        raise BatonError(first.message, f"{where}, {first.where}", "fix it and commit it on the base branch")
    return value or {}


def filled(value: dict[str, Any]) -> Config:
    """Fill in every default of a configuration that was found valid."""
    default, commands = Config(), value.get("commands", {})
    integrate, feedback = value.get("integrate", {}), value.get("feedback", {})
    return Config(
        base=value.get("base", ""),
        production=tuple(value.get("production", default.production)),
        dir=value.get("dir", default.dir).strip("/"),
        artifacts=value.get("artifacts", default.artifacts),
        notify=value.get("notify", default.notify),
        ask_on=value.get("ask_on", default.ask_on),
        exclusive=value.get("exclusive", default.exclusive),
        **value.get("memory", {}),
        **value.get("intake", {}),
        **{"mode": "", **integrate, **{key: tuple(integrate[key]) for key in ("reviewers",) if key in integrate}},
        **value.get("commits", {}),
        commands={name: line for name, line in commands.items() if name != "prepush"},
        prepush=tuple(Prepush(entry["path"].strip("/"), entry["run"]) for entry in commands.get("prepush", ())),
        **value.get("loop", {}),
        retries={**RETRIES, **value.get("retries", {})},
        models=_models(value, "model"),
        retry_models=_models(value, "retry_model"),
        budget=_budget(value.get("budget", {}), PER_STORY),
        budget_per_day=_budget(value.get("budget", {}).get("per_day", {}), PER_DAY),
        languages={
            **LANGUAGES,
            **{name.lower(): _language(name.lower(), given) for name, given in value.get("languages", {}).items()},
        },
        sources=tuple(source.strip("/") for source in value.get("sources", ())),
        warnings=(NO_LAYOUTS,) if "layouts" in value else (),
        **{**feedback, "bots": (*REVIEW_BOTS, *map(str.lower, feedback.get("bots", ())))},
    )


def _models(value: dict[str, Any], name: str) -> dict[str, str]:
    return {role: agent[name] for role, agent in value.get("agents", {}).items() if name in agent}


def _budget(value: dict[str, Any], default: Budget) -> Budget:
    given = {name: value[name] for name in Budget._fields if name in value}
    return default._replace(**{name: None if most == "none" else most for name, most in given.items()})


def _language(name: str, value: dict[str, Any]) -> Language:
    """Read a language's settings; what they leave out is as it is built in."""
    built_in = LANGUAGES.get(name, Language())
    return Language(value.get("brief", built_in.brief), dict(value.get("commands", built_in.commands)))
