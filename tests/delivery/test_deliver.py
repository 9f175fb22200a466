"""From a passed QA to a merge on GitHub: exactly the commit whose checks are green, once, and nothing else."""

from pathlib import Path

import pytest

from acting import live
from bench import verdict_on
from delivery.conftest import NewScene
from delivery.scene import REPOSITORY, STORY, URL, DeliveryScene
from delivery.ways import QUEUE, RED, all_of, deploy, each, job, merged_by_hand, push, rename_base, when_merged
from fake_github.misbehave import secondary_limit
from programs import write_program

pytestmark = pytest.mark.sampled(6)

MERGE = "/merge"


@pytest.mark.gh
def test_a_story_is_pushed_opened_checked_and_merged_by_one_squash(early: DeliveryScene) -> None:
    base = early.base
    step = early.deliver()
    assert (step["action"], early.pull.state) == ("complete", "MERGED")
    assert early.actions.git("rev-parse", "main^@") == base
    assert early.merges == 1
    assert f"Pull request: {URL}/pull/1" in Path(step["report"]).read_text()


def test_the_remote_branch_goes_and_base_here_follows(scene: DeliveryScene) -> None:
    scene.deliver()
    assert scene.head == ""
    assert scene.bench.git("rev-parse", "main") == scene.base


def test_mode_pr_ends_with_an_open_pull_request_and_what_its_checks_came_to(scene_at: NewScene) -> None:
    scene = scene_at("pr")
    base, step = scene.base, scene.deliver()
    assert (step["action"], step["rule"]) == ("complete", "integrate/pr")
    assert (scene.pull.state, scene.base) == ("OPEN", base)
    assert f"{URL}/pull/1 is open" in step["reason"]
    assert "`test` passed" in step["reason"]


def test_the_pull_request_says_what_was_built_and_whose_it_is(scene: DeliveryScene) -> None:
    scene.deliver()
    assert scene.pull.title == "story 42: Subtract numbers"
    assert "- AC1: sub(3, 2) is 1 — PASS" in scene.pull.body
    assert scene.pull.body.endswith("<!-- baton:story 42 -->\n")


def test_nothing_acts_in_a_pull_request_or_its_merge(early: DeliveryScene) -> None:
    words = "\\`fixes #5\\` \\`@octocat\\` `&num;7`"
    early.bench.insist("qa-report", verdict_on(2, "PASS", evidence=f"'{words}'"))
    early.bench.meta("implemented")
    early.on_push(early.actions.job)
    assert early.next()["action"] == "complete"
    assert "fixes # 5" in early.pull.body
    assert live(early.pull.title) + live(early.pull.body.removesuffix("<!-- baton:story 42 -->\n")) == []
    assert live(early.actions.git("log", "-1", "--format=%B", "main")) == []


PLACES = (".github/pull_request_template.md", "PULL_REQUEST_TEMPLATE.md", "docs/Pull_Request_Template.txt")
FORM = "## Checklist\n\n- [ ] [Tests](docs/tests.md) pass"


@pytest.mark.parametrize("path", PLACES)
def test_the_repositorys_own_template_stands_below_what_baton_says(path: str, early: DeliveryScene) -> None:
    early.push({"docs/pull_request_template.md": "## Later", path: FORM.replace("- [", "<!-- one each -->\n- [")})
    early.deliver()
    before, _, after = early.pull.body.partition(f"\n\n{FORM}\n\n")
    assert "- AC1: sub(3, 2) is 1 — PASS" in before
    assert after == "<!-- baton:story 42 -->\n"


def test_no_template_is_taken_from_the_checkout_or_of_a_folder_of_several(early: DeliveryScene) -> None:
    early.push({".github/PULL_REQUEST_TEMPLATE/bug.md": FORM})
    early.bench.write({PLACES[0]: FORM})
    early.deliver()
    assert "Checklist" not in early.pull.body


def test_nothing_acts_in_a_template_and_the_report_keeps_its_place(early: DeliveryScene) -> None:
    acting = "Fixes #5 for @octocat\n/baton accept\n"
    early.push({PLACES[0]: f"{acting}{'long ' * 20_000}"})
    early.deliver()
    body = early.pull.body.removesuffix("<!-- baton:story 42 -->\n")
    assert "\n\nFixes # 5 for @ octocat\n/ baton accept\nlong " in body
    assert ("- AC1: sub(3, 2) is 1 — PASS" in body, live(body), len(body) < 65_536) == (True, [], True)


