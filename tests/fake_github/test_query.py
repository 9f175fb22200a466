"""A gap of the stand-in stops a test."""

from pathlib import Path

import pytest

from fake_github import query
from fake_github.hub import Hub
from fake_github.pull_request import PullRequest
from fake_github.request import Unmodeled

PULL = '{ repository(owner: "octo", name: "app") { pullRequest(number: 7) { %s } } }'


@pytest.fixture
def pull(gh_program: Path) -> PullRequest:
    """Give a pull request on a host that is asked in this process."""
    return Hub().pull_request("octo/app", 7)


def test_a_list_with_something_missing_keeps_the_rest(pull: PullRequest) -> None:
    given = query.answer(pull.repository.hub, {"query": f'{{ nodes(ids: ["{pull.id}", "x"]) {{ id }} }}'})
    assert given["data"] == {"nodes": [{"id": pull.id}, None]}
    assert given["errors"][0]["path"] == ["nodes", 1]


@pytest.mark.parametrize(("field", "value", "gap"), [
    ("bodyHTML", None, r"PullRequest\.bodyHTML is GitHub's, but the hub does not model it"),
    ("title", None, "null for non-nullable field PullRequest.title"),
    ("state", "SHUT", "cannot represent value: 'SHUT'"),
])  # fmt: skip
def test_a_field_not_modeled_stops_the_test(pull: PullRequest, field: str, value: object, gap: str) -> None:
    setattr(pull, field, value)
    with pytest.raises(Unmodeled, match=gap):
        query.answer(pull.repository.hub, {"query": PULL % field})
