"""How a pull request stands to base's rules, and that they hold everybody but who may bypass them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLEnumType

from .actions import Actions
from .asking import GhResult, ask, gh
from .hub import Hub
from .pull_request import PullRequest
from .query import built_schema

REPOSITORY = "octo/app"
PULL = f"repos/{REPOSITORY}/pulls/1"
STANDS = (
    '{ repository(owner: "octo", name: "app") '
    "{ pullRequest(number: 1) { mergeStateStatus viewerCanMergeAsAdmin } } }"
)
QUEUE = STANDS.replace("mergeStateStatus viewerCanMergeAsAdmin", "isMergeQueueEnabled")
Act = Callable[[PullRequest, Actions], object]


@pytest.fixture
def pull(hub: Hub, tmp_path: Path) -> PullRequest:
    """Give a pull request of one commit, which nothing holds back."""
    hub.permit(REPOSITORY, "me", "write")
    actions = hub.serve(REPOSITORY, tmp_path)
    actions.git("init", "--quiet", "--bare")
    head = commit(actions, "topic", commit(actions, "main"))
    return hub.pull_request(REPOSITORY, 1, head="topic", head_oid=head)


def commit(actions: Actions, branch: str, *parents: str, text: str = "") -> str:
    """Commit one file, whose text is the branch's name unless it is given."""
    blob = actions.place / "blob"
    blob.write_text(text or branch)
    actions.git("update-index", "--add", "--cacheinfo", f"100644,{actions.git('hash-object', '-w', 'blob')},a")
    words = [word for parent in parents for word in ("-p", parent)]
    made = actions.git("commit-tree", actions.git("write-tree"), *words, "-m", branch)
    actions.git("update-ref", f"refs/heads/{branch}", made)
    return made


def approve_first(pull: PullRequest, actions: Actions) -> None:
    pull.repository.approvals = 1


def red(pull: PullRequest, actions: Actions) -> None:
    actions.job(pull.head_oid, conclusion="failure")


def required_and_red(pull: PullRequest, actions: Actions) -> None:
    actions.require("test", classic=True)
    red(pull, actions)


def behind(pull: PullRequest, actions: Actions) -> None:
    actions.up_to_date = True
    commit(actions, "main", "main")


UNMET: dict[str, Act] = {
    'Required status check "test" is expected.': lambda pull, actions: actions.require("test"),
    'Required status check "test" is failing.': required_and_red,
    "At least 1 approving review is required by": approve_first,
    "A conversation must be resolved": lambda pull, actions: actions.unmet.append(
        "A conversation must be resolved before this pull request can be merged."
    ),
}
STATES: dict[str, Act] = {
    "CLEAN": lambda pull, actions: None,
    "BLOCKED": UNMET["At least 1 approving review is required by"],
    "UNSTABLE": red,
    "BEHIND": behind,
    "DIRTY": lambda pull, actions: commit(actions, "main", "main", text="another"),
    "DRAFT": lambda pull, actions: setattr(pull, "draft", True),
    "HAS_HOOKS": lambda pull, actions: setattr(actions, "has_hooks", True),
    "UNKNOWN": lambda pull, actions: setattr(pull, "state_unknown", True),
}


def stands(pull: PullRequest) -> Any:
    return ask(STANDS).data["repository"]["pullRequest"]


def merge(pull: PullRequest) -> GhResult:
    fields = ("commit_title=a", "commit_message=", "merge_method=squash", f"sha={pull.head_oid}")
    return gh("--method", "PUT", f"{PULL}/merge", *(word for field in fields for word in ("-f", field)))


def test_it_has_a_way_to_every_state_of_the_published_schema() -> None:
    known = built_schema().type_map["MergeStateStatus"]
    assert isinstance(known, GraphQLEnumType)
    assert set(STATES) == set(known.values)


@pytest.mark.parametrize("state", STATES)
def test_both_interfaces_say_how_it_stands(state: str, pull: PullRequest) -> None:
    assert pull.repository.actions
    STATES[state](pull, pull.repository.actions)
    assert stands(pull) == {"mergeStateStatus": state, "viewerCanMergeAsAdmin": False}
    one = gh(PULL).json
    assert one["mergeable_state"] == state.lower()
    assert one["mergeable"] is {"DIRTY": False, "UNKNOWN": None}.get(state, True)


@pytest.mark.parametrize("words", UNMET)
def test_a_rule_of_base_holds_a_member_and_nobody_who_may_bypass_it(words: str, pull: PullRequest) -> None:
    assert pull.repository.actions
    UNMET[words](pull, pull.repository.actions)
    said = merge(pull)
    assert (said.status, words in said.json["message"]) == (405, True)
    pull.repository.hub.let_bypass(REPOSITORY, "me")
    assert stands(pull) == {"mergeStateStatus": "BLOCKED", "viewerCanMergeAsAdmin": True}
    assert (merge(pull).status, pull.state) == (200, "MERGED")


@pytest.mark.parametrize("classic", [True, False])
def test_a_merge_queue_of_either_kind_takes_no_merge_beside_it(classic: bool, pull: PullRequest) -> None:
    actions = pull.repository.actions
    assert actions
    assert ask(QUEUE).data["repository"]["pullRequest"] == {"isMergeQueueEnabled": False}
    actions.classic_queue = classic
    actions.rules += [] if classic else [{"type": "merge_queue", "parameters": {}}]
    assert ask(QUEUE).data["repository"]["pullRequest"] == {"isMergeQueueEnabled": True}
    said = merge(pull)
    assert (said.status, said.json["message"]) == (405, "Changes must be made through the merge queue")


@pytest.mark.parametrize("state", ["DIRTY", "DRAFT"])
def test_nobody_merges_a_conflict_or_a_draft(state: str, pull: PullRequest) -> None:
    assert pull.repository.actions
    STATES[state](pull, pull.repository.actions)
    pull.repository.hub.let_bypass(REPOSITORY, "me")
    assert (stands(pull)["viewerCanMergeAsAdmin"], merge(pull).status) == (False, 405)