def test_nothing_in_a_title_switches_ci_off_before_or_after_the_merge(scene: DeliveryScene) -> None:
    scene.settle("commits: {subject: 'story {id}: {summary} `[skip ci]`'}")
    scene.on_push(scene.actions.job)
    when_merged(deploy("success"))(scene)
    assert (scene.deliver()["action"], "deploy/pass" in scene.rules) == ("complete", True)
    assert "(skip ci)" in scene.pull.title
    assert "(skip ci)" in scene.actions.git("log", "-1", "--format=%s", "main")


# What runs on exactly this commit


def test_checks_that_run_are_waited_for_and_then_it_is_merged(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, status="in_progress"))
    waiting = scene.deliver()
    assert (waiting["action"], waiting["rule"], waiting["pull"]) == ("wait", "ci/wait", f"{URL}/pull/1")
    assert scene.next()["rule"] == "ci/wait"
    scene.actions.finish()
    assert scene.next()["action"] == "complete"


@pytest.mark.gh
def test_a_failure_that_base_lacks_goes_to_a_fix_run_with_its_log(scene: DeliveryScene) -> None:
    scene.actions.job(scene.base)
    log = (
        "2026-01-02T03:04:05.678Z ran\n2026-01-02T03:04:05.679Z ##[error]sub is wrong\n2026-01-02T03:04:05Z bye\n"
    )
    scene.on_push(lambda sha: scene.actions.job(sha, conclusion="failure", log=log))
    step = scene.deliver()
    assert (step["action"], step["agent"], step["rule"]) == ("spawn", "baton:implementer", "fix/run")
    brief = Path(step["brief"]).read_text()
    assert scene.rules[-1] == "ci/introduced"
    assert "at its step `Run tests`" in brief
    assert "##[error]sub is wrong" in brief
    assert "bye" not in brief


def test_after_a_fix_qa_looks_again_and_the_new_head_is_pushed_checked_and_merged(scene: DeliveryScene) -> None:
    scene.actions.job(scene.base)
    scene.on_push(lambda sha: scene.actions.job(sha, conclusion="failure"))
    scene.deliver()
    red = scene.head
    scene.on_push(scene.actions.job)
    scene.bench.implement({"calc.py": "SUB = 2\n"})
    assert scene.deliver()["action"] == "complete"
    assert (scene.merges, scene.pull.state) == (1, "MERGED")
    assert scene.pull.head_oid != red


LOGS = {
    "##[error]No such binding: KV_NAMESPACE is not configured": "ci/infra",
    "✘ [ERROR] Missing secret API_KEY": "ci/infra",
    "Error: binding `DB` was not found in wrangler.toml": "ci/infra",
    "✘ [ERROR] it's necessary to set a CLOUDFLARE_API_TOKEN environment variable for wrangler": "ci/infra",
    "Error: SENTRY_AUTH_TOKEN is not set": "ci/infra",
    "##[error]The ssh-private-key argument is empty. Maybe the secret has not been configured": "ci/infra",
    "##[error]Username and password required": "ci/infra",
    "Error: Input required and not supplied: firebaseServiceAccount": "ci/infra",
    "##[error]Could not load credentials from any providers": "ci/infra",
    "npm error code ENEEDAUTH": "ci/infra",
    "error: unexpected token in calc.py, none is required here": "fix/run",
    "##[error]AssertionError: 'no secret' != 'a secret'": "fix/run",
    "test_missing_secret ... error: sub is wrong": "fix/run",
    "the secret is not set in the settings page, as it should be": "fix/run",
    "  12:5  error  'STORAGE_KEY' is not defined  no-undef": "fix/run",
    "error TS2741: Property 'API_KEY' is missing in type '{}' but required in type 'Keys'": "fix/run",
    "ERROR tests/test_calc.py - NameError: name 'CACHE_KEY' is not defined": "fix/run",
    "error: property CACHE_KEY is missing in type Keys": "fix/run",
    "##[error]Input required and not supplied: path": "fix/run",
    "calc.py prints: No space left on device": "fix/run",
}


