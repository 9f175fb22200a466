"""What happens to a story on its way to GitHub, and the rules that its delivery comes to, one after another."""

import pytest

from delivery.conftest import NewScene
from delivery.scene import REPOSITORY, STORY, DeliveryScene
from delivery.ways import (
    EVIL,
    FINDING,
    NEVER_MERGEABLE,
    OTHER_HEAD,
    PENDING,
    QUEUE,
    RED,
    TO_RELEASE,
    Act,
    Walk,
    actions,
    all_of,
    answer,
    at,
    be_a_bot,
    beside,
    by_stranger,
    came_to,
    deploy,
    each,
    go,
    is_draft,
    is_to,
    job,
    later,
    merged_by_hand,
    move,
    on_base,
    permit,
    pull,
    push,
    refuse,
    refuse_rules,
    rename_base,
    repository,
    require,
    review,
    reviewed_before,
    run,
    status,
    walk,
    when_merged,
)
from fake_github.misbehave import Rewrite, Status

pytestmark = pytest.mark.sampled(10)

FAILS = each(job(**RED))
LOST_RUNNER = job(log="##[error]The self-hosted runner lost communication with the server.\n", **RED)
BOT = ("coderabbitai", "Bot")
NOT_IN_TIME = Rewrite(lambda request, one: {**one, "mergeable": None, "mergeable_state": "unknown"})
MOSTLY = {"type": "pull_request", "parameters": {"allowed_merge_methods": ["merge", "rebase"]}}
LACKS = Status(403, headers={"X-Accepted-GitHub-Permissions": "pull_requests=write"})


def run_nothing(scene: DeliveryScene) -> None:
    """Have no check for a commit."""


def let_bypass(scene: DeliveryScene) -> None:
    scene.hub.let_bypass(REPOSITORY, "me")


def workflow(scene: DeliveryScene) -> None:
    scene.actions.workflow()


def finish(scene: DeliveryScene) -> None:
    scene.actions.finish()


def is_not_pushed(scene: DeliveryScene) -> None:
    assert scene.head == ""


def merged_by(parents: int) -> Act:
    def look(scene: DeliveryScene) -> None:
        assert len(scene.actions.git("rev-parse", "main^@").split()) == parents

    return look


