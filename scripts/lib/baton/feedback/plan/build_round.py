"""Make a round of what is new: which items belong together, what each resolver gets."""

import re
from collections.abc import Collection, Mapping, Sequence
from secrets import token_hex
from typing import NamedTuple

from baton.artifacts.config import Config
from baton.errors import BatonError
from baton.feedback.fetch.item import Item
from baton.feedback.fetch.pull_feedback import Thread
from baton.feedback.plan.cluster import MOST_ITEMS, Cluster, ClusterItem, Clusters, cluster_items
from baton.feedback.plan.open_decisions import DECIDE_RULE
from baton.feedback.plan.round import Round, Unit, chain_same_lines, largest_first
from baton.feedback.reader.items import category_by_path
from baton.feedback.record.record import PullRequestRecord
from baton.feedback.text.comment_marks import FIXING
from baton.git.command import Git
from baton.rules.engine import Decision, decide, may_decide
from baton.rules.facts import ClusterFacts, FetchFacts, ReadFacts
from baton.rules.pages import table_of

# Of how many items it is looked up who wrote their line: one call of git each.
MOST_BLAMED = 200
BLAMED_COMMIT = re.compile(r"(?m)^([0-9a-f]{40,64}) \d+ \d+")


class RoundPlan(NamedTuple):
    """A round, the row that chose how its items were clustered, and the clusters."""

    round: Round | None  # None: there is nothing to do
    decision: Decision
    clusters: Mapping[str, Cluster]  # by the first of their new items


def draft_round(
    record: PullRequestRecord, config: Config, before: Round | None, ours: Collection[str] = ()
) -> RoundPlan:
    """Plan a round; `before` is the last one, `ours` are the items on lines that our own commits wrote."""
    new = record.new
    again = {item.id for item in new}  # what is new again settled nothing
    record = record._replace(resolved=tuple(thread for thread in record.resolved if thread.id not in again))
    decision = _decided(record, new, config)
    if decision.action == "complete":
        return RoundPlan(None, decision, {})
    members = [ClusterItem(item.id, item.path, item.category or "other") for item in new]
    before_this = settled_items(record)
    before_this += find_joined(new, members, list(zip(record.resolved, before_this, strict=True)), ours)
    clusters = cluster_items(members, before_this, decision.rule)
    new_round = _round(record, new, before)
    units = chain_same_lines(_numbered(new_round, largest_first(units_of(clusters))), new)
    ready = new_round._replace(units=tuple(units), parallel=config.parallel)
    return RoundPlan(ready, decision, {group.new[0].id: group for group in clusters.clusters})


def _decided(record: PullRequestRecord, new: list[Item], config: Config) -> Decision:
    """Choose the gate; a BatonError where nothing may be planned."""
    review = record.pending_review.url if record.pending_review else ""
    if refused := may_decide(table_of("feedback-fetch"), FetchFacts(bool(review)), {"review": review}):
        remedy = "submit or discard it, then `baton pr fetch` again"
        raise BatonError(f"{refused.rule}: {refused.reason}", record.pull.url, remedy)
    if decision := may_decide(table_of("feedback-read"), ReadFacts(unread=False, out=False, new=bool(new)), {}):
        return decision
    counted = sum(not item.outdated for item in new)  # those whose lines have changed count for no volume
    facts = ClusterFacts(record.target is not None, counted >= config.volume, record.is_recurring)
    values = {"counted": counted, "volume": config.volume, "resolved": len(record.resolved)}
    return decide(table_of("feedback-cluster"), facts, values)


def _round(record: PullRequestRecord, new: list[Item], before: Round | None) -> Round:
    """Begin a round, without its units: the next cycle where its items are what the last one left."""
    goes_on = before is not None and record.after == before.id and before.landed != DECIDE_RULE
    return Round(
        id=f"r{token_hex(4)}",
        number=record.pull.number,
        cycle=before.cycle + 1 if before and goes_on else 1,
        head=record.pull.head_oid,
        targeted=record.target is not None,
        units=(),
        item_versions=tuple(item.version for item in new),
        history=before.history if before and goes_on else (),
        not_read=record.not_read,
        miscounted=record.miscounted,
    )


def units_of(clusters: Clusters) -> list[Unit]:
    """Return a unit for each cluster, for each other item, and for all that is about the pull request as a whole.

    Each is named by the first of its items.
    """
    alone = [
        Unit(singleton.id, (singleton.id,), (singleton.path,))
        for singleton in clusters.singletons
        if singleton.path
    ]
    general = [singleton.id for singleton in clusters.singletons if not singleton.path]
    parts = [general[first : first + MOST_ITEMS] for first in range(0, len(general), MOST_ITEMS)]
    return [*map(_cluster_unit, clusters.clusters), *alone, *(Unit(part[0], tuple(part), ()) for part in parts)]


def _cluster_unit(group: Cluster) -> Unit:
    items, prior = (tuple(member.id for member in those) for those in (group.new, group.resolved))
    return Unit(items[0], items, group.files, group.area, group.theme, prior)


def _numbered(new_round: Round, units: Sequence[Unit]) -> list[Unit]:
    """Return the units under the names they have in a round."""
    return [unit._replace(id=f"pr{new_round.number}-{new_round.id}-u{at}") for at, unit in enumerate(units, 1)]


def settled_items(record: PullRequestRecord) -> list[ClusterItem]:
    """Return the threads that were resolved before, each with what it is about, as far as anybody said."""
    return [
        ClusterItem(
            prior.id, prior.path, record.categories.get(prior.id) or category_by_path(prior.path), resolved=True
        )
        for prior in record.resolved
    ]


def find_joined(
    new: Sequence[Item],
    members: Sequence[ClusterItem],
    settled: Sequence[tuple[Thread, ClusterItem]],
    ours: Collection[str],
) -> Collection[ClusterItem]:
    """Return settled threads that new items belong to by their lines, whatever they are about.

    Those are the threads on the same lines and, for an item on lines we wrote, the threads of its file we fixed.
    """
    joined = dict[tuple[str, str], ClusterItem]()
    for item, member in zip(new, members, strict=True):
        lines = {*range(item.start_line or item.line, item.line + 1)} if item.line else set[int]()
        for thread, known in settled:
            if thread.path != item.path or known.category == member.category:
                continue
            if (item.id in ours and thread.answered in FIXING) or not lines.isdisjoint(thread.lines):
                joined[thread.id, member.category] = known._replace(concern=member.category)
    return joined.values()


def items_on_our_lines(git: Git, record: PullRequestRecord, ours: Collection[str]) -> frozenset[str]:
    """Return the items on lines that one of our own commits wrote, as far as their commits are here."""
    threads = record.threads[:MOST_BLAMED] if ours else ()
    new = {item.id for item in record.new}
    return frozenset(
        thread.id for thread in threads if thread.id in new and not _writers(git, thread).isdisjoint(ours)
    )


def _writers(git: Git, thread: Thread) -> frozenset[str]:
    """Return the commits that wrote the lines a thread was begun on."""
    commit, line = thread.commit, thread.original_line
    if not line or not git.commit_of(commit):
        return frozenset()
    lines = f"-L{thread.original_start_line or line},{line}"
    blame = git.ask("blame", "--porcelain", lines, commit, "--", thread.path, no=(128,)).out
    return frozenset(BLAMED_COMMIT.findall(blame))
