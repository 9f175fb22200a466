"""A command that lacks a credential is told from one that fails by itself."""

import pytest

from baton.checks.credentials import wants_credential

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
