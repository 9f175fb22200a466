"""The demo of a pull request as a user runs it, what it leaves behind, and its stand-in for GitHub."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from baton.demo import gh, play_pr
from baton.errors import BatonError
from baton.feedback.text.comment_marks import marks_in
from baton.github.queries import FEEDBACK, resolve_mutation
from demo.test_demo import ROOT, Shown, assert_tidy, git, show
from programs import write_program

STRANGER = "~/.ssh"
ITEMS = {
    "PRRT_always", "PRRT_cache", "PRRT_name", "PRRT_negative", "PRRT_round", "PRRT_zero", "PART_638d3250d33fd534",
}  # fmt: skip


def programs(folder: Path, *names: str) -> Path:
    """Make a folder that has these programs of this machine, and no others."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo where the only `gh` on the path is one that must never be called."""
    place = tmp_path_factory.mktemp("shown")
    path = programs(place / "programs", "git", "sh")
    write_program(path / "gh", f"echo called >> '{place}/called'\nexit 1")
    return show(place, "demo", "--pr", PATH=str(path), GH_TOKEN="ghp_hostile", GH_HOST="elsewhere.example")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo kept in `a folder`, where there is no `gh`, and git would sign every commit."""
    place = tmp_path_factory.mktemp("kept")
    path = programs(place / "programs", "git", "sh")
    settings = place / "settings"
    settings.write_text("[commit]\ngpgsign = true\n[gpg]\nprogram = false\n")
    words = ("demo", "--pr", "--keep", "a folder")
    return show(place, *words, PATH=str(path), GIT_CONFIG_GLOBAL=str(settings))


@pytest.fixture
def folder(kept: Shown) -> Path:
    """The folder that was kept."""
    assert kept.code == 0, kept.error
    return kept.place / "a folder"


@pytest.fixture
def state(folder: Path) -> Any:
    """What is there in place of GitHub when the demo has ended."""
    return json.loads((folder / "github.json").read_text(encoding="utf-8"))


def comments(state: Any) -> list[Any]:
    """Return all comments on the pull request."""
    return [*(said for thread in state["threads"] for said in thread["comments"]["nodes"]), *state["comments"]]


def author(comment: Any) -> str:
    """Return the login of a comment's author."""
    return str(comment["author"]["login"])


# What it shows


def test_it_ends_well_past_a_gh_that_must_not_be_called(shown: Shown, kept: Shown) -> None:
    assert_tidy(shown)
    assert not (shown.place / "called").exists()
    assert (kept.code, kept.error) == (0, "")  # where there is no `gh`


def test_it_says_at_the_end_what_was_done(shown: Shown) -> None:
    words = " ".join(shown.out.split())
    assert "7 items answered, 5 threads resolved, one commit pushed" in words


def test_it_shows_every_step_and_a_second_round(shown: Shown) -> None:
    typed = [line.split()[3] for line in shown.out.splitlines() if line.startswith("$ baton pr ")]
    assert typed == ["fetch", "plan", "plan", "land", "plan", "land"]
    assert shown.out.index("WHY verify/again") < shown.out.index("WHY verify/clean")


def test_a_rejected_result_is_fixed(shown: Shown) -> None:
    handed_in = [line for line in shown.out.splitlines() if "hand-in   u5" in line]
    assert ["rejected" in line for line in handed_in] == [True, False]


@pytest.mark.parametrize("verdict", ["fixed", "fixed-differently", "replied", "not-addressing", "needs-human"])
def test_every_verdict_comes(shown: Shown, verdict: str) -> None:
    assert f"\n{verdict.upper()} " in shown.out


# The stranger


def test_a_stranger_is_named_and_not_heard(shown: Shown) -> None:
    assert "IGNORED @passer-by 1: not allowed to push" in shown.out
    assert STRANGER not in shown.out


def test_the_strangers_words_come_nowhere_but_to_github(folder: Path, state: Any) -> None:
    files = (path for path in folder.rglob("*") if path.is_file())
    found = [path.name for path in files if STRANGER.encode() in path.read_bytes()]
    assert found == ["github.json"]
    assert [author(comment) for comment in comments(state) if STRANGER in comment["body"]] == ["passer-by"]


# What it leaves


def test_every_reply_was_posted_once_with_its_mark(state: Any) -> None:
    replies = [
        comment["body"] for comment in comments(state) if author(comment) == "you" and comment["body"] != DONE
    ]
    marks = [mark for body in replies for mark in marks_in(body)]
    assert (len(marks), len(set(marks)), {mark.item for mark in marks}) == (len(replies), len(replies), ITEMS)
    rounds = Counter(mark.round for mark in marks)
    assert sorted(rounds.values()) == [1, 7]


DONE = "Done: it is refused by its name now."


def test_only_the_question_is_left_open(state: Any) -> None:
    assert [one["id"] for one in state["threads"] if not one["isResolved"]] == ["PRRT_always"]


def test_a_thread_in_which_somebody_spoke_was_answered_again_before_it_was_resolved(state: Any) -> None:
    thread = next(one for one in state["threads"] if one["id"] == "PRRT_round")
    assert [author(one) for one in thread["comments"]["nodes"]] == ["mira", "you", "mira", "you"]


