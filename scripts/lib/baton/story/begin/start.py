"""The start of a story: whether it may begin, and what the user must settle first."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from baton.artifacts.config import Command, commands_digest
from baton.artifacts.document import read_document
from baton.artifacts.kinds import is_valid
from baton.artifacts.plan import Plan, read_plan
from baton.artifacts.story_file import Story, read_story
from baton.artifacts.strict_yaml import YamlFault
from baton.checks.failures import first_error
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import find_story_branch
from baton.github.access import find_lacks
from baton.journal.events import Judged, Started
from baton.journal.paths import Folder, Project
from baton.project.settings import read_confirmed, read_settings
from baton.rules.engine import Decision, decide
from baton.rules.facts import StartFacts
from baton.rules.pages import table_of
from baton.story.ask.question import ask_question, was_accepted
from baton.story.ask.step import CHECK_SECONDS, Step, decided_step
from baton.story.begin.adopt import adopt_branch, adopt_in_place
from baton.story.begin.create import stories_folder
from baton.story.begin.dependencies import check_dependencies, committed_story, unfinished_dependencies
from baton.story.begin.preflight import find_problem
from baton.story.checks.baseline import BaseTry, try_on_base
from baton.story.session.session import DELIVERED, StorySession, lines_to_confirm, mode_of, tip_of
from baton.story.session.story_branch import keep_text, take_in_commits
from baton.story.session.story_files import read_spec, text_of

SETTLED = StartFacts(True, False, "none", mode=True, github=True, tried="works", adopted="no", micro=False)
KEEP_OUT = "unless `.baton.yaml` says `artifacts: local`"
NO_CRITERIA = "no acceptance criterion: list at least one under `## Acceptance Criteria`"
UNKNOWN = (
    "begun from the marks of its plan: what earlier runs counted, asked or deferred is in no journal here; "
    "`baton answer` can replan it at its next question"
)


def begin_story(story: StorySession) -> Step | None:
    """Decide how a new story begins: refuse, ask, or begin (the first run is then to be spawned).

    Returns the step that waits for the commands, which are tried first.
    """
    _refuse_unless_ready(story)
    if not tip_of(story):
        take_in_commits(story)  # the call that began the story was cut short before it made the branch
    known = read_spec(story)
    plan = existing_plan(text_of(story, "plan") if known.is_confirmed else "")
    _check_spec(story, known)
    values = {
        **_told_of_settings(story),
        "spec": spec_in_the_way(story),
        "branch": story.branch,
        "plan_path": story.folder.artifact("plan"),
        "closed": plan.closed,
        "total": len(plan.phases),
    }
    facts = _settings_facts(story, values)._replace(
        spec_in_the_way=bool(values["spec"]),
        adopted=("unapproved" if story.state.flags.plan_only else "yes") if plan.phases else "no",
        micro=known.is_small and not story.state.flags.plan_only,
    )
    decision = decide(table_of("start"), facts, values)
    decision, trial = _try_commands(story, decision, facts, values)
    if decision.action == "wait":
        step = decided_step(story, decision, "planning")
        return step._replace(seconds=CHECK_SECONDS, hold=trial.running.wait if trial.running else None)
    if decision.action == "ask":
        _ask(story, decision, trial)
        return None
    if story.state.started is None:  # else a crash came between
        _begin(story)
    warnings = [*([UNKNOWN] if decision.rule == "start/adopted" else []), *story.settings().config.warnings]
    warnings += _ignored_papers(story)
    warnings += unfinished_dependencies(story.project, known)
    judged = Judged("", decision.rule, decision.action, decision.then, decision.reason, warnings=warnings)
    story.note(judged._replace(closed=plan.closed, total=len(plan.phases)))
    return None


def _try_commands(
    story: StorySession, decision: Decision, facts: StartFacts, values: Mapping[str, Any]
) -> tuple[Decision, BaseTry]:
    """Try the commands where nothing else is in the way of a run; returns what is decided by that."""
    trial = try_on_base(story) if decision.action == "spawn" else BaseTry("works")
    if trial.state == "works" or was_accepted(story, trial.told):
        return decision, trial
    return decide(table_of("start"), facts._replace(tried=trial.state), {**values, "tried": trial.told}), trial


def _ask(story: StorySession, decision: Decision, trial: BaseTry) -> None:
    if trial.outcome:
        shown = trial.outcome.shown
        log, findings = str(trial.outcome.log), [first_error(shown) or shown]
        ask_question(story, decision, "planning", log, trial.told, findings)
    else:
        ask_question(story, decision, "planning", ".baton.yaml", commands_digest(lines_to_confirm(story)))


def _refuse_unless_ready(story: StorySession) -> None:
    not_ready, remedy = find_problem(story.git, story.settings().base, story.branch)
    decision = decide(table_of("start"), SETTLED._replace(ready=not not_ready), {"not_ready": not_ready})
    if decision.action == "refuse":
        raise BatonError(decision.reason, str(story.project.root), remedy)


def _check_spec(story: StorySession, known: Story) -> None:
    """Refuse a story without criteria, and one that depends on a story that is not there or waits for it."""
    if not (known.is_confirmed or known.sources):
        raise BatonError(NO_CRITERIA, str(story.folder.artifact("story")), f"`baton story edit {story.id}`")
    check_dependencies(story.project, story.id, known.depends_on)


def spec_in_the_way(story: StorySession) -> str:
    """Name the story's file where it lies untracked in the checkout: a merge would have to pass over it."""
    path = story.folder.relative_to_root(story.folder.artifact("story"))
    if story.settings().config.artifacts == "local" or not os.path.lexists(story.project.root / path):
        return ""
    return "" if story.git.ask("ls-files", "--error-unmatch", "--", path).code == 0 else path


