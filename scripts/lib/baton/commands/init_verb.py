"""The verb that settles a project: init."""

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import click

from baton import __version__
from baton.actions.bundle import settled_mode
from baton.artifacts.config import CONFIG_FILE
from baton.artifacts.document import read_document
from baton.artifacts.load_config import read_config
from baton.commands.arguments import json_option, persons_project, token_here
from baton.commands.output import say, say_json
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.remotes import remote_head
from baton.journal.paths import Project
from baton.journal.permit import Permit, use_permit
from baton.project.first_settings import config_text, find_warnings, write_new
from baton.project.permissions import SETTINGS, allow_rules, write_rules
from baton.project.try_commands import Trial
from baton.story.ask.answer_source import in_a_client, session_here
from baton.templates.render import render
from baton.text import printable

WORKFLOW = ".github/workflows/baton.yml"
PLUGIN = "baton-plugin/baton"
SOURCE = f"https://github.com/{PLUGIN}"
CLIENT = "2.1.330"  # of Claude Code, that whole stories were run in
LABEL, BUDGET, CRON = "baton", "25", "17 * * * *"
# What git may check out by, and no more: it is written into a file that GitHub runs.
REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")
COMMIT_ID = re.compile(r"[0-9a-f]{40}")
# The client's own PATH has no plugin in it, so its status line needs the whole path.
LAUNCHER = Path(__file__).parents[4] / "bin" / "baton"
IN_A_SHELL = f"type `{quote(str(LAUNCHER))} init%s` in a shell outside of the client"
SETTING = {"type": "command", "command": f"{quote(str(LAUNCHER))} status --line", "refreshInterval": 2}
STATUS_LINE = f'"statusLine": {json.dumps(SETTING, ensure_ascii=False)}'

SET_UP = (
    "THEN commit it on the default branch, with `.baton.yaml`: its commands count as confirmed there",
    "THEN on GitHub: the secret ANTHROPIC_API_KEY (`gh secret set ANTHROPIC_API_KEY`), the label `baton`, and in "
    "Settings, Actions, General: allow GitHub Actions to create pull requests",
    "For checks on its pull requests, and to merge: the secret BATON_TOKEN, a token that may push",
)

ALLOW_NEXT = "`baton init --allow` then lets agents edit their own work trees without asking you"
# The client lets a model call init, and the user has confirmed no command yet.
NOT_TRIED = f"the commands were not tried: to have that, delete `.baton.yaml` and {IN_A_SHELL % ''}"


@click.command()
@click.option("--allow", is_flag=True, help="Add the client's permission rules a story needs.")
@click.option("--no-try", is_flag=True, help="Write the commands without running them.")
@click.option("--actions", is_flag=True, help="Write the workflow that runs stories on GitHub Actions.")
@click.option(
    "--plugin-ref", default="", metavar="COMMIT", help="Of the plugin, for that workflow; its release if left out."
)
@json_option
@click.pass_obj
def init(start: Path, allow: bool, no_try: bool, actions: bool, plugin_ref: str, as_json: bool) -> None:
    """Find this repository's commands and write `.baton.yaml`.

    It is shown first; one that is there stays as it is. Each command is tried on base, in a work tree of baton's
    own, with documents as stories leave: one that cannot run here, or that changes files, becomes a comment.

    With --allow, add to `.claude/settings.local.json` the rules with which a story's agents edit files in their
    own work trees and run the project's own commands without a prompt; and print the setting that shows stories in
    the client's status line.

    With --actions, show and write `.github/workflows/baton.yml` instead.

    Example: baton init --allow
    """
    project = persons_project(start)
    if actions:
        _init_actions(project, plugin_ref, as_json)
        return
    if allow:
        _check_rules_allowed(project)
    git = Git(project)
    git.do("version")  # settings that are there need nothing else of it
    tries = not (no_try or in_a_client())
    is_new = not os.path.lexists(project.root / CONFIG_FILE)
    text, trial = config_text(git, _tell if tries else None)
    read_config(text, CONFIG_FILE)  # one that is there may be broken
    if is_new and not as_json:
        say(text, ".baton.yaml")
    written = write_new(project, CONFIG_FILE, text)
    warnings = [*find_warnings(text, trial), *trial.warnings] if written else []
    rules = write_rules(project, allow_rules(git)) if allow else []
    if as_json:
        tried = [check._asdict() for check in trial.tried]
        say_json({"config": text, "written": written, "tried": tried, "warnings": warnings, "rules": rules})
        return
    lines = [*([""] if is_new else []), *_tried_lines(trial), *(f"WARNING {warning}" for warning in warnings)]
    lines += [NOT_TRIED] if written and not (tries or no_try) else []
    lines += _written_lines(start, project) if written else ["kept the existing .baton.yaml"]
    lines += _allowed_lines(rules) if allow else [ALLOW_NEXT] if written and not in_a_client() else []
    say("\n".join(lines), SETTINGS)