def test_one_commit_was_pushed_with_what_was_fixed(folder: Path) -> None:
    pushed = git(folder / "remote.git", "log", "--format=%an %s", "main..amounts").splitlines()
    subject = "baton demo Address review of cups.py, grams.py and 3 more (#7)"
    assert pushed == [subject, "baton demo Say how much tea to take"]
    names = git(folder / "remote.git", "diff", "--name-only", "amounts~", "amounts").splitlines()
    assert names == [
        "README.md", "teatime/__main__.py", "teatime/amounts/cups.py", "teatime/amounts/grams.py",
        "teatime/amounts/spoons.py",
    ]  # fmt: skip


def test_its_work_tree_is_left_as_it_was_pushed(folder: Path) -> None:
    assert git(folder / "played", "status", "--porcelain") == ""
    assert git(folder / "played", "rev-parse", "HEAD") == git(folder / "remote.git", "rev-parse", "amounts")


def test_the_commands_it_ends_with_work_on_what_was_kept(kept: Shown, folder: Path) -> None:
    path = f"{folder / 'bin'}:{kept.place / 'programs'}"
    words = ("--project", str(folder / "played"), "pr", "show", "PRRT_always")
    again = show(kept.place, *words, PATH=path)
    assert (again.code, "Should we say the grams always" in again.out) == (0, True)
    cd, shown, claude = (kept.out.splitlines()[-index] for index in (5, 4, 2))
    assert str(folder / "played") in cd
    assert (str(folder / "bin") in shown, str(ROOT) in claude) == (True, True)


# The stand-in for GitHub is strict

API = ("api", "--hostname", "github.com", "--include")
QUERY = (*API, "--input", "-", "--", "graphql")
GET = (*API, "--method", "GET", "--")
POST = (*API, "--method", "POST", "--input", "-", "--")
WHOLE = {
    "owner": "tea", "name": "teatime", "number": 7, "size": 100, "withThreads": True, "threads": None,
    "withComments": True, "comments": None, "withReviews": True, "reviews": None,
}  # fmt: skip
FURTHER = {"query": FEEDBACK, "variables": {**WHOLE, "threads": "after this"}}
OTHER = {"query": FEEDBACK, "variables": {**WHOLE, "number": 8}}
LESS = {"query": FEEDBACK, "variables": {"owner": "tea"}}
TWICE = {"query": resolve_mutation(2), "variables": {"t0": "PRRT_name"}}
UNKNOWN = {"query": resolve_mutation(1), "variables": {"t0": "PRRT_nobody"}}


def ask(state: Any, words: tuple[str, ...], given: Any = None) -> Any:
    """Ask the stand-in."""
    return gh.answer(state, list(words), json.dumps(given).encode())


def test_the_stand_in_answers_every_request(state: Any) -> None:
    told = ask(state, QUERY, {"query": FEEDBACK, "variables": WHOLE})["data"]
    assert told["repository"]["pullRequest"]["reviewThreads"]["totalCount"] == 7
    assert ask(state, (*GET, "repos/tea/teatime/pulls/7"))["state"] == "open"
    posted = ask(state, (*POST, "repos/tea/teatime/issues/7/comments"), {"body": "Hello."})
    assert (posted["body"], state["refused"]) == ("Hello.", [])


@pytest.mark.parametrize(("words", "given"), [
    (QUERY, {"query": "query Nonsense($a: ID!) { node }", "variables": {"a": "b"}}),
    (QUERY, {"query": "{ viewer { login } }", "variables": {}}),
    (QUERY, {"query": "mutation Delete($a: ID!) { node }", "variables": {}}),
    (QUERY, FURTHER), (QUERY, OTHER), (QUERY, LESS), (QUERY, TWICE), (QUERY, UNKNOWN),
    ((*GET, "repos/tea/teatime/pulls/8"), None), ((*GET, "user"), None),
    ((*POST, "repos/tea/teatime/issues/8/comments"), {"body": "Hello."}),
    (("auth", "status"), None), ((*API[:2], "elsewhere.example", *QUERY[3:]), None),
], ids=[
    "an operation it does not know", "one without a name", "a mutation it does not know", "a further page",
    "another pull request", "a variable missing", "fewer threads than are named", "a thread that is not there",
    "another pull request's state", "another resource", "a comment on another pull request",
    "another command", "another host",
])  # fmt: skip
def test_whatever_else_is_asked_is_refused(state: Any, words: tuple[str, ...], given: Any) -> None:
    with pytest.raises((gh.Refused, KeyError)):
        ask(state, words, given)


def test_a_refusal_is_loud_and_is_kept(folder: Path, state: Any, tmp_path: Path) -> None:
    copied = tmp_path / "github.json"
    copied.write_text(json.dumps(state))
    command = (folder / "bin/gh").read_text().replace(f"'{folder / 'github.json'}'", str(copied))
    assert str(copied) in command
    (tmp_path / "gh").write_text(command)
    ended = subprocess.run(("sh", tmp_path / "gh", "auth", "status"), capture_output=True, text=True, input="")
    what = "the demo's gh does not know `gh auth status`"
    assert (ended.returncode, ended.stderr, what in ended.stdout) == (1, f"gh: {what}\n", True)
    assert json.loads(copied.read_text())["refused"] == [what]


def test_something_it_was_asked_and_does_not_know_ends_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask_something(demo: play_pr.Demo) -> None:
        subprocess.run(("gh", "auth", "status"), stdin=subprocess.DEVNULL, capture_output=True)

    monkeypatch.setattr(play_pr.Demo, "run", ask_something)
    with pytest.raises(BatonError, match="does not know `gh auth status`"):
        play_pr.play(None)
