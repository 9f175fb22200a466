"""What people, apps and GitHub do to get something else merged than the head that is green: each by its name."""

from collections.abc import Callable
from typing import Any, NamedTuple

from delivery.scene import REPOSITORY, STORY, URL, DeliveryScene
from fake_github.actions import ACTIONS_APP, Actions
from fake_github.misbehave import Fault, Meanwhile, Rewrite, Status
from fake_github.pull_request import Inline
from fake_github.request import Request

Act = Callable[[DeliveryScene], object]
STRANGER = 77
EVIL = {"evil.py": "E = 1\n"}
MORE = {"more.py": "M = 1\n"}


class Way(NamedTuple):
    """What somebody does, and the rule, or the action, the story is at in the end."""

    does: Act
    ends: str
    settings: str = "quiet_s: 0"
    passes: bool = True  # the job that is waited for
    of_issue: bool = False
    first: Act | None = None  # what the user is asked about
    unseen: bool = False  # it comes between GitHub's last answer and its merge: no program can see it before
    bypassed: str = (
        ""  # it is unseen, and so ends an account that may bypass base's rules: GitHub refuses it nothing
    )


class Walk(NamedTuple):
    """What happens to a story, and between it what its calls come to.

    A word is the rule of the next step, its action, or both; a second one, what its reason says. An act that gives
    a step, as an answer does, is that call itself. `kind` is how the story is delivered and where it begins.
    """

    steps: tuple[Act | str | tuple[str, str], ...]
    kind: dict[str, str]


def walk(*steps: Act | str | tuple[str, str], **kind: str) -> Walk:
    return Walk(steps, kind)


def go(scene: DeliveryScene, walk: Walk) -> Any:
    """Take a story its way, which is opened once, and merged once and not before its end; gives the last step."""
    step: Any = None
    last: Any = None
    for one in walk.steps:
        if callable(one):
            step = one(scene)
            continue
        step = step if isinstance(step, dict) else scene.deliver()
        words, reason = (one, "") if isinstance(one, str) else one
        assert {*words.split()} <= {step["action"], step["rule"]}, (words, step["action"], step["rule"])
        assert reason in step["reason"]
        rules = {step["rule"], *scene.rules}
        is_merged = rules & {"merge/done", "merge/broken"} or step["rule"].startswith("deploy/")
        is_by_hand = scene.theirs & {pull.merge_commit for pull in scene.pulls}
        assert not scene.base or scene.merges == bool(is_merged and not is_by_hand)
        assert [pull.head for pull in scene.pulls].count(scene.story) <= 1
        last, step = step, None
    return last


def is_to(end: str) -> Callable[[Request], bool]:
    return lambda one: one.path.endswith(end)


def job(name: str = "test", conclusion: str = "success", **more: Any) -> Act:
    return lambda scene: scene.actions.job(scene.head, name, conclusion, **more)


def by_stranger(name: str, **more: Any) -> Act:
    return job(name, app=STRANGER, suite=0, **more)


def run(**more: Any) -> Act:
    return lambda scene: scene.actions.run(scene.head, "Other", **more)


def status(context: str, state: str = "success", **more: Any) -> Act:
    return lambda scene: scene.actions.status(scene.head, context, state, **more)


def require(*names: str, **more: Any) -> Act:
    return lambda scene: scene.actions.require(*names, **more)


def beside(act: Act) -> Act:
    """Have a job pass, and something else happen."""
    return all_of(act, job())


def all_of(*acts: Act) -> Act:
    return lambda scene: [act(scene) for act in acts]


def each(act: Act) -> Act:
    """Have it done for each commit that is pushed, instead of a job that passes."""
    return lambda scene: scene.on_push(lambda sha: act(scene))


def when_merged(act: Act) -> Act:
    """Have it done for the merge commit, beside a job that passes for each commit before."""

    def do(scene: DeliveryScene) -> None:
        scene.actions.on_push = lambda branch, sha: act(scene) if branch == "main" else scene.actions.job(sha)

    return do


def on_base(name: str = "test", conclusion: str = "success", **more: Any) -> Act:
    return lambda scene: scene.actions.job(scene.base, name, conclusion, **more)


def deploy(state: str, environment: str = "staging") -> Act:
    """Have base deployed."""
    return lambda scene: scene.actions.deploy(scene.base, state, environment)


def came_to(rule: str) -> Act:
    """See that a delivery came to a rule on its way."""

    def look(scene: DeliveryScene) -> None:
        assert rule in scene.rules

    return look


