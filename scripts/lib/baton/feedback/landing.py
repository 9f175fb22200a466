"""Land a round: results, checked diff, one validation, commit, push, replies, resolves; then what is left."""

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from baton.artefacts.resolver_result import ResolverResult, Result, read_result
from baton.decide.engine import decide
from baton.decide.tables.feedback import FEEDBACK, FeedbackFacts
from baton.drive.checking import Running
from baton.errors import BatonError
from baton.feedback.address import Address
from baton.feedback.cluster import Cycle, converging
from baton.feedback.effects import MADE, THERE, Outbox, Outcome, open_outbox
from baton.feedback.item import NEW, Item
from baton.feedback.marker import CLOSING, mark
from baton.feedback.outgoing import commit_message, reply_body, sentence_of
from baton.feedback.plan import self_inflicted
from baton.feedback.posting import CHANGED, Posting
from baton.feedback.questions import Answers, Question
from baton.feedback.read import Read, read_pull_request
from baton.feedback.resolving import Rules
from baton.feedback.round import Round
from baton.feedback.sending import await_head, commit_once, push_once
from baton.feedback.shown import quoted
from baton.feedback.summary import Landed
from baton.feedback.tree import checked, committed, remote_of_head
from baton.feedback.validation import Validated, due, unconfirmed, validate
from baton.outside.git import Git
from baton.outside.github import GitHub
from baton.secrets.scan import secrets_in
from baton.story.places import Project


class Landing(NamedTuple):
    """A round that is being landed: what was handed in, and the pull request as it reads now."""

    project: Project
    folder: Path
    round: Round
    results: Mapping[str, ResolverResult]
    read: Read

    @property
    def git(self) -> Git:
        return Git(self.project)

    @property
    def verdicts(self) -> Iterator[Result]:
        """The verdict on each item."""
        return (one for made in self.results.values() for one in made.results)

    @property
    def declared(self) -> set[str]:
        """The files the resolvers say they changed."""
        return {name for one in self.verdicts for name in one.files_changed}

    def item(self, name: str) -> Item | None:
        """Give an item as it reads now; None where it is gone, or was resolved."""
        return next((one for one in self.read.reader.sorted.items if one.id == name), None)

    def said_since(self, item: Item) -> bool:
        """Whether an item reads otherwise than when the round was planned."""
        return f"{item.id} {item.at}" not in self.round.seen

    def bodies(self) -> Iterator[tuple[Item, Result, str]]:
        """Give what is to be posted: the item, the verdict, the text. Items that changed meanwhile are left."""
        for one in self.verdicts:
            item = self.item(one.feedback_id)
            if item and not self.said_since(item):
                hidden = mark(item.id, one.verdict, self.round.id)
                yield item, one, reply_body(sentence_of(item.text), one.reply_text, hidden)


class Waiting(NamedTuple):
    """Commands still run: what to say of them, and how to wait for them (seconds; True when they ended)."""

    told: str
    hold: Callable[[float], object]


def open_landing(project: Project, folder: Path, made: Round, results: Mapping[str, object]) -> Landing:
    """Read the pull request anew and hold the round against it; a BatonError where nothing can be landed."""
    host, repository = folder.parts[-4], "/".join(folder.parts[-3:-1])
    read = read_pull_request(project, Address(host, repository, made.number))
    pull, review = read.reader.feedback.pull, read.record["pending_review"]
    facts = FeedbackFacts("land", pending_review=bool(review), closed=pull.state != "OPEN")
    decision = decide(FEEDBACK, facts, {"review": review and review["url"], "state": pull.state.lower()})
    assert decision is not None
    if decision.action == "refuse":
        raise BatonError(f"{decision.rule}: {decision.reason}", pull.url, "mend that on GitHub, then call again")
    texts = {name: read_result(json.dumps(one)) for name, one in results.items()}
    landing = Landing(project, folder, made, texts, read)
    _check_place(landing)
    _check_secrets(landing)
    return landing


def _check_secrets(landing: Landing) -> None:
    """Refuse to post or commit anything of results in which something looks like a secret."""
    for one in landing.verdicts:
        if found := secrets_in(f"{one.reply_text}\n{one.reason}", os.environ):
            what = f"what looks like a secret ({found[0].kind}) in the result for {one.feedback_id}"
            remedy = "hand its unit in again without it; nothing was posted"
            raise BatonError(what, f"line {found[0].line}", remedy)


def _check_place(landing: Landing) -> None:
    """Refuse to land anywhere but on the head the round began from, or on its own commit on top of that."""
    git, made, pull = landing.git, landing.round, landing.read.reader.feedback.pull
    ours, here = committed(git, made), git.commit_of("HEAD")
    where = str(git.project.root)
    if here not in (made.head, ours):
        what = f"{here[:12]} is checked out, the round began from {made.head[:12]}"
        raise BatonError(what, where, f"`gh pr checkout {made.number}`, then call again")
    if pull.head_oid not in (made.head, ours):
        what = f"somebody pushed {pull.head_oid[:12]} meanwhile; nothing is forced"
        kept = f" (the commit {ours[:12]} stays here)" if ours else ""
        remedy = f"`git pull --rebase`{kept}, then `baton pr fetch {made.number}` and `baton pr plan` again"
        raise BatonError(what, where, remedy)
    if under_way := git.unfinished:
        raise BatonError(f"a {under_way} is in progress", where, "conclude it, or give it up, then call again")


