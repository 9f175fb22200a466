"""Killed at any start or end of git and of gh, `pr land` is taken up again: all of it is there once."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from baton.feedback.land.reply import ON_ITS_WAY_S
from bench import Bench, CallResult, new_bench
from fake_github.fixtures import UNSET, gh_settings
from fake_github.hub import Hub
from fake_github.misbehave import Proceed
from fake_github.request import Answer, Request
from fake_github.server import served
from fake_github.state import Text
from faults.child import FIRST_MOMENT, Broken, Done, Killed, begun, ended, forked, killer, walk
from faults.shim import SENT, Call, Family, kind_of
from faults.site import Site
from feedback.scene import WITH_TEST, PullScene, repository, result, scene
from inventory import Inventory, take
from quick_run import rank

ALL = os.environ.get("BATON_FAULTS") == "all"
# Of the places that differ by what was read alone, each n-th is struck at; all with `BATON_FAULTS=all`.
STRIDE = 15
# What only the viewer sees may be begun anew.
DRAFTS = ("BeginReview", "DraftReplies", "DiscardReview")


FAMILIES: tuple[Family, ...] = ("process", "begun", "end")
# More often than that no file vanishes while it is looked at.
LOOKS = 100
# What git does that leaves something: when it is killed as one of these has begun, that goes on by itself.
CHANGES = (" worktree add ", " commit-tree ", " push ", " merge ")


class Point(NamedTuple):
    """A call at which a landing can be killed, and the name of the place as it is there."""

    call: Call
    place: str

    @property
    def changes(self) -> bool:
        """Whether something was changed by what has just ended, or is by what has just begun."""
        words = CHANGES if self.call.name == "begun" else (*CHANGES, SENT)
        return self.call.name != "start" and any(word in self.call.subject for word in words)


def points(work: Callable[[], Any], look: Callable[[], str]) -> tuple[list[Point], Any]:
    """Do some work unstruck; gives each point of it, and what it came to."""

    def point(call: Call) -> Point:
        # Neither what the host did is to be seen in a place, nor what a program that has begun will do.
        made = Point(call, looked(look))
        is_sent = call.subject.startswith("gh ") and call.name == "end of"
        return made._replace(place=f"{made.place} {call.number if is_sent or made.changes else ''}")

    return walk(work, point, FAMILIES)


def looked(look: Callable[[], str]) -> str:
    """Look once more where a file was gone before it was read: a program that has begun makes and removes some."""
    for _ in range(LOOKS):
        with suppress(FileNotFoundError):
            return look()
    return look()


class Place:
    """Where a landing is killed and taken up again, any number of times: a round that was handed in."""

    def __init__(self, site: Site, socket: Path) -> None:
        self.site = site
        self.socket = socket
        self.kept = Path()

    @contextmanager
    def opened(self) -> Iterator[PullScene]:
        """Serve a host on which the pull request is as it was when the round was planned."""
        hub = Hub()
        try:
            with served(hub, self.socket):
                yield self._scene(hub)
        finally:
            self.socket.unlink()

    def _scene(self, hub: Hub) -> PullScene:
        made = scene(self.site.bench, hub, self.site.top / "remote.git")
        made.pull.thread("src/a.py", 1, by="alice", body="Rename this variable.")
        made.pull.thread("src/b.py", 1, by="alice", body="Why is this here?")
        made.pull.comment(by="bob", body="Please say what it is for.")
        return made

    def prepare(self) -> None:
        """Have a round handed in; keep that."""
        bench = new_bench(self.site.top / "project")
        repository(bench, self.site.top / "remote.git", WITH_TEST)
        with self.opened() as made:
            made.plan()
            first, second = (thread.id for thread in made.pull.threads)
            made.edit(first, {"src/a.py": "alpha = 1\n"})
            made.settle(
                result(first, "fixed", "src/a.py"), result(second, "not-addressing"),
                result(made.pull.comments[0].id, "replied", feedback_type="pr_comment"),
            )  # fmt: skip
        self.kept = self.site.keep("handed in")

    @contextmanager
    def again(self) -> Iterator[PullScene]:
        """Lay out what was handed in."""
        self.site.restore(self.kept)
        with self.opened() as made:
            yield made


class View(NamedTuple):
    """What a landing leaves: its last words, what is on the host and in the remote, and what the user has."""

    said: CallResult
    replies: list[str]
    resolved: list[str]
    sent: list[str]
    pushed: str
    subjects: list[str]
    bodies: list[str]
    user: Inventory


def view(made: PullScene, said: CallResult) -> View:
    """Look at all that a landing may have changed."""
    asked = [change for change in made.changes if change.body]  # a gh that nobody tells what to send says nothing
    sent = sorted(mutation_of(one) or one.path for one in asked if mutation_of(one) not in DRAFTS)
    bodies = sorted(node.body for node in made.hub.nodes.values() if isinstance(node, Text) and not node.deleted)
    user = _timeless(take(made.bench.root))
    return View(said, made.replies, made.resolved, sent, made.pushed, made.subjects, bodies, user)


def mutation_of(request: Request) -> str:
    """Return the name of a mutation; nothing for any other request."""
    return request.query.split("(")[0].split()[-1] if request.query else ""


def _timeless(user: Inventory) -> Inventory:
    """Return what the user has with what each index holds, in place of the file: that has times in it."""
    trees = {
        path: replace(tree, index=Bench(Path(path)).git("ls-files", "--stage"))
        for path, tree in user.trees.items()
    }
    return replace(user, trees=trees)


def recovered(made: PullScene) -> View:
    """Land to the end, undisturbed."""
    done = forked(made.landed, FIRST_MOMENT)
    assert isinstance(done, Done)
    return view(made, done.value)


@pytest.fixture(scope="module")
def place(gh_program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Give a place with a round that was handed in."""
    base = tmp_path_factory.mktemp("kill")
    site = Site(base / "site", base / "shelf")
    for name in ("home", "tmp"):
        (site.top / name).mkdir(parents=True)
    # A socket's path may be 100 characters long, that of a test's own folder is longer.
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(prefix="hub", dir="/tmp") as folder:
        site.settle(patch)
        patch.setattr("baton.github.client.sleep", lambda seconds: None)
        made = Place(site, Path(folder) / "socket")
        for name in UNSET:
            patch.delenv(name, raising=False)
        for name, value in gh_settings(Hub(), made.socket, base / "gh-config", gh_program).items():
            patch.setenv(name, value)
        made.prepare()
        yield made