def answer(option: str) -> Act:
    return lambda scene: scene.answer(option)


def refuse(fault: Fault, end: str, times: int | None = 1, method: str = "") -> Act:
    """Have GitHub do something else than it is asked at a place."""

    def is_met(request: Request) -> bool:
        return request.path.endswith(end) and method in ("", request.method)

    return lambda scene: scene.hub.misbehave(fault, times=times, when=is_met)


def refuse_rules(message: str) -> Act:
    refusal = Status(403, {"message": message})
    return lambda scene: scene.hub.misbehave(refusal, times=None, when=lambda one: "/rules/" in one.path)


def repository(**fields: Any) -> Act:
    return lambda scene: vars(scene.hub.repository(REPOSITORY)).update(fields)


def actions(**fields: Any) -> Act:
    return lambda scene: vars(scene.actions).update(fields)


def permit(login: str, level: str = "write") -> Act:
    return lambda scene: scene.hub.permit(REPOSITORY, login, level)


def review(login: str, kind: str = "User", **more: Any) -> Act:
    return lambda scene: scene.pulls[-1].review(by=scene.hub.actor(login, kind), **more)


def reviewed_before(login: str, kind: str = "User") -> Act:
    """Have a pull request that was merged before, with a review."""

    def do(scene: DeliveryScene) -> None:
        other = scene.hub.pull_request(REPOSITORY, 9, head="other", state="MERGED")
        other.review(by=scene.hub.actor(login, kind), body="Looks good.")

    return do


def rename_base(name: str = "trunk") -> Act:
    def do(scene: DeliveryScene) -> None:
        scene.actions.git("branch", "--move", "main", name)
        scene.actions.renamed = {"main": name}
        for pull in scene.pulls:
            pull.base = name

    return do


def many(number: int, last: Act) -> Act:
    """Have so many checks and statuses pass, and something else after them."""

    def do(scene: DeliveryScene) -> None:
        for one in range(number):
            scene.actions.job(scene.head, f"unit {one}", suite=0)
            scene.actions.status(scene.head, f"unit {one}")
        last(scene)

    return do


def in_one_run(*conclusions: str, again: bool = True) -> Act:
    """Have a job run several times in one run: `again`, or as several jobs of that name."""

    def do(scene: DeliveryScene) -> None:
        suite = scene.actions.run(scene.head)
        for conclusion in conclusions:
            state = "in_progress" if conclusion == "pending" else "completed"
            scene.actions.job(scene.head, "test", conclusion, suite=suite, again=again, status=state)

    return do


def push(files: dict[str, str], branch: str = "main") -> Act:
    return lambda scene: scene.push(files, branch)


def move(branch: str, to: str) -> Act:
    """Force a branch of the remote to a commit; nothing deletes it."""
    words = ("update-ref", f"refs/heads/{branch}", to) if to else ("update-ref", "-d", f"refs/heads/{branch}")
    return lambda scene: scene.actions.git(*words)


def at(when: Callable[[Request], bool], act: Act) -> Act:
    """Have somebody do something the moment a request comes."""
    return lambda scene: scene.hub.misbehave(Meanwhile(lambda: act(scene)), when=when)


def is_query(name: str) -> Callable[[Request], bool]:
    return lambda one: f" {name}(" in one.query


def later(seconds: float) -> Act:
    return lambda scene: scene.later(seconds)


def pull(**fields: Any) -> Act:
    """Change what the pull request is."""
    return lambda scene: vars(scene.pull).update(fields)


def is_draft(is_one: bool) -> Act:
    """See whether the pull request is a draft."""

    def look(scene: DeliveryScene) -> None:
        assert scene.pull.draft == is_one

    return look


def merged_by_hand(revision: str, base: str = "main") -> Act:
    """Have somebody, or GitHub for them, merge the pull request at a commit."""

    def do(scene: DeliveryScene) -> None:
        commit, one = scene.actions.git("rev-parse", revision), scene.pull
        made = Actions.merge(scene.actions, base, commit, "squash", "by hand")
        one.merge_commit, one.head_oid, one.base, one.state = made, commit, base, "MERGED"
        scene.theirs.add(made)

    return do


def other_pull(number: int, **fields: Any) -> Act:
    def do(scene: DeliveryScene) -> None:
        scene.actions.git("update-ref", "refs/heads/release", "main")
        scene.hub.pull_request(REPOSITORY, number, **{"head_oid": scene.base, **fields})

    return do


