"""Plan a round of what was read: its units, a brief for each, and the agents to start."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from baton.errors import BatonError
from baton.feedback.brief_xml import Brief, brief_of
from baton.feedback.briefs import Told, offers_for, write_brief
from baton.feedback.cluster import Cluster
from baton.feedback.digest import counted
from baton.feedback.plan import Said, brief_path, check_said, obstacles, plan, self_inflicted
from baton.feedback.questions import Answers, Question
from baton.feedback.read import known_remotes, settings_beside
from baton.feedback.round import Round, Unit, load_results, load_round, save_round
from baton.feedback.step import Step, asked, send_out
from baton.outside.git import Git
from baton.outside.protected import hooks_folder, protected
from baton.story.lock import held
from baton.story.places import Project

HYPOTHESIS = "{count} findings of {theme} in {area} may have one cause{before}."
BEFORE = ", and {count} like them were resolved here before"


def plan_round(project: Project, record: dict[str, Any], said: Said) -> Step:
    """Plan a round of what was read, with a brief for each unit; gives the agents to start."""
    folder, git = Path(record["file"]).parent, Git(project)
    check_said(said, record)
    with held(folder / "lock", "baton pr plan"):
        before = load_round(project, folder)
        if before and not before.landed and _is_under_way(project, folder, before, record):
            return send_out(project, folder, before, "round/under-way", "this round is out already")
        config = settings_beside(git, record["pr"]["state"], record["pr"]["head_oid"])
        ours = self_inflicted(git, record)
        made = plan(record, said, config, ours, before)
        if made.round is None:
            return Step("report", made.decision.rule, made.decision.reason)
        what, remedy = obstacles(git, record)
        if what:
            raise BatonError(what, str(project.root), remedy)
        if question := _of_a_fork(project, folder, git, record):
            return question
        ready = made.round._replace(untracked=tuple(git.untracked()))
        note = Answers(project, folder).note("verify/pattern", before.id) if before else ""
        units = tuple(_briefed(project, record, one, made.clusters, note) for one in ready.units)
        ready = ready._replace(units=units)
        save_round(project, folder, ready)
        step = send_out(project, folder, ready, made.decision.rule, made.decision.reason)
        return step._replace(lines=tuple(_recurring(record, ready, ours)))


def _recurring(record: dict[str, Any], made: Round, ours: Collection[str]) -> Iterator[str]:
    """Say how much of a round is there again."""
    items = {name for unit in made.units for name in unit.items}
    repeated = [one for one in record["items"] if one["id"] in items and one["repeated"]]
    if wrote := items.intersection(ours):
        yield f"AGAIN {counted(len(wrote), 'item')} on lines that our own earlier fixes wrote"
    if repeated:
        yield f"AGAIN {counted(len(repeated), 'item')} of which their bot says that it found them before"


def _is_under_way(project: Project, folder: Path, before: Round, record: dict[str, Any]) -> bool:
    """Whether a round is out that still is of what was read; a later read makes way for another."""
    read_since = (folder / "feedback.json").stat().st_mtime_ns > (folder / "round.json").stat().st_mtime_ns
    some = bool(load_results(project, folder, before))
    if read_since and some and record["pr"]["head_oid"] == before.head:
        what = f"{len(load_results(project, folder, before))} units of the round before were handed in"
        raise BatonError(what, f"pr-{before.number}", f"land them first: `baton pr land {before.number}`")
    return not read_since


def _of_a_fork(project: Project, folder: Path, git: Git, record: dict[str, Any]) -> Step | None:
    """Ask before anything is worked on where a fork's head changes what configures agents or hooks."""
    changed = _configures(git, record["pr"]) if record["pr"]["cross_repository"] else []
    answers = Answers(project, folder)
    about = record["pr"]["head_oid"]
    if not changed or answers.given("plan/fork", about) == "accept":
        return None
    reason = f"this fork's head changes {', '.join(changed[:5])}"
    does = {"accept": "goes on with this head, as it is now"}
    question = Question("plan/fork", about, reason, "Did you look at that, and trust it?", does)
    answers.ask(question)
    return asked(question, record["pr"]["number"])


def _configures(git: Git, pull: dict[str, Any]) -> list[str]:
    """Give the files a fork's head changes that configure agents, hooks or CI."""
    known = (one.name for one in known_remotes(git) if one.repository.lower() == pull["repo"].lower())
    places = [*(f"refs/remotes/{name}/{pull['base']}" for name in known), f"refs/heads/{pull['base']}"]
    base = next((one for one in places if git.commit_of(one)), "")
    if not base:
        remedy = "fetch it from the repository the pull request is of, then call again"
        raise BatonError(f"the base branch {pull['base']} is not known here", str(git.project.root), remedy)
    return protected(git.changed(base, pull["head_oid"]), hooks_folder(git))


def _briefed(project: Project, record: dict[str, Any], unit: Unit, clusters: Sequence[Cluster], note: str) -> Unit:
    """Write the brief of a unit; gives the unit with its place."""
    made = next((one for one in clusters if unit.is_cluster and one.new[0].id == unit.items[0]), None)
    path = brief_path(Path(record["file"]).parent, unit.id)
    offers = offers_for(Git(project), record, unit)
    write_brief(project, path, Told(unit, record, project.root, _brief(made), offers, note))
    return unit._replace(brief=str(path))


def _brief(made: Cluster | None) -> Brief | None:
    if made is None:
        return None
    before = BEFORE.format(count=len(made.resolved)) if made.resolved else ""
    told = HYPOTHESIS.format(count=len(made.new), theme=made.theme, area=made.area, before=before)
    return brief_of(made, told)
