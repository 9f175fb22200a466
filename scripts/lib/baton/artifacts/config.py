"""`.baton.yaml`: what a project settles once, and every default."""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import NamedTuple

CONFIG_FILE = ".baton.yaml"
# The review bots whose text is read, by the login GitHub gives their app, which no other app can have: each was
# found as `LOGIN[bot]` in files of public repositories on 28 November 2026. A login that an app gave up is free
# for another to take: Kilo's old one, `kiloconnect`, with the account number of `kilo-code-bot`, is left out.
REVIEW_BOTS = (
    "amazon-q-developer", "augmentcode", "baz-reviewer", "bito-code-review", "chatgpt-codex-connector", "claude",
    "cloudflare-workers-and-pages", "codacy-production", "codeant-ai", "codecov", "coderabbitai",
    "copilot-pull-request-reviewer", "cubic-dev-ai", "cursor", "deepsource-io", "dependabot",
    "devin-ai-integration", "ellipsis-dev", "entelligence-ai-pr-reviews", "gemini-code-assist",
    "github-advanced-security", "google-labs-jules", "graphite-app", "greptile-apps", "kilo-code-bot", "kody-ai",
    "korbit-ai", "macroscopeapp", "netlify", "propel-code-bot", "qodo-code-review",
    "qodo-free-for-open-source-projects", "qodo-merge-pro", "seer-by-sentry", "sentry", "sentry-io", "sonarcloud",
    "sonarqubecloud", "sourcery-ai", "vercel",
)  # fmt: skip
RETRIES = {
    "planning": 2, "micro": 2, "no_return": 2, "report": 2, "qa_verdict": 2, "qa_fail_cycles": 2,
    "memory_delta": 3, "integration_fixes": 2, "restarts": 3,
}  # fmt: skip


# Defaults of settings that are empty; nothing adds to them.
NO_ENTRIES: dict[str, str] = {}


class Language(NamedTuple):
    """The particulars of a language: the part of the brief it adds, and its own commands."""

    brief: str = ""
    commands: dict[str, str] = NO_ENTRIES


# The steps whose commands run in the root of the work tree.
ROOT_STEPS = ("setup", "build", "test")


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


# Chosen to stop what goes in a circle. Minutes have no limit unless one is set: a run that waits for you until
# morning wastes nothing.
PER_STORY = Budget(200_000_000, 100, None)
PER_DAY = Budget(600_000_000, 300, None)
PRODUCTION = frozenset({"prod", "production", "live"})
LANGUAGES = {"lean": Language("lean", {"build": "lake build"})}


class Config(NamedTuple):
    """A project's settings with every default filled in; those of a section stand here without its name."""

    base: str = ""
    production: tuple[str, ...] = ("main", "master", "production")
    dir: str = "specs"
    artifacts: str = "commit"
    notify: str = ""
    ask_on: str = "client"
    exclusive: bool = False
    flaky: str = "tell"
    # memory
    keep: str = ""
    triage: str = "ask"
    # intake
    confirm: str = "always"
    # integrate: here and on GitHub
    mode: str = ""
    command_timeout_s: int = 7200
    checks: str = "required"
    checks_wait_s: int = 600
    method: str = "squash"  # of a merge on GitHub
    draft: bool = False
    reviewers: tuple[str, ...] | None = None
    quiet_s: int = 120
    review_wait_s: int = 259_200
    deploy_wait_s: int = 3600
    # commits
    subject: str = "story {id}: {summary}"
    squash: bool = False  # of a merge on this machine
    # commands
    commands: dict[str, str] = NO_ENTRIES
    prepush: tuple[Prepush, ...] = ()
    # loop
    max_iterations: int = 5
    same_error_limit: int = 3
    no_progress_limit: int = 3
    backoff_s: int = 5
    # sections of their own
    retries: dict[str, int] = RETRIES
    models: dict[str, str] = NO_ENTRIES
    retry_models: dict[str, str] = NO_ENTRIES
    budget: Budget = PER_STORY
    budget_per_day: Budget = PER_DAY
    languages: dict[str, Language] = LANGUAGES
    # feedback
    resolved_lookback: int = 10
    volume: int = 3
    parallel: int = 4
    resolve: str = "own"
    replies: str = "review"
    bots: tuple[str, ...] = REVIEW_BOTS
    # beside the sections
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
    named = [Command(step, lines[step], report=reports.get(step, "")) for step in ROOT_STEPS if step in lines]
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
