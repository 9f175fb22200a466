"""The workflow's jobs, by their real shell: from a label to a pull request, and what is refused between them."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actions.runner import Runner
from baton.git.command import Git
from baton.git.objects import commit_to_look_at, empty_tree, with_files
from baton.github.access import Lack
from baton.journal.events import Confirmed
from baton.journal.journal import Journal
from baton.story.session.carried_state import FOLDER, JOURNAL, read_state
from baton.story.session.travel import push_state
from bench import Bench
from delivery.scene import REPOSITORY, URL, DeliveryScene
from fake_github.hub import Hub

pytestmark = pytest.mark.sampled(1)

REF, PACKED = "refs/baton/stories/1", "refs/baton/packed/1"


def user(hub: Hub, login: str) -> dict[str, Any]:
    actor = hub.actor(login)
    return {"login": actor.rest_login, "type": actor.kind, "id": actor.number}


def labelled(hub: Hub, by: str = "me") -> dict[str, Any]:
    return {"action": "labeled", "issue": {"number": 12}, "label": {"name": "baton"}, "sender": user(hub, by)}


def commented(hub: Hub, body: str, by: str = "me", number: int = 12) -> dict[str, Any]:
    hub.comment(REPOSITORY, number, by=by, body=body)
    return {
        "issue": {"number": number},
        "comment": {"body": body, "user": user(hub, by)},
        "sender": user(hub, "me"),
    }


def test_a_label_leads_to_a_pull_request_and_no_merge(runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    claim, work, land = runner.run("issues", labelled(hub))
    assert [one.code for one in (claim, work, land)] == [0, 0, 0], claim.out + work.out + land.out
    assert (home.pull.state, home.pull.head_oid) == ("OPEN", home.head)
    assert "baton: story 1: done: " in land.out
    assert "there is no secret BATON_TOKEN: what this job pushes starts no checks" in land.out
    assert home.said[0].startswith(f"Worked on as story 1: {URL}/pull/13")


def test_mode_merge_with_a_token_of_its_own_merges(runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    home.settle("")
    home.bench.settle("mode: pr", "mode: merge")
    home.bench.git("push", "--quiet", "origin", "main")
    runner.secrets["BATON_TOKEN"] = hub.token
    assert [one.code for one in runner.run("issues", labelled(hub))] == [0, 0, 0]
    assert (home.pull.state, home.merges) == ("MERGED", 1)


def test_a_base_that_moves_after_the_push_is_checked_again(runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    home.settle("")
    home.bench.settle("mode: pr", "mode: merge")
    home.bench.git("push", "--quiet", "origin", "main")
    runner.secrets["BATON_TOKEN"] = hub.token

    def move_base(sha: str) -> None:
        home.actions.job(sha)
        home.push({"new.py": "NEW = 1\n"})
        home.on_push(home.actions.job)

    home.on_push(move_base)
    land = runner.run("issues", labelled(hub))[-1]
    assert ("the workflow was started again" in land.out, home.merges) == (True, 0), land.out
    again = runner.run("workflow_dispatch", {"inputs": home.actions.started[0]["inputs"]})
    assert home.merges == 1, "".join(one.out for one in again)


def test_begun_here_answered_on_the_issue_ended_on_a_laptop(runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    asking = runner.run("issues", labelled(hub), qa="ESCALATE")[-1]
    assert "it waits for you: qa/escalate" in asking.out
    assert "`/baton accept`" in home.said[-1]
    assert runner.run("schedule", {})[0].outputs == {"work": [], "land": []}
    commented(hub, "/baton accept")
    begun = home.bench.baton("start", "-", stdin="#12\n")
    assert "start/commands" in begun.out, begun.err  # which this machine has to confirm
    assert home.answer("accept")["rule"] == "integrate/pr"
    assert (home.pull.state, home.bench.state.stage) == ("OPEN", "complete")


def test_an_answer_on_the_issue_starts_it_again(runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    runner.run("issues", labelled(hub), qa="ESCALATE")
    claim, _, land = runner.run("issue_comment", commented(hub, "/baton accept"))
    assert "me answered `accept` on GitHub" in claim.out
    assert ("done: " in land.out, home.pull.state) == (True, "OPEN")


def test_a_story_that_is_to_end_on_a_laptop_is_left_to_it(
    runner: Runner, home: DeliveryScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.bench.baton("start", "-", stdin="#12\n")
    monkeypatch.setattr("baton.story.begin.start.find_lacks", lambda git: [Lack("gh is away", "wait")])
    assert home.answer("accept")["rule"] == "start/github"
    assert home.answer("branch")["agent"] == "baton:planner"
    push_state(home.bench.project, "1", b"")
    claim = runner.run("schedule", {})[0]
    assert "story 1: it ends on your machine, as you answered" in claim.out
    assert claim.outputs == {"work": [], "land": []}


def test_a_failing_check_starts_the_workflow_that_fixes_it(runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    home.actions.job(home.base)
    home.on_push(lambda sha: home.actions.job(sha, conclusion="failure", log="E: one\n"))
    land = runner.run("issues", labelled(hub))[-1]
    assert "the workflow was started again" in land.out, land.out
    (started,) = home.actions.started
    assert started == {"workflow": "baton.yml", "ref": "refs/heads/main", "inputs": {"story": "1"}}
    home.on_push(home.actions.job)
    again = runner.run("workflow_dispatch", {"inputs": started["inputs"]})
    assert "done: " in again[-1].out, "".join(one.out for one in again)
    assert len(home.actions.started) == 1


def test_a_story_that_is_not_there_is_packed_by_nobody(home: DeliveryScene, tmp_path: Path) -> None:
    assert "no story 77" in home.bench.baton("actions", "pack", "77", str(tmp_path / "x")).refused
    assert not (tmp_path / "x").exists()


# Who may start it


@pytest.mark.parametrize("event", ["issues", "issue_comment"])
def test_somebody_who_may_not_push_starts_nothing(event: str, runner: Runner, hub: Hub) -> None:
    hub.permit(REPOSITORY, "eve", "read")
    payload = labelled(hub, by="eve") if event == "issues" else commented(hub, "/baton go", by="eve")
    (claim,) = runner.run(event, payload)
    assert claim.outputs == {"work": [], "land": []}
    assert f"eve may not push to {REPOSITORY}: nothing was begun" in claim.out


def test_an_issue_of_a_stranger_is_shown_to_a_person_first(runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    issues = hub.repository(REPOSITORY).issues
    issues[12] = issues[12]._replace(author=hub.actor("eve"))
    (claim,) = runner.run("issues", labelled(hub))
    assert claim.code == 2
    assert "`/implement #12` shows it to you first" in claim.out


def test_a_run_leaves_alone_the_story_that_another_works_on(runner: Runner, hub: Hub) -> None:
    runner.run("issues", labelled(hub), stops_after="planner")
    runner.runs += 1
    first = runner.job("claim", "schedule", {})
    runner.runs += 1
    second = runner.job("claim", "schedule", {})
    assert (first.outputs["work"], second.outputs["work"]) == (["1"], [])
    assert f"run {runner.runs - 1} is at work on it" in second.out


# What the job with the model can do, and what it left


def test_the_job_with_the_model_can_push_merge_and_comment_nothing(
    runner: Runner, home: DeliveryScene, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner.run("issues", labelled(hub))
    project = next(runner.place.glob("*-work-1")) / "project"
    environment = {"HOME": str(project.parent / "home")}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    before = home.actions.git("for-each-ref")
    for pushed in (f"{home.story}:refs/heads/main", f"{home.story}:refs/heads/new", f"{PACKED}:refs/baton/mine"):
        assert "denied" in say("git", "push", "origin", pushed, cwd=project)
    assert home.actions.git("for-each-ref") == before
    comments = (f"repos/{REPOSITORY}/issues/12/comments", "-f", "body=x")
    merge = (f"repos/{REPOSITORY}/pulls/13/merge", "-X", "PUT", "-f", "sha=1")
    sent = len(hub.requests)
    for name in ("GH_TOKEN", "CI"):  # under CI, gh asks for the token in other words
        monkeypatch.delenv(name, raising=False)
    assert "gh auth login" in say("gh", "api", *comments, cwd=project)
    assert len(hub.requests) == sent
    monkeypatch.setenv("GH_TOKEN", hub.reads_only)  # were it to find the job's own
    for words in (comments, merge):
        assert "Resource not accessible by integration" in say("gh", "api", *words, cwd=project)
    assert say("gh", "api", f"repos/{REPOSITORY}/issues/12", cwd=project).startswith("{")


def say(*words: str, cwd: Path) -> str:
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


Forge = Callable[[Bench, str, dict[str, bytes]], str]


def reworded(bench: Bench, tip: str, files: dict[str, bytes]) -> str:
    files[JOURNAL] = files[JOURNAL].replace(b"QA passed", b"QA failed")
    return tip


def begun_anew(bench: Bench, tip: str, files: dict[str, bytes]) -> str:
    path = bench.root.parent / "forged/baton/1" / JOURNAL
    path.parent.mkdir(parents=True)
    path.write_bytes(files[JOURNAL])
    journal = Journal(path)
    path.unlink()
    path.with_suffix(".head").unlink(missing_ok=True)
    again = Journal(path, clock=lambda: "2026-01-01T00:00:00Z")
    for record in journal.records:
        again.append(record.event)
    files[JOURNAL] = path.read_bytes()
    return tip


def with_a_commit(bench: Bench, tip: str, files: dict[str, bytes]) -> str:
    return commit_on(bench, tip, "evil.py")


def commit_on(bench: Bench, tip: str, name: str) -> str:
    bench.git("update-ref", "refs/heads/forged", tip)
    return bench.commit({name: "x\n"}, "forged")


def confirmed_there(bench: Bench, tip: str, files: dict[str, bytes]) -> str:
    path = bench.root.parent / "forged/baton/1" / JOURNAL
    path.parent.mkdir(parents=True)
    path.write_bytes(files[JOURNAL])
    Journal(path).append(Confirmed(["it is cheap"], "0" * 64, "you"))
    files[JOURNAL] = path.read_bytes()
    return tip


FORGED: dict[Forge, str] = {
    confirmed_there: "it confirms the criteria, as only you may",
    reworded: "a checksum does not match",
    begun_anew: "another runner has taken over story 1",
    with_a_commit: "and its journal ends at",
}


@pytest.mark.parametrize("forge", FORGED, ids=lambda one: one.__name__)
def test_a_forged_journal_or_branch_stays_out(forge: Forge, runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    def between(job: str, artifacts: Path) -> None:
        if job != "land":
            return
        bundle = artifacts / "worked-1/1.bundle"
        bench = Bench(runner.place / "forger")
        subprocess.run(("git", "clone", "--quiet", runner.remote, bench.root), check=True)
        bench.git("fetch", "--quiet", str(bundle), f"{PACKED}:{PACKED}")
        git = Git(bench.project)
        found = read_state(git, bench.git("rev-parse", PACKED))
        files = dict(found.files)
        tip = forge(bench, found.tip, files)
        tree = with_files(git, empty_tree(git), {f"{FOLDER}/{name}": data for name, data in files.items()})
        bench.git("update-ref", PACKED, commit_to_look_at(git, tree, [bench.git("rev-parse", f"{PACKED}^1"), tip]))
        bench.git("bundle", "create", "--quiet", str(bundle), PACKED, "--not", "--remotes")

    runner.between = between
    land = runner.run("issues", labelled(hub))[-1]
    assert land.code == 2
    assert FORGED[forge] in land.out, land.out
    assert home.pulls == []
    assert home.head == ""


@pytest.mark.parametrize("name", [
    ".github/workflows/own.yml", ".github/actions/x/action.yml", "docs/CODEOWNERS", ".github/dependabot.yml",
])  # fmt: skip
def test_changes_of_ci_or_of_reviewers_stay_out(name: str, runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    land = runner.run("issues", labelled(hub), commits=name)[-1]
    assert (land.code, home.pulls) == (2, [])
    assert f"it changes {name}, which decides what runs with your tokens" in land.out


def test_only_one_of_two_workers_lands(runner: Runner, home: DeliveryScene, hub: Hub) -> None:
    def between(job: str, artifacts: Path) -> None:
        if job == "land":
            home.bench.next()
            assert home.answer("accept")["agent"] == "baton:planner"

    runner.between = between
    land = runner.run("issues", labelled(hub))[-1]
    assert "another runner has taken over story 1" in land.out
    assert (land.code, home.pulls) == (2, [])
