"""Which variables hold a credential: by name, by value, and what of a value is looked for."""

import pytest

from baton.secrets.names import given_settings, secret_values, without_credentials

RANDOM = "k7Qz" + "93mXv2Lp0sWd"


@pytest.mark.parametrize("name", [
    "GITHUB_TOKEN", "my_secret", "ANTHROPIC_API_KEY", "APIKEY", "DB_PASS", "DB_PASSWORD", "MYSQL_PWD",
    "PGPASSFILE", "KEY_PASSPHRASE", "GOOGLE_APPLICATION_CREDENTIALS", "SENTRY_DSN",
    "AZURE_STORAGE_CONNECTION_STRING",
    "SLACK_WEBHOOK_URL", "BEARER", "SESSION", "BW_SESSION", "NPM_CONFIG__AUTH", "npm_config__auth", "AUTH",
    "AUTHORIZATION", "SSH_AUTH_SOCK", "GIT_ASKPASS", "AWS_ACCESS_KEY_ID", "SIGNING_KEY", "GH_PAT", "MY_JWT",
    "GIT_CONFIG_VALUE_0", "VSCODE_GIT_IPC_HANDLE", "AZURE_SAS", "SESSION_COOKIE",
])  # fmt: skip
def test_a_credential_is_known_by_its_name(name: str) -> None:
    assert without_credentials({name: "set", "PATH": "/bin"}) == {"PATH": "/bin"}


@pytest.mark.parametrize("name", [
    "PATH", "HOME", "PWD", "OLDPWD", "KEYBOARD", "GIT_AUTHOR_NAME", "GIT_CONFIG_GLOBAL", "XAUTHORITY", "MONKEYS",
    "DESKTOP_SESSION", "XDG_SESSION_TYPE", "TOKENIZERS_PARALLELISM", "COMPASS", "BYPASS_CACHE", "PATTERN",
    "SASS_PATH", "DBUS_SESSION_BUS_ADDRESS", "EDITOR",
])  # fmt: skip
def test_other_variables_stay(name: str) -> None:
    assert without_credentials({name: "set"}) == {name: "set"}


@pytest.mark.parametrize(("value", "stays"), [
    ("postgres://u:pw@h/d", False), ("postgres://h/d", True), ("postgres://app:app@localhost/d", True),
    ("postgres://app:$PASSWORD@h/d", True), ("http://u:p@proxy:3128", False), ("u:p@proxy:3128", False),
    ("http://proxy:3128", True), ("git@host:a/b.git", True), ("https://" + RANDOM + "x9Z1@host/", False),
    ("host=h password=hunter22 dbname=d", False), ("host=h dbname=d", True), ("-Xmx2g -Da.b=c", True),
    ("Endpoint=sb://a/;SharedAccessKeyName=b;SharedAccessKey=" + RANDOM, False), ("ghp_" + RANDOM * 2, False),
    ("unix:path=/run/user/1000/bus", True), (r"\u@\h:\w", True),
], ids=lambda one: str(one)[:24])  # fmt: skip
def test_a_credential_is_known_by_its_value_whatever_its_name(value: str, stays: bool) -> None:
    assert bool(without_credentials({"SERVICE_ADDRESS": value})) is stays


@pytest.mark.parametrize(("name", "value", "told"), [
    ("DATABASE_URL", f"postgres://app:{RANDOM}@h/d", {RANDOM}), ("DATABASE_URL", "postgres://u:pw@h/d", set()),
    ("DATABASE_URL", "postgres://app:" + "aB3%2FdE6gH9@h/d", {"aB3%2FdE6gH9", "aB3/dE6gH9"}),
    ("DB_PASS", RANDOM, {RANDOM}), ("DB_PASS", "hunter22", {"hunter22"}), ("DB_PASS", "postgres", set()),
    ("NPM_CONFIG__AUTH", RANDOM, {RANDOM}), ("AWS_ACCESS_KEY_ID", RANDOM, set()), ("PLAIN", RANDOM, set()),
    ("A_CONNECTION_STRING", f"Endpoint=sb://a/;SharedAccessKey={RANDOM}", {RANDOM}),
    ("KEYS", f"{RANDOM} /home/a/.ssh/id_rsa", {RANDOM}), ("PUBLIC_KEY", RANDOM, set()),
    ("SSH_AUTH_SOCK", "/tmp/ssh-XkQ3zR9vT1aB/agent.42", set()),
], ids=lambda one: str(one)[:24] if isinstance(one, str) else str(len(one)))  # fmt: skip
def test_of_a_value_only_what_is_secret_is_looked_for(name: str, value: str, told: set[str]) -> None:
    assert set(secret_values({name: value})) == told


def test_of_settings_given_to_git_those_with_a_token_are_emptied() -> None:
    given = {
        "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Ada",
        "GIT_CONFIG_KEY_1": "http.https://github.com/.extraheader", "GIT_CONFIG_VALUE_1": f"Basic {RANDOM}",
        "GIT_CONFIG_PARAMETERS": "'a.b'='c'",
    }  # fmt: skip
    assert given_settings(given) == {
        "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Ada",
        "GIT_CONFIG_KEY_1": "baton.withheld", "GIT_CONFIG_VALUE_1": "",
    }  # fmt: skip
