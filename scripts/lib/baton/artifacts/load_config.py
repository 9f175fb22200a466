"""Read `.baton.yaml` as it is committed on the base branch: held against its schema, with every default."""

from typing import Any

from baton.artifacts.config import (
    LANGUAGES,
    PER_DAY,
    PER_STORY,
    RETRIES,
    REVIEW_BOTS,
    Budget,
    Config,
    Language,
    Prepush,
)
from baton.artifacts.schema import check_schema, digest_with_schema
from baton.artifacts.strict_yaml import YamlFault, load_yaml
from baton.errors import BatonError

NO_LAYOUTS = (
    "`layouts:` in .baton.yaml is not read any more: the planner reads what other tools keep; take it out, and "
    "name their folders under `sources:`, where ids are looked for"
)


def read_config(text: str, where: str) -> Config:
    """Read a configuration; a BatonError names its first fault and where it is."""
    return fill_defaults(load_config(text, where))


def load_config(text: str, where: str, known: bool = False) -> dict[str, Any]:
    """Load a configuration without its defaults; a BatonError names its first fault and where it is.

    `known` says that this text was found valid before.
    """
    try:
        value = load_yaml(text)
    except YamlFault as fault:
        raise BatonError(f"not readable as YAML ({fault})", where, "fix it and commit it") from fault
    findings = [] if known else check_schema(value, "config", where)
    if findings:
        first = findings[0]
        raise BatonError(
            first.message, f"{where}, {first.where}".removesuffix(", $"), "fix it and commit it on the base branch"
        )
    return value or {}


def digest_of(text: str) -> str:
    """Name a configuration together with what reads and checks it: found valid once, it stays so."""
    return digest_with_schema(text, "config")


def fill_defaults(value: dict[str, Any]) -> Config:
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
        flaky=value.get("flaky", default.flaky),
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