# fmt: off
# What runs on exactly this commit.
CHECKS = {
    "a green check of an earlier commit counts for nothing": walk(each(on_base()), "ci/unreported"),
    "a run that waits for an approval is not green": walk(each(run(conclusion="action_required")), "ci/approval"),
    "a run that did not start is not green": walk(each(run(conclusion="startup_failure")), "ci/infra"),
    "a cancelled job is not green": walk(each(job(conclusion="cancelled")), "ci/cancelled"),
    "a failing job is not green": walk(FAILS, "ci/unclear"),
    "a skipped job is not green": walk(each(job(conclusion="skipped")), "ci/skipped"),
    "a check and a status of one name must both be green": walk(
        require("test"), each(beside(status("test", "pending"))), "ci/wait"),
    "a lost runner is no fault of the story": walk(on_base(), each(LOST_RUNNER), "ci/infra"),
    "a log that does not come is no log without an error": walk(
        on_base(), each(LOST_RUNNER), refuse(Status(500), "/logs"), "ci/infra"),
    "a log that is kept no more stops nothing": walk(
        on_base(), FAILS, refuse(Status(410, {"message": "Gone"}), "/logs"), "fix/run"),
    "a failure is old where base fails at the same step": walk(on_base(**RED), FAILS, "complete"),
    "a failure is not old where base fails at another": walk(
        on_base(step="Set up node", **RED), FAILS, "ci/unclear"),
    "what was accepted is these failures and no other": walk(
        FAILS, "ci/unclear", answer("accept"), "review/wait", job("another", **RED), later(121), "ci/unclear",
        settings="quiet_s: 120"),
    "what was accepted of one required check is no word on another": walk(
        let_bypass, require("test", "deep"), each(all_of(job(**RED), job("deep"))), "ci/required",
        job("deep", **RED), answer("accept"), "ci/required"),
    "mode pr tells the failure that was accepted": walk(
        FAILS, "ci/unclear", answer("accept"), ("complete", "`test` accepted"), mode="pr"),
    "mode pr takes a required check that fails as on base for old": walk(
        require("test"), on_base(**RED), FAILS, ("complete", "fails as on main"), mode="pr"),
    "mode pr tells what would keep a merge back and ends": walk(
        each(job(conclusion="cancelled")), "integrate/pr", came_to("ci/standing"), mode="pr"),
    "a draft is made ready once its checks are good": walk(
        each(job(**PENDING)), "ci/wait", is_draft(True), finish, "pr/ready", is_draft(False), "complete",
        settings="quiet_s: 0, draft: true"),
    "a draft that somebody makes it again stays one": walk(
        "pr/ready", is_draft(False), "review/wait", pull(draft=True), later(121), "merge/rejected",
        is_draft(True), settings="quiet_s: 120, draft: true"),
    "mode pr makes a draft ready and ends with what its checks came to": walk(
        "pr/ready", ("complete", "`test` passed"), mode="pr", settings="quiet_s: 0, draft: true"),
    "a check that hangs for more than six hours is asked about": walk(
        later(6 * 3600 + 1), "ci/late", stage="open"),
}
UNREPORTED = {
    "without any check nothing is merged before the user says so": walk(
        each(run_nothing), "ci/unreported", later(601), "ci/none", answer("accept"), "complete"),
    "a repository without checks is merged to where none are wanted": walk(
        each(run_nothing), "complete", settings="quiet_s: 0, checks: none"),
    "workflows that leave the commit out are no pass where no checks are wanted": walk(
        workflow, each(run_nothing), "ci/unreported", later(601), "ci/filtered",
        settings="quiet_s: 0, checks: none"),
    "workflows that leave the commit out are no pass where checks are required": walk(
        workflow, each(run_nothing), "ci/unreported", later(601), "ci/filtered",
        settings="quiet_s: 0, checks: required"),
    "a bot's token that starts no workflow is named": walk(
        be_a_bot, each(run_nothing), "ci/unreported", later(601), "ci/suppressed"),
    "a required check that nobody reports is waited for and then asked about": walk(
        require("integration"), "ci/expected", later(601), ("ci/missing", "`integration`")),
    "so is one that classic protection requires": walk(
        require("integration", classic=True), "ci/expected", later(601), ("ci/missing", "`integration`")),
    "a status of the name is not the check of the app that is required": walk(
        require("integration", app=77), each(beside(status("integration"))), "ci/expected",
        by_stranger("integration"), "complete"),
}
# Others move things.
MOVED = {
    "a base that keeps moving is asked about": walk(
        each(beside(lambda scene: scene.push({f"{scene.head[:6]}.py": "A = 1\n"}))), "merge/lost-again"),
    "a head that moves between check and merge is not merged": walk(
        at(is_to("/merge"), push(EVIL, STORY)), "merge/wait",
        ("push/moved", f"git fetch origin {STORY}:{STORY}")),
    "a pull request closed by hand is asked about": walk(
        pull(state="CLOSED"), "pr/closed-by-hand", pull(state="OPEN"), answer("retry"), "ci/wait", stage="open"),
    "a deleted branch closes it and is asked about": walk(move(STORY, ""), "pr/closed-by-hand", stage="open"),
    "base that moves at the merge itself has what was merged run again": walk(
        at(is_to("/merge"), push({"new.py": "NEW = 1\n"})), "complete", came_to("merge/checked-again")),
    "a merge by hand of the head ends the story": walk(
        merged_by_hand(STORY), "complete", came_to("merge/by-hand"), stage="open"),
    "a merge by hand of something else is asked about": walk(
        OTHER_HEAD, "pr/merged-other", answer("accept"), "complete", stage="open"),
    "a pull request with another base is not merged": walk(TO_RELEASE, "pr/retargeted", stage="open"),
    "base that became production by its name is not followed": walk(
        rename_base("production"), "pr/retargeted", stage="open"),
    "a base that is gone for good is asked about": walk(move("main", ""), "pr/refused"),
    "what was merged on a moved base and fails there is told": walk(
        at(is_to("/merge"), push({"tools/test.sh": "! grep SUB calc.py\n"})), "escalate merge/broken",
        answer("accept"), "complete"),
}
WAITED_FOR = {
    "a reviewer who was asked is waited for": walk(
        lambda scene: scene.pull.asked.append(scene.hub.actor("alice")), finish, ("review/wait", "@alice"),
        later(259_201), "review/late", stage="open"),
    "a bot that is named is waited for": walk(
        "review/wait", review(*BOT), "complete", settings="quiet_s: 0, reviewers: [coderabbitai]"),
    "a bot that reviewed before is waited for once and for a while": walk(
        reviewed_before(*BOT), ("review/wait", "@coderabbitai"), review(*BOT), "complete"),
    "a bot that stays silent is waited for no longer than 15 minutes": walk(
        reviewed_before(*BOT), "review/wait", later(901), "complete"),
    "a user who reviewed before is not waited for": walk(reviewed_before("alice"), "complete"),
    "nobody is waited for where that is settled": walk(
        reviewed_before(*BOT), "complete", settings="quiet_s: 0, reviewers: []"),
    "it is quiet for a while before anything is merged": walk(
        "review/wait", later(121), "complete", settings="quiet_s: 120"),
    "a change request of somebody who may push blocks until it is taken back": walk(
        permit("alice"), "review/wait", review("alice", state="CHANGES_REQUESTED"), later(121), "review/changes",
        review("alice", state="APPROVED"), "complete", settings="quiet_s: 120"),
    "a stranger's change request blocks nothing": walk(
        "review/wait", review("mallory", state="CHANGES_REQUESTED"), later(121), "complete",
        settings="quiet_s: 120"),
    "a finding goes through a round of feedback before the merge": walk(
        "review/wait", permit("alice"), review("alice", threads=[FINDING]), later(121), "feedback review/open",
        lambda scene: vars(scene.pull.threads[0]).update(resolved=True), "complete", settings="quiet_s: 120"),
    "an approval that base requires is waited for": walk(
        repository(approvals=1), permit("alice"), "review/wait", review("alice", state="DISMISSED"),
        "review/wait", review("alice", state="APPROVED"), "complete"),
}
# GitHub refuses, or is slow.
REFUSED = {
    "what GitHub refuses to merge is told in its words": walk(
        refuse(Status(405, {"message": "At least 1 approving review is required by reviewers."}), "/merge"),
        ("merge/rejected", "At least 1 approving review"), answer("retry"), "complete"),
    "what GitHub does not show for an hour is asked about": walk(
        NEVER_MERGEABLE, "merge/wait", later(3000), "merge/wait", later(700), "merge/late",
        answer("retry"), "merge/wait"),
    "GitHub may take an hour to work out what takes seconds": walk(
        refuse(NOT_IN_TIME, "/pulls/1", times=None), "merge/wait", later(3500), "merge/wait",
        later(200), "merge/late", answer("retry"), "merge/wait"),
    "what the merge queue gives back is asked about": walk(
        actions(rules=[*QUEUE]), "merge/queued", lambda scene: scene.actions.queue.clear(), "merge/dequeued",
        answer("retry"), "merge/queued"),
    "a queue that comes as the merge is asked for is used": walk(
        at(is_to("/merge"), actions(classic_queue=True)), "merge/wait", "merge/queued"),
    "a pull request that cannot be opened is told": walk(
        refuse(Status(403, {"message": "Resource not accessible"}), "/pulls", method="POST"),
        ("pr/refused", "Resource not accessible")),
    "the permission that a token lacks is named": walk(
        refuse(LACKS, "/pulls", method="POST"), ("pr/refused", "give it `pull_requests: write`")),
    "where the plan of a private repository has no rulesets there are none": walk(
        refuse_rules("Upgrade to GitHub Pro or make this repository public to enable this feature."), "complete"),
}
MERGED_BY = {
    "a merge commit is made where that is settled": walk(
        "complete", merged_by(2), settings="quiet_s: 0, method: merge"),
    "a repository without squashing is merged to by a merge commit": walk(
        repository(methods=("merge",)), "complete", merged_by(2)),
    "a history that is to stay linear gets no merge commit": walk(
        let_bypass, actions(linear=True), "complete", merged_by(1), settings="quiet_s: 0, method: merge"),
    "what every rule of base allows is how it is merged": walk(
        actions(rules=[MOSTLY, {"type": "pull_request", "parameters": {"allowed_merge_methods": ["merge"]}}]),
        "complete", merged_by(2)),
    "where neither way is allowed it is asked and nothing is rebased": walk(
        actions(rules=[MOSTLY, {"type": "required_linear_history"}]),
        ("merge/rejected", "neither a squash nor a merge commit")),
}
# What gh's account may do, and where base is deployed.
RIGHTS = {
    "nothing is pushed to an archive": walk(repository(archived=True), "push/archived", is_not_pushed),
    "without the right to push nothing is pushed to be merged": walk(
        permit("me", "read"), "push/rights", is_not_pushed, permit("me"), answer("retry"), "complete"),
    "without the right to push nothing is pushed to be left open": walk(
        permit("me", "read"), "push/rights", is_not_pushed, permit("me"), answer("retry"), "complete", mode="pr"),
    "a fork is enough for a pull request": walk(DeliveryScene.fork, "integrate/pr", is_not_pushed, mode="pr"),
    "a fork is not enough for a merge": walk(DeliveryScene.fork, "push/rights", is_not_pushed),
}
DEPLOYED = {
    "a deployment is waited for and its end is told": walk(
        when_merged(deploy("in_progress")), "deploy/wait",
        lambda scene: scene.actions.deployments[0].update(state="success"), "complete", came_to("deploy/pass")),
    "what is deployed to no named environment asks nothing": walk(
        deploy("success", "production"), "deploy/wait",
        settings="quiet_s: 0}\nproduction: []\nfeedback: {volume: 3"),
    "a deployment that fails is told and nothing is repaired": walk(
        when_merged(on_base("deploy", log="##[error]no such host\n", **RED)),
        ("escalate deploy/fail", "no such host"), answer("accept"), "complete"),
    "a deployment that does not end is asked about": walk(
        when_merged(deploy("")), "deploy/wait", later(3601), "deploy/late"),
    "a deployment that is made again counts as it ended last": walk(
        when_merged(deploy("failure")), "deploy/fail", deploy("success"), answer("retry"), "complete"),
    "a quick check does not hide the deployment that begins after it": walk(
        workflow, when_merged(on_base()), "deploy/wait", later(61), "complete"),
}
# fmt: on
WALKS: dict[str, Walk] = {
    **CHECKS,
    **UNREPORTED,
    **MOVED,
    **WAITED_FOR,
    **REFUSED,
    **MERGED_BY,
    **RIGHTS,
    **DEPLOYED,
}  # fmt: skip


@pytest.mark.parametrize("rule", WALKS)
def test_each_walk_ends_at_its_rule(rule: str, scene_at: NewScene) -> None:
    go(scene_at(**WALKS[rule].kind), WALKS[rule])
