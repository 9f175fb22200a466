"""What an answer of GitHub's means: none of the shapes of a limit or a failure is ever data."""

import json
from typing import Any

import pytest

from baton.github.responses import MINUTE, JudgedResponse, Response, judge_response

NOW = 1_000_000.0


def answer(status: int = 200, body: Any = None, said: str = "", **headers: str) -> JudgedResponse:
    """Judge an answer with these headers, on the second try."""
    text = body if isinstance(body, str) else json.dumps({"data": {}} if body is None else body)
    return judge_response(
        Response(status, {name.replace("_", "-"): value for name, value in headers.items()}, text, said), 2, NOW
    )


def failed(message: str, **more: str) -> dict[str, Any]:
    return {"data": None, "errors": [{"message": message, **more}]}


GOOD = {
    "data": answer(body={"data": {"viewer": 1}}),
    "data with an empty list of errors": answer(body={"data": {"viewer": 1}, "errors": []}),
    "the last request before a limit": answer(body={"data": {}}, x_ratelimit_remaining="0"),
    "a resource whose words are those of a limit": answer(body={"message": "abuse", "role": "x"}),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_whole_response_is_data(name: str) -> None:
    assert GOOD[name].fault is None


LIMITS = {
    "429 that says how long": (answer(429, {}, retry_after="7"), 7),
    "429 that does not": (answer(429, {}), MINUTE),
    "403 with retry-after": (answer(403, {"message": "You have exceeded"}, retry_after="30"), 30),
    "403 with none left": (answer(403, {}, x_ratelimit_remaining="0", x_ratelimit_reset="1000040"), 40),
    "403 by its words": (answer(403, {"message": "You have exceeded a secondary rate limit"}), MINUTE),
    "200 with none left": (
        answer(200, failed("API rate limit exceeded"), x_ratelimit_remaining="0", x_ratelimit_reset="1000040"), 40,
    ),
    "200 of the type": (answer(200, failed("x", type="RATE_LIMITED")), MINUTE),
    "200 submitted too quickly": (answer(200, failed("was submitted too quickly")), MINUTE),
    "422 abuse": (answer(422, {"message": "Validation Failed", "errors": [{"code": "abuse"}]}), MINUTE),
    "a reset that has passed": (answer(429, {}, x_ratelimit_remaining="0", x_ratelimit_reset="1"), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_in_any_shape_says_how_long_to_wait(name: str) -> None:
    judged, seconds = LIMITS[name]
    assert judged.fault
    assert "rate limit" in judged.fault.what
    assert judged.fault.wait_s == seconds


SOON = {
    "no answer at all": answer(0, "", said="error connecting to api.github.com"),
    "500": answer(500, {"message": "x"}),
    "an empty body": answer(200, ""),
    "an answer cut off": answer(200, '{"data": {"vie'),
    "a page for people": answer(200, "<html>Unicorn!</html>"),
    "too deep": answer(200, "[" * 100_000),
}


@pytest.mark.parametrize("name", SOON)
def test_a_passing_fault_is_tried_again_soon(name: str) -> None:
    fault = SOON[name].fault
    assert fault
    assert (fault.wait_s, fault.slow) == (2.0, False)


@pytest.mark.parametrize("judged", [
    answer(502, "<html>"), answer(504, {}), answer(200, failed("Something went wrong while executing your query")),
    answer(200, failed("Resource limits for this query exceeded")),
])  # fmt: skip
def test_a_query_that_took_too_long_is_split(judged: JudgedResponse) -> None:
    assert judged.fault
    assert judged.fault.slow


FINAL = {
    "401": (answer(401, {"message": "Bad credentials"}), "the login of gh is not accepted"),
    "403": (answer(403, {"message": "Must have push access"}), "refused (403: Must have push access)"),
    "404": (answer(404, {"message": "Not Found"}), "not there, or not to be seen"),
    "single sign-on": (answer(403, {"message": "Resource protected by organization SAML"}), "single sign-on"),
    "422": (answer(422, {"message": "Validation Failed", "errors": ["one review"]}), "refused (422"),
    "a redirect": (answer(304, ""), "refused (304"),
    "no such pull request": (answer(200, failed("Could not resolve", type="NOT_FOUND")), "Could not resolve"),
    "an unknown field": (answer(200, failed("Field 'x' doesn't exist on type 'Y'")), "Field 'x' doesn't exist"),
    "part of the data": (answer(200, {"data": {"viewer": 1}, "errors": [{"message": "hm"}]}), "refused (hm)"),
    "text gh chokes on": (
        answer(200, "", said=r"invalid character '\"' in \u hexadecimal character escape"), "gh cannot pass on",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FINAL)
def test_a_lasting_fault_is_reported_and_not_tried_again(name: str) -> None:
    judged, words = FINAL[name]
    assert judged.fault
    assert words in judged.fault.what
    assert judged.fault.wait_s is None


@pytest.mark.parametrize(("headers", "message", "named"), [
    ({"x_accepted_github_permissions": "checks=read"}, "Resource not accessible by personal access token",
     "`checks: read`"),
    ({"x_accepted_github_permissions": "contents=write; issues=write,contents=read"}, "Forbidden",
     "`contents: write` or `issues: write,contents: read`"),
    ({}, "Resource not accessible by integration", "checks, statuses, actions and deployments to read"),
    ({"x_github_sso": "required; url=https://github.com/orgs/o/sso?x=1"}, "protected by organization SAML",
     "https://github.com/orgs/o/sso?x=1"),
    ({}, "Must have push access", "the right to do this"),
])  # fmt: skip
def test_the_missing_scope_of_a_token_is_named(headers: dict[str, str], message: str, named: str) -> None:
    fault = answer(403, {"message": message}, **headers).fault
    assert fault
    assert named in fault.remedy


def test_that_something_is_not_there_is_told_from_other_errors() -> None:
    assert answer(200, failed("gone", type="NOT_FOUND")).holes
    assert not answer(200, failed("gone")).holes
    assert not answer(200, {"data": {}}).holes