def _commands_state(story: StorySession) -> Literal["none", "confirmed", "unconfirmed"]:
    digest = commands_digest(lines_to_confirm(story))
    if not digest:
        return "none"
    return "confirmed" if digest in read_confirmed(story.project).commands else "unconfirmed"


def _told_of_settings(story: StorySession) -> dict[str, Any]:
    """Return what the questions about the settings quote."""
    lacks = find_lacks(story.git) if mode_of(story) in ("", *DELIVERED) else ()
    return {
        "base": story.settings().base,
        "commands": commands_text(lines_to_confirm(story)),
        "lacks": "; ".join(f"{lack.what}: {lack.remedy}" for lack in lacks),
    }


def _ignored_papers(story: StorySession) -> list[str]:
    """Warn of a story's folder that git ignores, where its papers are committed."""
    by = story.git.ignored_by(story.folder.relative_to_root(story.folder.artifact("story")))
    if not by or ":!" in by or story.settings().config.artifacts == "local":
        return []
    return [f"git ignores {story.folder.relative} (`{by}`): its files are committed all the same, {KEEP_OUT}"]


def _settings_facts(story: StorySession, values: Mapping[str, Any]) -> StartFacts:
    """Return the facts on the settings, for a story that may start otherwise."""
    mode, state = bool(mode_of(story)), _commands_state(story)
    return SETTLED._replace(commands=state, mode=mode, github=not values["lacks"])


def commands_text(commands: Sequence[Command]) -> str:
    """Return the commands as the user is asked to confirm them."""
    return "\n".join(f"  {command.name}: {command.line}" for command in commands)


def ask_unless_settled(story: StorySession) -> bool:
    """Return True where commands and mode are settled; else ask the user: base may have got others since."""
    values = _told_of_settings(story)
    decision = decide(table_of("start"), _settings_facts(story, values), values)
    how = decision.row.asks
    if how is None:
        return True
    options = {
        option: answer._replace(then="integrate") if answer.then == "start" else answer
        for option, answer in how.options.items()
    }
    asked = Decision(decision.row._replace(asks=how._replace(options=options)), decision.reason)
    ask_question(story, asked, "integration", ".baton.yaml", commands_digest(lines_to_confirm(story)))
    return False


def commands_confirmed(story: StorySession) -> bool:
    """Whether the user has confirmed the commands as they are now, or there are none."""
    return _commands_state(story) != "unconfirmed"


def _begin(story: StorySession) -> None:
    take_in_commits(story)
    known = read_spec(story)
    base = story.settings().base
    base_commit = story.git.branch_commit(base)
    story.note(
        Started(
            base=base,
            base_commit=story.git.fork_point(story.state.head, base_commit),
            branch=story.folder.branch,
            criteria=list(known.criteria),
            text=keep_text(story),
            language=known.language,
        )
    )


def resume_from_branch(project: Project, story_id: str) -> None:
    """Begin the journal of a story that has none: from its branch, or from a folder in which it has a plan."""
    git = Git(project)
    if branch := find_story_branch(git, story_id):
        stories = read_settings(git, "").config.dir
        folder, files = committed_story(git, git.commit_of(branch), stories, story_id)
        if folder:
            adopt_branch(project, Folder(project.root, folder, story_id), branch, files)
        return
    places = sorted(stories_folder(project).glob(f"{story_id}_*/story.md"))
    names = [place.parent.relative_to(project.root).as_posix() for place in places]
    planned = [name for name in names if _is_planned(Folder(project.root, name, story_id))]
    if len(planned) == 1:
        adopt_in_place(project, planned[0])


def existing_plan(text: str) -> Plan:
    """Return the plan in a text that is a valid one; one without phases for every other."""
    return read_plan(text) if is_valid("plan", text) else Plan(())


def _is_planned(folder: Folder) -> bool:
    """Whether a folder has a valid plan, and the file of the story it is named after."""
    path = folder.artifact("plan")
    if not existing_plan(read_document(path) if path.exists() else "").phases:
        return False
    try:
        return read_story(read_document(folder.artifact("story"))).id == folder.story
    except (BatonError, YamlFault):
        return False