def unknown_state(scene: DeliveryScene) -> None:
    def change(request: Request, whole: Any) -> Any:
        return {**whole, "check_runs": [{**one, "conclusion": "half_passed"} for one in whole["check_runs"]]}

    scene.hub.misbehave(Rewrite(change), times=None, when=is_to("/check-runs"))


def shift_pages(scene: DeliveryScene) -> None:
    """Have a check fail that is listed first, between two pages of the list."""

    def fail() -> None:
        scene.actions.job(scene.head, "late", "failure", suite=0)
        scene.actions.checks.insert(0, scene.actions.checks.pop())

    second = Meanwhile(fail)
    scene.hub.misbehave(second, when=lambda one: "/check-runs" in one.path and "&page=2" in one.target)


def change_settings(scene: DeliveryScene) -> None:
    scene.bench.settle("quiet_s: 0", "quiet_s: 0, checks: none")
    scene.bench.git("push", "--quiet", "origin", "main")
    scene.theirs.add(scene.base)


def tamper(scene: DeliveryScene, commit: str = "") -> None:
    """Set the ref under which base was fetched, here, to another commit."""
    tree = scene.bench.git("rev-parse", "main^{tree}")
    other = commit or scene.bench.git("commit-tree", tree, "-p", "main", "-m", "never pushed")
    scene.bench.git("update-ref", f"refs/baton/{scene.bench.id}/base", other)


def red_where_it_was_tampered_to(scene: DeliveryScene) -> None:
    old = scene.bench.git("rev-parse", "main~1")
    scene.actions.job(old, conclusion="failure")
    scene.actions.job(scene.head, conclusion="failure")
    tamper(scene, old)


def point_elsewhere(scene: DeliveryScene) -> None:
    """Point origin at another repository, which has a pull request of the number."""
    other = scene.actions.place.with_name("other.git")
    scene.actions.git("clone", "--quiet", "--bare", ".", str(other))
    scene.hub.serve("octo/other", other)
    scene.hub.permit("octo/other", "me", "write")
    scene.hub.pull_request("octo/other", 1, head="topic", head_oid=scene.base)
    url = f"{URL.replace('app', 'other')}.git"
    scene.bench.git("config", f"url.{other}.insteadOf", url)
    scene.bench.git("remote", "set-url", "origin", url)


def spell_otherwise(scene: DeliveryScene) -> None:
    url = f"{URL.replace('octo/app', 'Octo/App')}.git"
    scene.bench.git("config", "--add", f"url.{scene.actions.place}.insteadOf", url)
    scene.bench.git("remote", "set-url", "origin", url)


def edit_issue(scene: DeliveryScene) -> None:
    issues = scene.hub.repository(REPOSITORY).issues
    issues[12] = issues[12]._replace(title="Nothing", body="## Acceptance Criteria\n\n- it is merged at once\n")


def ask_for_changes(scene: DeliveryScene) -> None:
    scene.hub.permit(REPOSITORY, "alice", "write")
    scene.pull.review(by="alice", state="CHANGES_REQUESTED")


def rewrite_base(scene: DeliveryScene) -> None:
    """Put a history on base that has its files and none of its commits."""
    made = scene.actions.git("commit-tree", "main^{tree}", "-m", "all of it")
    scene.theirs.add(made)
    scene.actions.git("update-ref", "refs/heads/main", made)


def draft_again(scene: DeliveryScene) -> None:
    """Make it a draft again, once it was made ready."""
    scene.actions.finish()
    assert scene.next()["rule"] == "pr/ready"
    scene.pull.draft = True


def refuse_moved(scene: DeliveryScene) -> None:
    moved = Status(405, {"message": "Base branch was modified. Review and try the merge again."})
    scene.hub.misbehave(moved, when=is_to("/merge"))
    scene.push(MORE)


def show_late(scene: DeliveryScene) -> None:
    """Have the pull request shown as it was, right after it was merged."""

    def change(request: Request, whole: Any) -> Any:
        return {**whole, "merged": False, "state": "open", "merge_commit_sha": None}

    scene.hub.misbehave(Rewrite(change), when=is_to("/pulls/1"))


def be_a_bot(scene: DeliveryScene) -> None:
    scene.hub.viewer = scene.hub.actor("github-actions", "Bot")
    scene.hub.permit(REPOSITORY, scene.hub.viewer, "write")
    scene.actions.workflow()


def unmet(scene: DeliveryScene) -> None:
    """Have base want something that baton reads nowhere."""
    scene.actions.unmet = ["A conversation must be resolved before this pull request can be merged."]