@pytest.mark.parametrize("log", LOGS)
def test_a_binding_or_a_secret_that_ci_lacks_is_no_fault_of_the_story(log: str, scene: DeliveryScene) -> None:
    scene.actions.job(scene.base)
    scene.on_push(lambda sha: scene.actions.job(sha, conclusion="failure", log=f"{log}\n"))
    step = scene.deliver()
    assert step["rule"] == LOGS[log]
    assert log in step.get("reason", "") or LOGS[log] == "fix/run"


def test_an_unclear_failure_can_be_given_to_a_run(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, conclusion="failure", log="##[error]boom\n"))
    scene.deliver()
    step = scene.answer("fix")
    assert step["agent"] == "baton:implementer"
    assert "##[error]boom" in Path(step["brief"]).read_text()


def test_an_accepted_failure_of_a_commit_is_not_asked_about_again(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, conclusion="failure"))
    scene.deliver()
    assert scene.answer("accept")["action"] == "complete"
    assert scene.steps[scene.rules.index("ci/pass")].reason == "`test` accepted"


# Others move things


def test_base_that_moved_meanwhile_is_merged_in_and_checked_again(opened: DeliveryScene) -> None:
    first, moved = opened.head, opened.push({"new.py": "NEW = 1\n"})
    opened.actions.finish()
    opened.on_push(opened.actions.job)
    assert opened.next()["action"] == "complete"
    assert opened.pull.head_oid != first
    assert opened.actions.git("rev-parse", "main^") == moved


def test_a_strangers_push_to_the_branch_is_judged_before_the_merge(opened: DeliveryScene) -> None:
    theirs = opened.push({"more.py": "M = 1\n"}, STORY)
    opened.next()
    opened.bench.git("fetch", "--quiet", "origin", f"{STORY}:{STORY}")
    step = opened.answer("retry")
    assert (step["agent"], step["rule"]) == ("baton:qa", "merge/head-moved")
    assert opened.bench.git("rev-parse", STORY) == theirs


def test_a_pass_says_which_workflows_did_not_run(opened: DeliveryScene) -> None:
    for name in ("CI test", "Labels", "Release"):
        opened.actions.workflow(name)
    opened.actions.workflow("Old", "disabled_manually")
    opened.actions.finish()
    opened.next()
    passed = next(one for one in opened.bench.state.checked if one.rule == "ci/pass")
    assert passed.reason.endswith("`test` passed; not run: `Labels`, `Release`")


@pytest.mark.parametrize("answer", ["", "accept"])
def test_a_failure_that_holds_nothing_back_hides_not_what_did_not_run(answer: str, scene: DeliveryScene) -> None:
    for name in ("CI test", "Release"):
        scene.actions.workflow(name)
    if not answer:
        scene.actions.job(scene.base, "old", "failure")
    each(all_of(job(), job("old", **RED)))(scene)
    scene.deliver()
    if answer:
        scene.answer(answer)
    told = next(step.reason for step in scene.steps if step.rule in ("ci/pass", "ci/preexisting"))
    assert "`test` passed" in told
    assert "not run: `Release`" in told


@pytest.mark.parametrize("stage", ["judging", "closed"])
def test_base_that_was_renamed_before_the_push_is_followed(stage: str, scene_at: NewScene) -> None:
    scene = scene_at(stage=stage)
    rename_base()(scene)
    scene.deliver()
    assert (scene.pull.base, "push/base-renamed" in scene.rules) == ("trunk", True)


def test_base_that_was_renamed_with_a_pull_request_open_is_followed(opened: DeliveryScene) -> None:
    rename_base()(opened)
    opened.actions.finish()
    assert (opened.next()["action"], opened.actions.head("trunk")) == ("complete", opened.pull.merge_commit)


def test_another_pull_request_of_the_branch_is_left_alone(scene: DeliveryScene) -> None:
    scene.actions.git("update-ref", "refs/heads/release", scene.base)
    other = scene.hub.pull_request(REPOSITORY, 9, head=STORY, base="release", head_oid=scene.base)
    scene.on_push(lambda sha: scene.actions.job(sha))
    assert scene.deliver()["action"] == "complete"
    assert other.merge_commit == ""