def _check_rules_allowed(project: Project) -> None:
    """Raise a BatonError unless the client asked about `init --allow`, or it is called at a terminal outside."""
    asked = Permit(session_here(), "init --allow")
    if not (use_permit(project, asked, token_here()) if in_a_client() else sys.stdin.isatty()):
        what = "no terminal, and in the client a `!` line cannot be told from a model's call"
        raise BatonError(what, "`baton init --allow`", f"ask Claude to run it, or {IN_A_SHELL % ' --allow'}")


def _written_lines(start: Path, project: Project) -> list[str]:
    git = "git" if start.resolve() == project.root.resolve() else f"git -C {quote(str(project.root))}"
    commit = f"{git} commit -m 'chore: settings of baton' -- .baton.yaml"
    return ["wrote .baton.yaml", f"THEN {git} add .baton.yaml && {commit}"]


def _allowed_lines(rules: Sequence[str]) -> list[str]:
    lines = [f"allowed in .claude/settings.local.json: {rule}" for rule in rules] or ["no rule was missing"]
    return [*lines, f"to see stories below the prompt, put into ~/.claude/settings.json: {STATUS_LINE}"]


def _tell(progress: str) -> None:
    click.echo(f"trying the commands: {printable(progress)}", err=True)


def _tried_lines(trial: Trial) -> list[str]:
    return [f"{check.name}: {check.how}" + (f" ({check.why})" if check.why else "") for check in trial.tried]


def _init_actions(project: Project, plugin_ref: str, as_json: bool) -> None:
    """Show the workflow, write it unless there is one, and say what is to be set on GitHub."""
    git = Git(project)
    text = workflow_text(plugin_ref or published_ref(git))
    warnings = [*(_check_ref(git, plugin_ref) if plugin_ref else []), *_mode_warnings(project)]
    if not as_json:
        say(text, WORKFLOW)
    written = write_new(project, WORKFLOW, text)
    if as_json:
        say_json({"workflow": text, "written": written, "warnings": warnings})
        return
    lines = ["", *(f"WARNING {warning}" for warning in warnings)]
    say("\n".join([*lines, f"{'wrote' if written else 'kept the existing'} {WORKFLOW}", *SET_UP]), WORKFLOW)


def _check_ref(git: Git, ref: str) -> list[str]:
    """Raise a BatonError where the plugin has no such tag or branch; a warning where that cannot be looked up."""
    try:
        if COMMIT_ID.fullmatch(ref) or any(
            remote_head(git, SOURCE, f"refs/{kind}/{ref}") for kind in ("tags", "heads")
        ):
            return []
    except BatonError as error:
        return [f"`--plugin-ref {ref}` was not checked: {error.what}"]
    raise BatonError(f"no tag and no branch {ref}", SOURCE, "give one, or all 40 characters of a commit")


def _mode_warnings(project: Project) -> list[str]:
    """Warn of a mode in the checkout's settings, which are to be committed, that no job takes."""
    path = project.root / CONFIG_FILE
    try:
        settled_mode(read_config(read_document(path), CONFIG_FILE).mode if path.exists() else "")
    except BatonError as error:
        return [str(error)]
    return []


def published_ref(git: Git) -> str:
    """Return the tag of this version where the plugin's repository has it, else the commit its main is at."""
    tag, name = f"v{__version__}", "`baton init --actions --plugin-ref COMMIT` names one without a look"
    try:
        ref = tag if remote_head(git, SOURCE, f"refs/tags/{tag}") else remote_head(git, SOURCE, "refs/heads/main")
    except BatonError as error:
        raise BatonError(f"the plugin's repository cannot be read: {error.what}", SOURCE, name) from error
    if not ref:
        raise BatonError(f"no tag {tag} and no branch main", SOURCE, name)
    return ref


def workflow_text(ref: str) -> str:
    """Return the workflow, which takes the plugin at this tag or commit."""
    if not REF.fullmatch(ref):
        raise BatonError(f"{ref!r} is neither a tag nor a commit", "--plugin-ref", "give a commit of the plugin's")
    named = {"plugin": PLUGIN, "ref": ref, "client": CLIENT}
    text = render("workflow.yml.j2", **named, label=LABEL, budget=BUDGET, cron=CRON)
    return re.sub(r"\n\n+(?= {4})", "\n", text)  # what the template's own marks leave