def needs_approval(by: str = "", state: str = "APPROVED") -> Act:
    """Have base want an approval, and somebody give one once it is asked how reviews stand."""

    def say(scene: DeliveryScene) -> None:
        scene.pull.review(by=by, state=state)

    def do(scene: DeliveryScene) -> None:
        scene.hub.permit(REPOSITORY, "alice", "write")
        scene.hub.repository(REPOSITORY).approvals = 1
        if by:
            at(is_query("Reviews"), say)(scene)

    return do


def dismissed_late(scene: DeliveryScene) -> None:
    """Have the approval dismissed after it was read, before it is read again."""
    at(is_query("Reviews"), lambda scene: vars(scene.pull.reviews[0]).update(state="DISMISSED"))(scene)


PENDING = {"status": "in_progress"}
RED = {"conclusion": "failure"}
DRAFT, LATE = "quiet_s: 0, draft: true", "quiet_s: 0, reviewers: [bot], review_wait_s: 60"
ONE_APP = require("test", app=ACTIONS_APP)
NEVER_MERGEABLE = refuse(Rewrite(lambda request, whole: {**whole, "mergeable": None}), "/pulls/1", times=None)
QUEUE = [{"type": "merge_queue", "parameters": {}}]
FINDING = Inline("calc.py", 1, "Name this better.")
TO_RELEASE = all_of(move("release", "main"), pull(base="release"))
OTHER_HEAD = all_of(push(EVIL, STORY), merged_by_hand(STORY))
LINT = job("lint", **RED)
SILENT = all_of(job(), later(61))
# By when it is done.
# fmt: off
WAYS: dict[str, dict[str, Way]] = {
    "for each commit that is pushed, instead of a job that passes": {
        "a green check of base": Way(on_base(), "ci/unreported"),
        "a green check of its own earlier tip": Way(
            lambda scene: scene.actions.job(scene.actions.head(f"{STORY}^")), "ci/unreported"),
        "a check of the required name by another app": Way(all_of(ONE_APP, by_stranger("test")), "ci/expected"),
        "a status of the required name by a stranger": Way(all_of(ONE_APP, status("test")), "ci/expected"),
        "the required check has another name now": Way(all_of(require("test"), job("tests")), "ci/expected"),
        "a required check is missing": Way(beside(require("test", "deep")), "ci/expected"),
        "a required check stays missing": Way(
            beside(all_of(require("test", "deep", classic=True), later(601))), "ci/missing"),
        "a filter by path leaves the commit out": Way(
            all_of(lambda scene: scene.actions.workflow(), later(601)), "ci/filtered"),
        "all that is required is skipped, beside another": Way(
            all_of(require("test"), job(conclusion="skipped"), by_stranger("cla")), "ci/skipped"),
        "of what is required some is skipped": Way(
            beside(all_of(require("test", "web"), job("web", "skipped"))), "complete"),
        "neutral only": Way(job(conclusion="neutral"), "ci/skipped"),
        "cancelled": Way(beside(job("lint", "cancelled")), "ci/cancelled"),
        "stale": Way(beside(run(conclusion="stale")), "ci/cancelled"),
        "action_required": Way(beside(run(conclusion="action_required")), "ci/approval"),
        "startup_failure": Way(beside(run(conclusion="startup_failure")), "ci/infra"),
        "an environment's reviewers are waited for": Way(beside(run(status="waiting")), "ci/approval"),
        "run again, and it goes on": Way(in_one_run("success", "pending"), "ci/wait"),
        "run again, and it failed": Way(in_one_run("success", "failure"), "ci/unclear"),
        "two jobs of a name in one run, the later green": Way(
            in_one_run("failure", "success", again=False), "ci/unclear"),
        "two runs, the older green": Way(all_of(job(), job(**RED)), "ci/unclear"),
        "two runs, the newer skips what failed": Way(
            all_of(job(**RED), job(conclusion="skipped"), by_stranger("cla")), "ci/unclear"),
        "two runs, the older has not begun": Way(beside(all_of(run(status="queued"), run())), "ci/wait"),
        "a run failed, and no job of it": Way(
            lambda scene: scene.actions.job(scene.head, suite=scene.actions.run(scene.head, conclusion="failure")),
            "ci/unclear"),
        "a run is queued and has no jobs": Way(beside(run(status="queued")), "ci/wait"),
        "another app has not begun": Way(beside(by_stranger("scan", status="queued")), "ci/wait"),
        "a quick status, and no workflow has begun": Way(
            all_of(lambda scene: scene.actions.workflow(), status("cla")), "ci/unreported"),
        "an outcome that GitHub does not have today": Way(beside(unknown_state), "ci/unknown"),
        "the red one of 101 checks": Way(many(100, by_stranger("last", **RED)), "ci/unclear"),
        "the red one of 101 statuses": Way(many(100, status("last", "failure")), "ci/unclear"),
        "the red one of 31 statuses": Way(many(30, status("last", "failure")), "ci/unclear"),
        "a red check comes between two pages": Way(many(100, shift_pages), "ci/unclear"),
        "a status that was green before": Way(beside(all_of(status("ci"), status("ci", "error"))), "ci/infra"),
        "a check and a status of one name": Way(beside(status("test", "pending")), "ci/wait"),
        "what is not required fails": Way(beside(all_of(require("test"), LINT)), "ci/unclear"),
        "fails on a base that was never fetched, too": Way(red_where_it_was_tampered_to, "ci/unclear"),
        "base moves": Way(beside(lambda scene: scene.push({f"{scene.head[:6]}.py": ""})), "merge/lost-again"),
    },
    "for each commit that is pushed, where base has a rule": {
        "of another sort, that is not met": Way(beside(unmet), "merge/held"),
        "of two sorts, one met": Way(beside(all_of(require("test"), unmet)), "merge/held"),
        "an approval is missing": Way(beside(needs_approval()), "review/wait"),
        "an approval by a stranger": Way(beside(needs_approval("mallory")), "review/wait"),
        "an approval that was dismissed": Way(beside(needs_approval("alice", "DISMISSED")), "review/wait"),
        "an approval is missing for three days": Way(
            beside(all_of(needs_approval(), later(259_201))), "review/late"),
        "an approval is dismissed at the last moment": Way(
            all_of(needs_approval("alice"), dismissed_late, job()), "review/wait"),
        "an approval is there": Way(beside(needs_approval("alice")), "complete"),
        "the required check fails as on base": Way(
            all_of(require("test"), on_base(**RED), job(**RED)), "ci/required"),
        "the same, by classic protection": Way(
            all_of(require("test", classic=True), on_base(**RED), job(**RED)), "ci/required"),
        "the required check fails, and base never ran it": Way(all_of(require("test"), job(**RED)), "ci/required"),
        "the required status fails": Way(beside(all_of(require("ci"), status("ci", "failure"))), "ci/required"),
        "the required check fails and passes on base": Way(
            all_of(require("test"), on_base(), job(**RED)), "fix/run"),
        "that names the app of a status": Way(
            beside(all_of(require("ci/build", app=STRANGER), status("ci/build", app=STRANGER))), "complete"),
        "the same, and it fails": Way(beside(all_of(
            require("ci/build", app=STRANGER), status("ci/build", "failure", app=STRANGER))), "ci/required"),
        "that names the app of a status, and another set it": Way(
            beside(all_of(require("ci/build", app=STRANGER), status("ci/build", app=ACTIONS_APP))), "ci/expected"),
        "that wants all of base": Way(beside(actions(up_to_date=True)), "complete"),
        "that GitHub has not looked at yet": Way(
            beside(at(is_query("Reviews"), pull(state_unknown=True))), "merge/wait"),
    },
    "while a job runs, which then passes": {
        "the branch goes on": Way(push(EVIL, STORY), "push/moved"),
        "the branch is forced elsewhere": Way(all_of(move(STORY, "main"), push(EVIL, STORY)), "push/moved"),
        "the branch is forced back to its earlier tip": Way(move(STORY, f"{STORY}^"), "complete"),
        "the branch is deleted": Way(move(STORY, ""), "pr/closed-by-hand"),
        "a commit comes to it here": Way(lambda scene: scene.bench.commit(EVIL, scene.story), "merge/head-moved"),
        "base moves once": Way(push(MORE), "complete"),
        "base moves, and GitHub refuses for it": Way(refuse_moved, "complete"),
        "base is rewritten": Way(rewrite_base, "push/unpublished"),
        "base is forced back": Way(move("main", "main^"), "push/unpublished"),
        "base is deleted": Way(move("main", ""), "pr/closed-by-hand"),
        "base has `checks: none` now": Way(change_settings, "ci/wait", passes=False),
        "base as it was fetched is tampered with": Way(tamper, "complete"),
        "origin is written in other letters": Way(spell_otherwise, "complete"),
        "origin names another repository": Way(point_elsewhere, "pr/elsewhere"),
        "a rule comes": Way(require("deep"), "ci/expected"),
        "a check turns red while reviews are read": Way(at(is_query("Reviews"), LINT), "ci/unclear"),
        "another one is opened, to another base": Way(other_pull(9, head=STORY, base="release"), "complete"),
        "another one is opened, to base": Way(other_pull(9, head="release"), "complete"),
        "it goes to another base": Way(TO_RELEASE, "pr/retargeted"),
        "it is merged into another base": Way(
            all_of(move("release", "main"), merged_by_hand(STORY, "release")), "pr/retargeted"),
        "it is closed": Way(pull(state="CLOSED"), "pr/closed-by-hand"),
        "it is merged by hand, at another head": Way(OTHER_HEAD, "pr/merged-other"),
        "it is merged by hand, at its earlier tip": Way(merged_by_hand(f"{STORY}^"), "pr/merged-other"),
        "auto-merge was armed": Way(merged_by_hand(STORY), "complete"),
        "the issue is edited": Way(edit_issue, "integrate/criteria-changed", of_issue=True),
        "it is merged while reviews are read": Way(at(is_query("Reviews"), merged_by_hand(STORY)), "complete"),
        "its text is changed": Way(pull(title="closes #1", body="Closes #2"), "complete"),
        "it is made a draft": Way(pull(draft=True), "merge/rejected"),
        "it is made a draft again": Way(draft_again, "merge/rejected", DRAFT, passes=False),
        "more begins once it is no draft": Way(at(is_query("Ready"), job("full", **PENDING)), "ci/wait", DRAFT),
        "changes are asked for": Way(ask_for_changes, "review/changes"),
    },
    "right before GitHub merges": {
        "the branch goes on, late": Way(push(EVIL, STORY), "push/moved"),
        "the branch is forced back, late": Way(move(STORY, f"{STORY}^"), "complete"),
        "base moves, late": Way(push(MORE), "complete", unseen=True),
        "base moves, late, and breaks it": Way(
            push({"tools/test.sh": "! grep SUB calc.py\n"}), "merge/broken", unseen=True),
        "a rule comes, late": Way(require("deep"), "merge/rejected", bypassed="complete"),
        "a required check turns red, late": Way(
            all_of(require("test"), job(**RED)), "merge/rejected", bypassed="complete"),
        "a check turns red, late": Way(LINT, "complete", unseen=True),
        "it goes to another base, late": Way(TO_RELEASE, "pr/retargeted"),
        "it is closed, late": Way(pull(state="CLOSED"), "pr/closed-by-hand"),
        "it is merged, and shown as open": Way(show_late, "complete"),
    },
    "while it is in the merge queue": {
        "another head is merged": Way(OTHER_HEAD, "pr/merged-other"),
        "base moves with others": Way(push(MORE), "merge/queued"),
        "the queue merges while reviews are read": Way(
            at(is_query("Reviews"), DeliveryScene.turn_queue), "complete"
        ),
        "it is given back": Way(lambda scene: scene.actions.queue.clear(), "merge/dequeued"),
    },
    "while it is in the merge queue of classic protection": {
        "nothing is done": Way(pull(), "merge/queued"),
        "another merges it": Way(DeliveryScene.turn_queue, "complete"),
        "it is given back there": Way(lambda scene: scene.actions.queue.clear(), "merge/dequeued"),
    },
    "before the user accepts what they are asked": {
        "another failure": Way(job("deep", **RED), "ci/unclear", first=LINT),
        "another that is cancelled": Way(job("deep", "cancelled"), "ci/cancelled", first=LINT),
        "another that is required": Way(require("deep"), "ci/expected", first=LINT),
        "a failure, where nothing ran": Way(job(**RED), "ci/unclear", first=later(601)),
        "nothing, and a bot is silent": Way(pull(), "complete", LATE, first=SILENT),
        "changes are asked for, and a bot is silent": Way(ask_for_changes, "review/late", LATE, first=SILENT),
    },
    "before QA passes the story": {
        "a branch of the name is pushed": Way(all_of(move(STORY, "main"), push(EVIL, STORY)), "push/moved"),
        "a pull request of the branch is opened": Way(
            all_of(move(STORY, "main"), other_pull(9, head=STORY)), "complete"),
        "one of a fork's branch of the name is opened": Way(
            other_pull(9, head=STORY, fork="mallory/app"), "complete"),
    },
}
# fmt: on