def test_a_remote_branch_of_somebody_elses_is_not_pushed_over(scene: DeliveryScene) -> None:
    scene.actions.git("update-ref", f"refs/heads/{STORY}", scene.base)
    theirs = scene.push({"theirs.py": "T = 1\n"}, STORY)
    assert scene.deliver()["rule"] == "push/moved"
    assert (scene.head, scene.pulls) == (theirs, [])


def test_commits_of_base_that_were_never_pushed_are_not_published(early: DeliveryScene) -> None:
    early.actions.git(
        "update-ref", "refs/heads/main", early.actions.git("commit-tree", "main^{tree}", "-m", "other")
    )
    assert early.deliver()["rule"] == "push/unpublished"
    assert (early.head, early.pulls) == ("", [])


# GitHub refuses, or is slow


def test_a_rate_limit_is_waited_for(scene: DeliveryScene) -> None:
    scene.hub.misbehave(secondary_limit(3600), when=lambda one: "check-runs" in one.path)
    step = scene.deliver()
    assert (step["action"], step["rule"], step["seconds"]) == ("wait", "github/limit", 3600)
    assert scene.next()["action"] == "complete"


def test_a_merge_queue_is_entered_once_and_watched_though_it_moves_base(scene: DeliveryScene) -> None:
    scene.actions.rules += QUEUE
    assert scene.deliver()["rule"] == "merge/queued"
    head, _ = scene.head, scene.push({"others.py": "O = 1\n"})
    assert (scene.next()["rule"], scene.head) == ("merge/queued", head)
    assert len([change for change in scene.changes if "enqueue" in change.query]) == 1
    merged_by_hand(STORY)(scene)
    assert scene.next()["action"] == "complete"


# After the merge


def test_a_branch_that_moved_after_the_merge_stays(scene: DeliveryScene) -> None:
    when_merged(push({"late.py": "L = 1\n"}, STORY))(scene)
    step = scene.deliver()
    assert scene.head != ""
    assert "which was not merged" in Path(step["report"]).read_text()


# The other rows


def test_a_push_that_is_refused_is_told_in_the_remotes_words(scene: DeliveryScene) -> None:
    hook = write_program(scene.actions.place / "hooks/pre-receive", "echo no pushes on Fridays >&2\nexit 1")
    step = scene.deliver()
    assert (step["rule"], scene.pulls) == ("push/refused", [])
    assert "no pushes on Fridays" in step["reason"]
    hook.unlink()
    assert scene.answer("retry")["action"] == "complete"


def test_the_steps_of_a_delivery_are_journalled_in_order(scene: DeliveryScene) -> None:
    scene.deliver()
    begun = scene.rules.index("push/done")
    assert scene.rules[begun:] == [
        "push/done", "pr/open", "ci/pass", "review/settled", "deploy/none", "merge/done",
    ]  # fmt: skip


def test_every_question_of_a_delivery_can_end_the_story(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, conclusion="failure"))
    scene.deliver()
    assert scene.bench.baton("answer", "42", "abandon").code == 0
    assert (scene.pull.state, scene.merges) == ("OPEN", 0)


def test_another_job_delivers_what_this_cannot_push(scene: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATON_HANDS_OVER", "1")
    step = scene.deliver()
    assert (step["rule"], step["action"], step["until"]) == ("push/elsewhere", "wait", None)
    assert (scene.head, scene.pulls, scene.changes) == ("", [], [])
    monkeypatch.delenv("BATON_HANDS_OVER")
    scene.next()
    assert scene.pull.state == "MERGED"


def test_changes_of_others_on_the_story_branch_are_asked_about_before_the_push(scene: DeliveryScene) -> None:
    scene.bench.commit({"Jenkinsfile": "build\n"}, scene.story)
    step = scene.deliver()
    while scene.bench.state.stage == "running":
        step = scene.bench.judge()
    assert (step["rule"], scene.pulls, scene.merges) == ("integrate/gate", [], 0)
    assert (scene.answer("accept")["action"], scene.merges) == ("complete", 1)
