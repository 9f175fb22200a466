"""The digest of a fetch, for the user or a model: what is new first; for the user in full where there is room."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby

from baton.feedback.fetch.item import NEW, QUARANTINED, STATE_WORDS, STATES, UNVERIFIED, Item
from baton.feedback.fetch.threads import HEARD_ONCE
from baton.feedback.reader.items import SEVERITIES
from baton.feedback.record.record import PullRequestRecord
from baton.feedback.text.excerpt import excerpt
from baton.feedback.text.flags import fold_prompts
from baton.text import clip, on_one_line, plural, quoted, visible

LIMIT_BYTES = 6_000
# How much of each text is shown: the first of these with which everything fits. None: all of it; 0: a line each.
ROOM: tuple[int | None, ...] = (None, 1_200, 500, 0)
LONGEST_LINE = 72  # characters of a text in a list
MOST_PLACES = 25  # places, where there are too many items to list
MOST_NAMES = 6  # of those who are only counted


class Digest:
    """A record with its items, as text; with `words` also what was said, which a model is not to read."""

    def __init__(self, record: PullRequestRecord, requests: int, words: bool = True) -> None:
        self.record = record
        self.new = sorted(record.left if words else record.new, key=_order)
        self.requests = requests
        self._words = words
        self._texts = {text.item: text.words for text in record.texts}

    def text(self, leads_on: bool = True) -> str:
        """Return the digest, at most 6 KB of it; it ends with the next call if it `leads_on`."""
        head, tail, then = "\n".join(self._head()), "\n".join(self._tail()), self._then()
        room = LIMIT_BYTES - _size(head) - _size("\n".join([tail, *then])) - 2
        limits = ROOM if self._words else ROOM[-1:]
        ways: list[Callable[[], str]] = [lambda limit=limit: self._listed(limit) for limit in limits]  # type: ignore[misc]
        # Each item takes some 60 bytes at least: more of them than that are not even tried.
        if len(self.new) > LIMIT_BYTES // 60:
            ways = []
        body = next((body for way in ways if _size(body := way()) <= room), None)
        parts = (head, self._by_file(room) if body is None else body, tail, *(then if leads_on else ()))
        return "\n".join(part for part in parts if part)

    def notes(self) -> Iterator[str]:
        """Say whose words were not taken in, and why, and what may be there again."""
        yield from self._limits()
        yield from self._kept_out()
        yield from self._spoke_again()
        yield from self._recurrence()

    def _head(self) -> Iterator[str]:
        pull, counts = self.record.pull, self.record.counts
        state = ("draft, " if pull.draft else "") + pull.state.lower()
        title = "(title not shown)" if pull.title is None else clip(visible(pull.title).replace("\n", " "), 120)
        yield f"PR {pull.repository}#{pull.number} {title}"
        # The name of a fork's branch is its author's words.
        fork = pull.head_repository or "a deleted fork"
        head = fork if pull.cross_repository else _name(pull.head)
        yield f"   by @{pull.author.login}: {head} → {_name(pull.base)}, {state}, head {pull.head_oid[:8]}"
        shown = (state for state in STATES if counts[state] or state == NEW)
        yield " · ".join(f"{counts[state]} {STATE_WORDS.get(state, state)}" for state in shown)
        if review := self.record.pending_review:
            yield f"BLOCKED by your own pending review, submit or discard it: {review.url}"
        yield from self._limits()
        yield ""

    def _limits(self) -> Iterator[str]:
        """Say what was not looked at, by its bot, by its reader or at all."""
        if target := self.record.target:
            resolved = ", whose thread is resolved" if target.resolved else ""
            yield f"SCOPE only what the URL names: {target.surface.replace('_', ' ')} {target.number}{resolved}"
        for bot in self.record.not_reviewed[:MOST_NAMES]:
            yield f"NOT REVIEWED by {bot.bot}" + (f": {clip(visible(bot.why), 160)}" if self._words else "")
        if not_read := self.record.not_read:
            more = f" and {len(not_read) - MOST_NAMES} more" if len(not_read) > MOST_NAMES else ""
            yield f"NOT READ {', '.join(not_read[:MOST_NAMES])}{more}: taken as it stands, its reader failed"

    def _listed(self, limit: int | None) -> str:
        """Return every new item: with its text up to `limit` characters, or, for 0, in a line of its own."""
        if not self.new:
            return "" if self.record.unread else "Nothing new is left to do.\n"
        lines = self._lines() if limit == 0 else (self._whole(item, limit) for item in self.new)
        return "\n".join(lines) + "\n"

    def _by_file(self, room: int) -> str:
        """Return the new items by file, where they are too many to list, and of the files those that have most."""
        places = Counter(item.path or "the pull request itself" for item in self.new)
        lines = [f"{len(self.new)} new items in {len(places)} places, most first:"]
        lines += [f"  {count:5} {_name(path, 160)}" for path, count in places.most_common(MOST_PLACES)]
        if len(places) > MOST_PLACES:
            lines.append(f"  and {len(places) - MOST_PLACES} more")
        counts = Counter(item.severity for item in self.new)
        if by_severity := ", ".join(f"{counts[name]} {name}" for name in SEVERITIES if counts[name]):
            lines.append(f"By severity: {by_severity}")
        while _size("\n".join(lines)) + 1 >= room and len(lines) > 2:
            lines.pop(-2)
        return "\n".join(lines) + "\n"

    def _tail(self) -> Iterator[str]:
        yield from self._kept_out()
        yield from self._spoke_again()
        yield from self._recurrence()
        yield f"RECORD {self.record.file} ({plural(self.requests, 'request')})"
        if self.record.unread and self._words:
            texts, number = plural(len(self.record.unread), "text"), self.record.pull.number
            yield f"UNREAD {texts}: an agent reads them in Claude Code, `/resolve-pr-feedback {number}`"

    def _then(self) -> list[str]:
        """Say what to call next, if anything is left to do."""
        more = " (texts in full: baton pr show ITEM…)" if self._words else ""
        return [f"THEN baton pr plan {self.record.pull.number}{more}"] if self.new or self.record.unread else []

    def _recurrence(self) -> Iterator[str]:
        if self.record.signal:
            settled = plural(len(self.record.resolved), "thread")
            yield f"EARLIER {settled} resolved or answered: what is new may be about the same"

    def _spoke_again(self) -> Iterator[str]:
        """Say which bots answered us more than once: the first time is read, so that two bots end some day."""
        who = Counter(item.author for item in self.record.items if item.spoke_again)
        for name, count in who.most_common(MOST_NAMES):
            yield f"AFTER OUR ANSWER @{name} {count}: {HEARD_ONCE}; not read"

    def _kept_out(self) -> Iterator[str]:
        """Say whose words stay unread, and why; the words themselves never come this far."""
        answer = f" (baton answer pr-{self.record.pull.number} trust, or leave)"
        for state, label, how in ((UNVERIFIED, "UNVERIFIED", answer), (QUARANTINED, "IGNORED", "")):
            items = [item for item in self.record.items if item.state == state]
            reasons = sorted({item.why for item in items})
            for why in reasons[:MOST_NAMES]:
                who = Counter(item.author for item in items if item.why == why)
                names = ", ".join(f"@{name} {count}" for name, count in who.most_common(MOST_NAMES))
                more = f" and {len(who) - MOST_NAMES} more" if len(who) > MOST_NAMES else ""
                yield f"{label} {names}{more}: {on_one_line(why)}; not shown{how}"
            if len(reasons) > MOST_NAMES:
                yield f"{label} more, for {len(reasons) - MOST_NAMES} other reasons"

    def _whole(self, item: Item, limit: int | None) -> str:
        text = fold_prompts(item.text or self._texts.get(item.id, item.title)).strip("\r\n")
        cut = "" if limit is None or len(text) <= limit else f" (the first {limit} of {len(text)} characters)"
        return quoted(f"{item.id} {_place(item)} {_about(item)}{cut}", text if not cut else text[:limit])

    def _lines(self) -> Iterator[str]:
        """Return a line for each new item, under the file it is about."""
        for file, in_file in groupby(self.new, key=_file):
            yield on_one_line(file)
            for item in in_file:
                words = f": {excerpt(item.title, LONGEST_LINE)}" if self._words else ""
                yield f"  {item.lines or '-'} {item.id} {_about(item)}{words}"


def _order(item: Item) -> tuple[str, int, str]:
    return item.path or "\uffff", item.line or 0, item.at


def _place(item: Item) -> str:
    return f"{_file(item)}{item.lines and f':{item.lines}'}"


def _file(item: Item) -> str:
    if not item.path:
        return "comment" if item.surface == "pr_comment" else "review"
    return clip(item.path, 100)


def _about(item: Item) -> str:
    """Say in few words what an item is: its kind, and what is special to it."""
    words = [
        f"@{item.author}",
        item.category or "",
        item.severity or "",
        "outdated" if item.outdated else "",
        "again" if item.repeated else "",
        *item.flags,
    ]
    return ", ".join(word for word in words if word)


def _name(text: str, most: int = 80) -> str:
    """Return a name as it may stand in a line."""
    return clip(on_one_line(text), most)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
