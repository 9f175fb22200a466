"""A command that lacks a credential is told from one that fails by itself."""

from pathlib import Path

import pytest

from baton.checks.failures import wants_credential, was_out_of_reach

WANTED = [
    "fatal: could not read Username for 'https://example.com': terminal prompts disabled",
    "git@example.com: Permission denied (publickey).",
    "npm error code ENEEDAUTH\nnpm error need auth This command requires you to be logged in",
    "npm ERR! 401 Unauthorized - GET https://registry.example.com/x",
    "✘ [ERROR] You are not authenticated. Please run `wrangler login`.",
    "In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN environment variable",
    'Unable to locate credentials. You can configure credentials by running "aws configure".',
    "Error: STRIPE_API_KEY is not set",
    "KeyError: missing DATABASE_PASSWORD",
    "Error: missing access token",
    "building\nPassword for deploy: ",
    "sudo: a terminal is required to read the password",
]
ITS_OWN = [
    "",
    "FAILED test_login.py::test_password_is_checked - assert 401 == 200",
    "expected status 403 Forbidden, got 200",
    "1 lint error in src/token.ts: unused variable 'accessToken'",
    "error TS2345: Argument of type 'Token' is not assignable",
    "docs/API_TOKEN.md: line too long",
    "password: must be at least 8 characters",
    "FAIL src/credentials.test.ts",
    "src/a.ts: 'API_TOKEN' is not defined  no-undef",
    "✖ rejects requests with no access token",
]


@pytest.mark.parametrize("output", WANTED)
def test_what_asks_for_a_credential_is_seen(output: str) -> None:
    assert wants_credential(f"deploying\n{output}\n")


@pytest.mark.parametrize("output", ITS_OWN)
def test_what_only_speaks_of_one_is_not(output: str) -> None:
    assert not wants_credential(f"checking\n{output}\n")


AWAY = {
    "npm": "npm ERR! code ENOTFOUND\nnpm ERR! network request to https://registry.npmjs.org/left-pad failed",
    "git": "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
    "git over ssh": "git@github.com: Permission denied (publickey).",
    "docker": 'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host',
}
OUTPUTS = sorted((Path(__file__).parents[1] / "examples" / "away").glob("*.txt"))
NEAR = [
    "FAIL test_network_is_down",
    "FAILED test_net.py::test_connection_refused - ConnectionRefusedError: [Errno 111] Connection refused",
    "AssertionError: 'Could not resolve host: a' != ''",
    "E       assert 'getaddrinfo ENOTFOUND a' in ''",
    "AssertionError: 'timeout' != 'refused'",
    "Error: network error",
    "--- FAIL: TestDial (0.00s)\n    dial_test.go:9: dial tcp 127.0.0.1:8080: connect: connection refused",
    "● asks again › when getaddrinfo EAI_AGAIN is thrown",
    "AppTest > throwsUnknownHostException FAILED",
    "curl: (7) Failed to connect to localhost port 8080: Connection refused",
    "urllib3.connection.HTTPConnection: Failed to establish a new connection: [Errno 111] Connection refused",
    "FetchError: request to http://localhost:3000/ failed, reason: connect ECONNREFUSED 127.0.0.1:3000",
    "error: failed to fetch the index page",
    "✖ works in offline mode",
    "error: 401 is not 403",
    "npm ERR! code 1",
]


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: path.stem)
def test_what_tools_print_without_a_network_is_seen(path: Path) -> None:
    assert was_out_of_reach(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("output", AWAY.values(), ids=AWAY)
def test_a_registry_or_a_network_that_was_away_is_seen(output: str) -> None:
    assert was_out_of_reach(f"building\n{output}\n")


@pytest.mark.parametrize("output", NEAR)
def test_a_failure_that_speaks_of_a_network_is_a_failure(output: str) -> None:
    assert not was_out_of_reach(output)
