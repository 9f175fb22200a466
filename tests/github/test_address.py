"""Which pull request is meant: every shape of its address, and none that would lead elsewhere."""

import pytest

from baton.errors import BatonError
from baton.github.address import (
    CommentRef,
    GitHubRemote,
    PullRequestRef,
    choose_remote,
    find_address,
    parse_remote,
    parse_url,
)

HERE = [GitHubRemote("origin", "github.com", "octo/app")]
AT_WORK = [GitHubRemote("origin", "git.example.com", "octo/app")]
PR = "https://github.com/octo/app/pull/7"

TARGETS = {
    "": None,
    "#discussion_r12": CommentRef("review_thread", 12),
    "/files#r12": CommentRef("review_thread", 12),
    "/changes#r12": CommentRef("review_thread", 12),
    "/files/0123abc..4567def#r12": CommentRef("review_thread", 12),
    "/files#discussion_r12": CommentRef("review_thread", 12),
    "#issuecomment-12": CommentRef("pr_comment", 12),
    "#pullrequestreview-12": CommentRef("review_body", 12),
    "/commits": None,
    "/files?diff=split&w=1": None,
    "/": None,
}


@pytest.mark.parametrize(("end", "target"), TARGETS.items(), ids=lambda one: str(one) or "the page itself")
def test_a_url_names_a_pull_request_and_what_on_it(end: str, target: CommentRef | None) -> None:
    assert parse_url(PR + end) == PullRequestRef("github.com", "octo/app", 7, target)


@pytest.mark.parametrize(("text", "address"), [
    ("github.com/octo/app/pull/7", PullRequestRef("github.com", "octo/app", 7)),
    ("http://www.GitHub.com/octo/app/pull/7", PullRequestRef("github.com", "octo/app", 7)),
    ("https://github.com/acme_user/a.b-c_d/pull/7", PullRequestRef("github.com", "acme_user/a.b-c_d", 7)),
    ("https://git.example.com/octo/app/pull/7", PullRequestRef("git.example.com", "octo/app", 7)),
])  # fmt: skip
def test_hosts_and_repositories_of_all_sorts_are_read(text: str, address: PullRequestRef) -> None:
    assert parse_url(text) == address


NO_URLS = {
    "an issue": "https://github.com/octo/app/issues/7",
    "another path first": "https://github.com/x/octo/app/pull/7",
    "a repository too few": "https://github.com/app/pull/7",
    "dots for a repository": "https://github.com/octo/../pull/7",
    "a query in the name": "https://github.com/octo/app?x/pull/7",
    "an escaped slash": "https://github.com/octo%2Fx/app/pull/7",
    "somebody's password": "https://me:secret@github.com/octo/app/pull/7",
    "a host behind an at": "https://github.com@evil.example/octo/app/pull/7",
    "an empty user": "https://@github.com/octo/app/pull/7",
    "a port": "https://github.com:8443/octo/app/pull/7",
    "a port that is none": "https://github.com:x/octo/app/pull/7",
    "a host of one word": "https://localhost/octo/app/pull/7",
    "an option for a host": "https://-x.example/octo/app/pull/7",
    "a host of other letters": "https://gіthub.com/octo/app/pull/7",
    "another scheme": "file:///octo/app/pull/7",
    "a number of nothing": "https://github.com/octo/app/pull/0",
    "digits of another script": "https://github.com/octo/app/pull/٧",
    "brackets left open": "https://[github.com/octo/app/pull/7",
    "a line break": "https://github.com/octo/app/pull/7\n8",
}


@pytest.mark.parametrize("text", NO_URLS.values(), ids=NO_URLS)
def test_a_url_that_is_of_no_pull_request_is_refused(text: str) -> None:
    with pytest.raises(BatonError, match="not the URL of a pull request"):
        parse_url(text)