@pytest.fixture(scope="module")
def wanted(place: Place) -> View:
    """Give what a landing leaves that nobody disturbs."""
    with place.again() as made:
        return recovered(made)


def test_undisturbed_everything_is_done_once(place: Place, wanted: View) -> None:
    with place.again() as made:
        assert wanted.said.out.startswith("DO report\nWHY verify/clean")
        threads = [thread.id for thread in made.pull.threads]
        items = [*threads, made.pull.comments[0].id]
        assert (wanted.replies, wanted.resolved) == (sorted(items), sorted(threads))
        sent = ["/repos/octo/app/issues/7/comments", "Resolve", "SubmitReview"]
        assert (wanted.sent, wanted.subjects) == (sent, ["use a better name (#7)"])
        assert wanted.pushed == wanted.user.refs["refs/heads/topic"] != made.pushed


def is_comment(request: Request) -> bool:
    return request.method == "POST" and request.path.endswith("/issues/7/comments")


# Killed


def test_a_landing_killed_at_any_program_is_taken_up_again(place: Place, wanted: View, quick: bool) -> None:
    with place.again() as made:
        found, said = points(made.landed, str if quick else place.site.print)
        assert view(made, said) == wanted
    struck = chosen(found, quick)
    wrong = [f"{one.call}: {what}" for one in struck for what in _killed(place, wanted, one)]
    assert not wrong, "\n".join(wrong)


def chosen(found: list[Point], quick: bool) -> list[Point]:
    """Return the points to strike at: those at which something changes, and of the other places every n-th.

    In a quick run it is one point of each of some kinds.
    """
    if ALL:
        return found
    changing = [one for one in found if one.changes]
    if quick:
        ranked = sorted(changing, key=lambda one: rank(one.call.number))
        return list({kind_of(one.call): one for one in ranked}.values())[:2]
    known = {one.place for one in changing}
    others = {one.place: one for one in found if one.place not in known}
    return [*changing, *list(others.values())[STRIDE // 2 :: STRIDE]]


def _killed(place: Place, wanted: View, point: Point) -> Iterator[str]:
    """Kill a landing at a point and land again; gives what is otherwise than undisturbed."""
    with place.again() as made:
        struck = forked(made.landed, FIRST_MOMENT, killer(point.call.number, FAMILIES))
        assert isinstance(struck, Killed)
        yield from differences(wanted, recovered(made))


def differences(wanted: View, met: View, *but: str) -> Iterator[str]:
    """Find what differs between two landings."""
    for name, was, now in zip(View._fields, wanted, met, strict=True):
        if was != now and name not in but:
            yield f"{name} is {now!r}, not {was!r}"


class Late:
    """Carries out what it is asked only once the next call waits for that."""

    def __init__(self) -> None:
        self.arrived, self.applied = threading.Event(), threading.Event()
        self._asked, self._told = os.pipe(), os.pipe()

    def answer(self, hub: Hub, request: Request, proceed: Proceed) -> Answer:
        self.arrived.set()
        os.read(self._asked[0], 1)
        given = proceed()
        self.applied.set()
        os.write(self._told[1], b"x")
        return given

    def pause(self, seconds: float) -> None:
        """Be the pause of a call: all of them but the long one end at once."""
        if seconds == ON_ITS_WAY_S:
            os.write(self._asked[1], b"x")
            os.read(self._told[0], 1)


def kill_at(late: Late, made: PullScene) -> None:
    """Kill a landing when what it sent has arrived."""
    child = begun(made.landed, FIRST_MOMENT)
    assert late.arrived.wait(60)
    os.kill(child.id, signal.SIGKILL)
    with pytest.raises(Broken):
        ended(child)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("meets", [*DRAFTS[:2], "SubmitReview", ""])
def test_a_request_under_way_at_the_kill_is_waited_for(
    place: Place, wanted: View, meets: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Late()
    monkeypatch.setattr("baton.github.client.sleep", late.pause)
    with place.again() as made:
        made.misbehave(late, when=lambda one: mutation_of(one) == meets if meets else is_comment(one))
        kill_at(late, made)
        met = recovered(made)
    assert late.applied.is_set()
    assert not list(differences(wanted, met))


def test_only_one_of_two_landings_at_once_does_everything(place: Place, wanted: View) -> None:
    with place.again() as made:
        both = [begun(made.landed, FIRST_MOMENT) for _ in range(2)]
        first, second = sorted((ended(one).value for one in both), key=lambda one: one.code)
        met = view(made, first)
    assert (first.code, second.out) in ((0, first.out), (0, ""))  # told the same, or who holds the lock
    assert not list(differences(wanted, met))
