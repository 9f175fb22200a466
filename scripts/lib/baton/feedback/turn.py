"""The two steps of a round that a caller takes: plan it, and land it; what to do next is always said."""

import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.brief_xml import Brief, brief_of
from baton.feedback.briefs import Told, offers_for, write_brief
from baton.feedback.cluster import Cluster
from baton.feedback.landing import Landing, Waiting, land, open_landing, preview
from baton.feedback.plan import Said, brief_path, check_said, obstacles, plan, self_inflicted
from baton.feedback.protected import protected
from baton.feedback.questions import Answers, Question
from baton.feedback.read import known_remotes, settings_beside
from baton.feedback.round import Round, Unit, load_results, load_round, save_round
from baton.feedback.summary import Landed
from baton.outside.git import Git
from baton.story.lock import held
from baton.story.places import Project

AGENT = "baton:pr-comment-resolver"
# How long one call waits for the project's commands, in all.
WAIT_SECONDS = 90.0
HYPOTHESIS = "{count} findings of {theme} in {area} may have one cause{before}."
BEFORE = ", and {count} like them were resolved here before"


class Spawn(NamedTuple):
    """An agent to start: which unit it is for, and its prompt."""

    unit: str
    agent: str
    prompt: str
    brief: str


class Step(NamedTuple):
    """What a caller is to do now, and why; `data` is the rest of what there is to say, for JSON."""

    action: str
    rule: str
    reason: str
    spawn: tuple[Spawn, ...] = ()
    lines: tuple[str, ...] = ()
    then: str = ""
    data: Mapping[str, Any] = MappingProxyType({})

    def text(self) -> str:
        """Give it as text, the action first."""
        if self.action == "show":
            return "\n".join(self.lines)
        what = f"spawn {len(self.spawn)} agents, all in one message" if self.spawn else self.action
        told = [f"DO {what}"]
        told += [f"AGENT {one.agent}\nPROMPT {one.prompt}" for one in self.spawn]
        told += [f"WHY {self.rule}: {self.reason}", *self.lines]
        return "\n".join([*told, f"THEN {self.then}"] if self.then else told)

    def to_data(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        spawn = [one._asdict() for one in self.spawn]
        return {"action": self.action, "rule": self.rule, "reason": self.reason, "spawn": spawn, **self.data}


def plan_round(project: Project, record: dict[str, Any], said: Said) -> Step:
    """Plan a round of what was read, with a brief for each unit; gives the agents to start."""
    folder, git = Path(record["file"]).parent, Git(project)
    check_said(said, record)
    with held(folder / "lock", "baton pr plan"):
        before = load_round(project, folder)
        if before and not before.landed and _is_under_way(project, folder, before, record):
            return _out(project, folder, before, "round/under-way", "this round is out already")
        if review := record["pending_review"]:
            what = f"pr/pending-review: you have a pending review, {review['url']}"
            raise BatonError(what, record["pr"]["url"], "submit or discard it, then `baton pr fetch` again")
        config = settings_beside(git, record["pr"]["state"], record["pr"]["head_oid"])
        made = plan(record, said, config, self_inflicted(git, record), before)
        if made.round is None:
            return Step("report", made.decision.rule, made.decision.reason)
        what, remedy = obstacles(git, record)
        if what:
            raise BatonError(what, str(project.root), remedy)
        if question := _of_a_fork(project, folder, git, record):
            return question
        ready = made.round._replace(untracked=tuple(git.untracked()))
        units = tuple(_briefed(project, folder, record, one, made.clusters) for one in ready.units)
        ready = ready._replace(units=units)
        save_round(project, folder, ready)
        return _out(project, folder, ready, made.decision.rule, made.decision.reason)


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
    return _asked(question, record["pr"]["number"])


def _configures(git: Git, pull: dict[str, Any]) -> list[str]:
    """Give the files a fork's head changes that configure agents, hooks or CI."""
    known = (one.name for one in known_remotes(git) if one.repository.lower() == pull["repo"].lower())
    places = [*(f"refs/remotes/{name}/{pull['base']}" for name in known), f"refs/heads/{pull['base']}"]
    base = next((one for one in places if git.commit_of(one)), "")
    if not base:
        remedy = "fetch it from the repository the pull request is of, then call again"
        raise BatonError(f"the base branch {pull['base']} is not known here", str(git.project.root), remedy)
    return protected(git.changed(base, pull["head_oid"]))


def _asked(question: Question, number: int) -> Step:
    return Step(
        "show", question.rule, question.reason, lines=tuple(question.lines(number)), data=question.data(number)
    )


def _briefed(
    project: Project, folder: Path, record: dict[str, Any], unit: Unit, clusters: Sequence[Cluster]
) -> Unit:
    """Write the brief of a unit; gives the unit with its place."""
    made = next((one for one in clusters if unit.is_cluster and one.new[0].id == unit.items[0]), None)
    path = brief_path(folder, unit.id)
    write_brief(
        project, path, Told(unit, record, project.root, _brief(made), offers_for(Git(project), record, unit))
    )
    return unit._replace(brief=str(path))


def _brief(made: Cluster | None) -> Brief | None:
    if made is None:
        return None
    before = BEFORE.format(count=len(made.resolved)) if made.resolved else ""
    told = HYPOTHESIS.format(count=len(made.new), theme=made.theme, area=made.area, before=before)
    return brief_of(made, told)


def _out(project: Project, folder: Path, made: Round, rule: str, reason: str) -> Step:
    """Say which agents are to be started: those of the first wave that is not in; or what is waited for."""
    results = load_results(project, folder, made)
    number = next(
        (index for index, wave in enumerate(made.waves) if any(one.id not in results for one in wave)), None
    )
    if number is None:
        return Step("land", "round/in", "every unit was handed in", then=f"baton pr land {made.number}")
    due = [one for one in made.waves[number] if one.id not in results]
    if number >= made.sent:
        save_round(project, folder, made._replace(sent=number + 1))
    waves = f"wave {number + 1} of {len(made.waves)}, {len(made.units)} units in all"
    return Step(
        "spawn", rule, f"{reason}; {waves}", tuple(map(_spawn, due)),
        then=f"end your turn; when all of them have ended: baton pr land {made.number}",
        data={"round": made.id, "units": [one._asdict() for one in made.units], "waves": len(made.waves)},
    )  # fmt: skip


def _spawn(unit: Unit) -> Spawn:
    return Spawn(unit.id, AGENT, f"Unit {unit.id}: read {unit.brief} and do what it says.", unit.brief)


def land_round(
    project: Project, folder: Path, without: Collection[str], dry_run: bool, seconds: float = WAIT_SECONDS
) -> Step:
    """Land the round in hand as far as it goes; `without` are units that are given up."""
    deadline = time.monotonic() + seconds
    while True:
        with held(project.lock, "baton pr land"):
            told = _land(project, folder, without, dry_run)
        left = deadline - time.monotonic()
        if not isinstance(told, Waiting):
            return told
        if left <= 0 or not told.hold(left):
            return Step("wait", "land/running", told.told, then=f"baton pr land {folder.name}")


def _land(project: Project, folder: Path, without: Collection[str], dry_run: bool) -> Step | Waiting:
    made = load_round(project, folder)
    if made is None or made.landed:
        raise BatonError("no round is in hand", f"pr-{folder.name}", f"plan one: `baton pr plan {folder.name}`")
    for name in without:
        made.unit(name)
    results = load_results(project, folder, made)
    waves = made.waves[: made.sent] if made.sent else made.waves[:1]
    missing = [one for wave in waves for one in wave if one.id not in results and one.id not in without]
    if missing:
        return _waiting(made, missing)
    later = [one for wave in made.waves for one in wave if one.id not in results and one.id not in without]
    if later:
        return _out(project, folder, made, "round/next-wave", "those before it are in")
    landing = open_landing(project, folder, made, results)
    if dry_run:
        return _would(landing)
    answers = Answers(project, folder)
    told = land(landing, answers)
    if isinstance(told, Waiting):
        return told
    if isinstance(told, Question):
        answers.ask(told)
        return _asked(told, made.number)
    return _landed(project, folder, told)


def _waiting(made: Round, missing: Sequence[Unit]) -> Step:
    names = ", ".join(one.id for one in missing)
    first = missing[0]
    lines = (
        f"IF one was not started, as {first.id}: spawn {AGENT} with `{_spawn(first).prompt}`",
        "IF one has ended and handed nothing in: start it once more, then give it up: "
        f"baton pr land {made.number} --without {first.id}",
    )
    return Step("wait", "round/out", f"not handed in yet: {names}", lines=lines, then="end your turn")


def _would(landing: Landing) -> Step:
    """Say exactly what would be committed, posted and resolved; nothing is changed."""
    return Step("show", "land/dry-run", "nothing was changed", lines=tuple(preview(landing)))


def _landed(project: Project, folder: Path, told: Landed) -> Step:
    assert told.decision is not None
    if how := told.decision.row.stop:
        does = {"continue": "makes another round, with your note in its briefs", "leave": "leaves what is open"}
        about = f"{told.round.id}"
        question = Question(told.decision.rule, about, told.decision.reason, how.question, does)
        Answers(project, folder).ask(question)
    return Step("show", told.decision.rule, told.decision.reason, lines=tuple(told.lines()), data=told.data())