@pytest.mark.parametrize(
    "end", ["#r12", "#discussion_rx", "#issue-12", "#diff-0aR12", "/commits#r12", "#discussion_r0"]
)
def test_an_end_that_names_no_feedback_is_not_taken_for_all_of_it(end: str) -> None:
    with pytest.raises(BatonError, match="names no feedback"):
        parse_url(PR + end)


@pytest.mark.parametrize("text", ["x", "-1", "0", "1.5", "--help", "12345678901", "7 8", "٧", "7\n"])
def test_a_text_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(BatonError, match="not a pull request"):
        find_address(text, "", HERE)


def test_a_number_is_of_the_repository_of_the_remote_and_nothing_of_its_branch() -> None:
    assert find_address("#7", "", HERE) == PullRequestRef("github.com", "octo/app", 7)
    assert find_address("", "", HERE) == PullRequestRef("github.com", "octo/app", 0)
    assert find_address("7", "", AT_WORK) == PullRequestRef("git.example.com", "octo/app", 7)


def test_a_repository_that_is_named_is_on_the_host_of_the_remotes_or_the_one_named_with_it() -> None:
    assert find_address("7", "a/b", HERE) == PullRequestRef("github.com", "a/b", 7)
    assert find_address("7", "a/b", AT_WORK) == PullRequestRef("git.example.com", "a/b", 7)
    assert find_address("7", "github.com/a/b", AT_WORK) == PullRequestRef("github.com", "a/b", 7)
    assert find_address(PR, "octo/app", HERE).number == 7


@pytest.mark.parametrize(("text", "repository", "remotes", "what"), [
    ("7", "a/b/c/d", HERE, "not a repository"),
    ("7", "../b", HERE, "not a repository"),
    ("7", "a/b?x", HERE, "not a repository"),
    ("7", "-a/b", HERE, "not a repository"),
    ("7", "evil.example/a/b", HERE, "no remote of this work tree is on that host"),
    ("https://evil.example/octo/app/pull/7", "", HERE, "no remote of this work tree is on that host"),
    (PR, "octo/other", HERE, "the URL is of octo/app, --repo says octo/other"),
    ("7", "", [], "no remote that could be GitHub's"),
])  # fmt: skip
def test_tokens_go_to_our_place_alone(text: str, repository: str, remotes: list[GitHubRemote], what: str) -> None:
    with pytest.raises(BatonError) as refused:
        find_address(text, repository, remotes)
    assert refused.value.what == what


@pytest.mark.parametrize(("url", "found"), [
    ("git@github.com:octo/app.git", ("github.com", "octo/app")),
    ("https://github.com/octo/app", ("github.com", "octo/app")),
    ("https://x-token:secret@github.com/octo/app.git/", ("github.com", "octo/app")),
    ("ssh://git@ssh.github.com:443/octo/app.git", ("github.com", "octo/app")),
    ("git://git.example.com/octo/app", ("git.example.com", "octo/app")),
    ("/srv/git/app.git", None),
    ("../app", None),
    ("git@work:octo/app.git", None),
    ("--upload-pack=touch x", None),
    ("ext::sh -c id", None),
])  # fmt: skip
def test_the_address_of_a_remote_tells_host_and_repository(url: str, found: tuple[str, str] | None) -> None:
    remote = parse_remote("origin", url)
    assert (remote and (remote.host, remote.repository)) == found


def test_among_several_repositories_the_settled_one_counts_then_upstream_and_else_one_is_asked_for() -> None:
    fork, whole = (
        GitHubRemote("origin", "github.com", "me/app"),
        GitHubRemote("upstream", "github.com", "octo/app"),
    )
    assert choose_remote([fork, whole]) == whole
    assert choose_remote([fork._replace(chosen=True), whole]).repository == "me/app"
    assert choose_remote([fork, fork._replace(name="again", repository="Me/App")]) == fork
    with pytest.raises(BatonError, match="may be of me/app, octo/app"):
        choose_remote([fork, whole._replace(name="theirs")])