def preview(landing: Landing) -> Iterator[str]:
    """Say exactly what landing would commit, push, post and resolve; nothing is changed."""
    changes, pull = checked(landing.git, landing.round, landing.declared), landing.read.reader.feedback.pull
    yield "DO look: this is what would be done; nothing was"
    if changes.paths:
        remote = remote_of_head(landing.git, pull)
        yield f"COMMIT {', '.join(map(repr, changes.paths))}"
        yield quoted("message", _message(landing))
        yield f"PUSH to {remote}, {pull.target}"
    for item, one, body in landing.bodies():
        yield quoted(f"REPLY to {item.id} ({one.verdict})", body)
    posted = {item.id for item, _, _ in landing.bodies()}
    yield from (f"RESOLVE {one}" for one in _closing(landing, posted))
    for one in landing.verdicts:
        if one.feedback_id not in posted:
            yield f"LEFT {one.feedback_id}: {CHANGED}"


def land(landing: Landing, answers: Answers) -> Landed | Waiting | Question:
    """Land a round as far as it goes: at its end, at commands that still run, or at a question."""
    changes = checked(landing.git, landing.round, landing.declared)
    git, made, pull = landing.git, landing.round, landing.read.reader.feedback.pull
    validated = Validated()
    with open_outbox(landing.project, pull, "baton pr land") as outbox:
        commit = committed(git, made)
        if changes.paths or commit:
            remote_of_head(git, pull)
            if question := _confirmed(landing):
                return question
            if changes.paths:
                commit = commit_once(git, made, changes, _message(landing), outbox)
            told = _validated(landing, answers, commit)
            if not isinstance(told, Validated):
                return told
            validated = told
            push_once(git, pull, commit, outbox)
            await_head(GitHub(pull.host, landing.project.root), pull, commit)
        replies, resolved = _answer(landing, outbox)
    landed = Landed(landing.round, landing.results, landing.read, commit, validated, replies, resolved)
    return _verified(landing, landed)


def _message(landing: Landing) -> str:
    return commit_message(landing.round.number, list(landing.verdicts), landing.round.id)


def _confirmed(landing: Landing) -> Question | None:
    """Ask once whether the project's commands may be run, as they are committed on the base branch."""
    digest = unconfirmed(landing.git, landing.read.config)
    if not digest:
        return None
    lines = ", ".join(f"{one.name}: {one.line}" for one in due(landing.read.config))
    reason = f"to validate the fixes, baton would run {lines}"
    does = {"accept": "lets baton run exactly these commands in this repository, on this machine"}
    return Question("land/commands", digest, reason, "May baton run these commands here?", does)


def _validated(landing: Landing, answers: Answers, commit: str) -> Validated | Waiting | Question:
    """Run the project's commands on the commit; a question where something fails that did not fail before."""
    tries = 0
    while answers.given("land/validation", f"{commit} {tries}") == "retry":
        tries += 1
    config = landing.read.config
    told = validate(landing.git, landing.folder, config, landing.round, commit, tries)
    if isinstance(told, Running):
        return Waiting(told.told, told.checks.wait)
    if not (told.introduced or told.unclear) or answers.given("land/validation", f"{commit} {tries}") == "accept":
        return told
    logs = ", ".join(str(one.outcome.log) for one in (*told.introduced, *told.unclear))
    return Question(
        "land/validation", f"{commit} {tries}", f"{told.told()}; nothing was pushed. Output: {logs}",
        "Mend the files and choose retry, or push the commit as it is?",
        {"retry": "commits what was mended and runs the commands again", "accept": "pushes it all the same"},
    )  # fmt: skip


def _answer(landing: Landing, outbox: Outbox) -> tuple[list[Outcome], list[Outcome]]:
    """Post every reply and resolve what it closes, each once."""
    pull, config = landing.read.reader.feedback.pull, landing.read.config
    posting = Posting(GitHub(pull.host, landing.project.root), pull, outbox, landing.round.id)
    bodies = {item.id: (item, body) for item, _, body in landing.bodies()}
    replies = [
        posting.reply(*bodies[name], one.verdict) if (name := one.feedback_id) in bodies else posting.left(name)
        for one in landing.verdicts
    ]
    closing = _closing(landing, {one.id for one in replies if one.how in (MADE, THERE)})
    resolved = posting.resolve(closing, Rules(config.resolve, config.bots)) if closing else []
    return replies, resolved


def _closing(landing: Landing, answered: Collection[str]) -> list[str]:
    """Give the threads whose verdict closes them; those that an earlier call resolved are no items any more."""
    threads = {one.id for one in landing.read.reader.feedback.threads}.intersection(answered)
    return [one.feedback_id for one in landing.verdicts if one.verdict in CLOSING and one.feedback_id in threads]


def _verified(landing: Landing, landed: Landed) -> Landed:
    """Read the pull request once more and decide what follows from what is left."""
    made, pull = landing.round, landing.read.reader.feedback.pull
    read = read_pull_request(landing.project, Address(pull.host, pull.repository, pull.number), after=made.id)
    left = [one for one in read.reader.items if one.state == NEW and one.id not in made.dropped]
    ours = self_inflicted(landing.git, read.record)
    history = (*made.history, Cycle(len(left), sum(one.repeated or one.id in ours for one in left)))
    facts = FeedbackFacts(
        "landed",
        new=bool(left),
        targeted=made.targeted,
        first_cycle=made.cycle == 1,
        converging=converging(history),
    )
    pattern = f"{history[-1].recurring} of them on lines of our own fixes, or found before"
    told = {"left": len(left), "cycles": made.cycle, "pattern": pattern}
    decision = decide(FEEDBACK, facts, told)
    assert decision is not None
    ended = made._replace(landed=decision.rule, history=history)
    return landed._replace(round=ended, read=read, decision=decision)
