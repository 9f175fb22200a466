"""What looks like a secret is noticed wherever it would leave; what only looks a little like one is not.

The secrets are put together here, so that nothing in this file looks like one.
"""

import base64
import random
import string
from pathlib import Path

import pytest
from hypothesis import example, given

from baton.artifacts.resolver_result import Result
from baton.feedback.text.outgoing import commit_message
from baton.secrets.scan import DIFF, Found, added, secrets_added, secrets_in
from bench import Bench
from feedback.texts import BODIES, QUICKLY

ROOT = Path(__file__).parents[2]
MARK = "<!-- baton:reply id=I verdict=fixed -->"
BASE62 = string.ascii_letters + string.digits
LOT = random.Random(7)


def drawn(length: int, letters: str = BASE62) -> str:
    """Draw letters by lot, the same ones each time."""
    return "".join(LOT.choices(letters, k=length))


def web_token(tail: str) -> str:
    head, body = (
        base64.urlsafe_b64encode(one).decode().rstrip("=") for one in (b'{"alg":"HS256"}', b'{"sub":"12"}')
    )
    return f"{head}.{body}.{tail}"


def pem(kind: str) -> str:
    return f"-----BEGIN {kind}-----\n{drawn(64)}\n{drawn(64)}\n-----END {kind}-----"


GITHUB = "ghp_" + drawn(36)
# What each kind looks like, and what looks almost like it.
KINDS = {
    "GitHub token": (GITHUB, "ghp_" + "a" * 36),
    "JSON web token": (web_token(drawn(43)), web_token("signature")),
    "private key": (pem("RSA " + "PRIVATE KEY"), pem("PUBLIC KEY")),
}


def result(reply: str) -> Result:
    return Result("fixed", "I", "review_thread", reply, ("a.py",), "", None)


def diff(text: str, sign: str = "+") -> str:
    lines = text.split("\n")
    size = f"-3,0 +3,{len(lines)}" if sign == "+" else f"-3,{len(lines)} +2,0"
    return "\n".join([f"--- a/a.py\n+++ b/a.py\n@@ {size} @@", *(sign + line for line in lines)]) + "\n"


each_kind = pytest.mark.parametrize(("secret", "near"), KINDS.values(), ids=KINDS)


@each_kind
def test_a_reply_with_a_secret_is_noticed(secret: str, near: str) -> None:
    assert secrets_in(f"Now it is {secret} and works")
    assert secrets_in(f"Now it is `{near}` and works") == []


@each_kind
def test_a_message_with_a_secret_is_noticed(secret: str, near: str) -> None:
    message = commit_message(7, [result("Renamed the helper.")])
    assert {one.line for one in secrets_in(message.replace("Renamed", f"Set {secret}"))} == {3}
    assert secrets_in(commit_message(7, [result(f"Set {near}")])) == []


@each_kind
def test_a_secret_in_an_added_line_is_noticed_with_its_file_and_line(secret: str, near: str) -> None:
    found = secrets_added(diff(f"one = 1\n{secret}\ntwo = 2"))
    assert {(one.path, one.line) for one in found} == {("a.py", 4)}
    assert secrets_added(diff(f"one = 1\n{near}\ntwo = 2")) == []


@each_kind
def test_a_line_that_is_taken_out_or_stays_is_no_matter(secret: str, near: str) -> None:
    assert secrets_added(diff(secret, "-")) == []
    assert secrets_added(diff(secret, " ").replace("+2,0", f"+3,{secret.count(chr(10)) + 1}")) == []


@each_kind
def test_the_secret_itself_is_never_told(secret: str, near: str) -> None:
    told = repr(secrets_in(secret, {"A_TOKEN": secret}))
    random_part = secret[-24:-4]
    assert random_part not in told


@pytest.mark.parametrize("text", [
    "fixed in " + drawn(40, "0123456789abcdef"), "sha256 " + drawn(64, "0123456789abcdef"),
    "id: 123e4567-e89b-12d3-a456-426614174000", "token: 123e4567-e89b-12d3-a456-426614174000",
    '"integrity": "sha512-' + drawn(86) + '=="', "h1:" + drawn(43) + "=",
    "token = getTokenForUserAccountById(name)",
    "token=self.request.headers", "api_key: ${API_KEY}", "SECRET=<your secret, 40 letters>",
    "PASSWORD=correct-horse-battery",
    "test_a_detached_head_is_refused_with_its_remedy_2", "data:image/png;base64," + base64.b64encode(
        bytes(LOT.randrange(256) for _ in range(3000))).decode(),
    "-----BEGIN PRIVATE " + "KEY-----\n…\n-----END", "https://user:secret@host/x", "https://host:8080/a@b",
    "COMMIT=" + drawn(40, "0123456789abcdef"), "key = PRRT_kwDOABCDEF", "Basic usage: https://x.y/z?page=2",
], ids=lambda text: text[:24])  # fmt: skip
def test_what_everybody_writes_is_no_secret(text: str) -> None:
    assert secrets_in(text) == []


HELD = drawn(40)


@pytest.mark.parametrize(("text", "times"), [
    (HELD, 1), (f"{HELD} {HELD}", 1), (f"{HELD}\n{HELD}", 2), (f"see({HELD[:-1]})", 0), (drawn(40), 0), ("", 0),
])  # fmt: skip
def test_a_value_of_the_environment_is_noticed(text: str, times: int) -> None:
    assert [one.kind for one in secrets_in(text, {"DEPLOY_TOKEN": HELD})] == ["value of the environment"] * times


@pytest.mark.parametrize(("name", "value"), [
    ("DATABASE_URL", f"postgres://app:{HELD}@db/x"), ("DB_PASS", HELD), ("NPM_CONFIG__AUTH", HELD),
    ("https_proxy", f"http://app:{HELD}@proxy:1"), ("A_DSN", HELD), ("SLACK_WEBHOOK", HELD),
])  # fmt: skip
def test_one_list_of_names_says_whose_values_are_looked_for(name: str, value: str) -> None:
    assert secrets_in(f"it is {HELD} now", {name: value})
    assert secrets_in(f"it is {HELD} now", {"EDITOR": HELD}) == []


@pytest.mark.parametrize(("name", "value", "noticed"), [
    ("MY_SECRET", "open sesame, please", False), ("MY_SECRET", "open-sesame-please", True),
    ("APP_PASSWORD", "correct horse-battery-staple", True), ("api_key", "k" * 11, False),
    ("API_KEY", "k" * 20, False),
    ("HOME", "/home/somebody/project", False), ("SSH_KEY", "/home/somebody/.ssh/id_ed25519", False),
    ("KEYBOARD", "de-latin1-nodeadkeys", False), ("GPG_KEY", drawn(40, "0123456789ABCDEF"), False),
    ("PUBLIC_KEY", drawn(40), False), ("SIGNING_KEY", "/" + drawn(20) + "/" + drawn(20), True),
    ("X_TOKEN", "short", False),
], ids=lambda one: str(one)[:20])  # fmt: skip
def test_a_variable_counts_by_its_name_and_length(name: str, value: str, noticed: bool) -> None:
    assert bool(secrets_in(f"see {value} there", {name: value})) is noticed


def test_all_of_this_project_holds_no_secret() -> None:
    files = [
        path for base in ("tests", "scripts", "skills", "agents", "commands") for path in (ROOT / base).rglob("*")
    ]
    texts = [
        path for path in files if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".png"
    ]
    assert len(texts) > 300
    assert [path for path in texts if secrets_in(path.read_bytes().decode("utf-8", "replace"))] == []


def test_a_file_whose_diffs_nobody_is_shown_is_read_too(bench: Bench) -> None:
    bench.write({".gitattributes": "*.min.js -diff\n", "a.min.js": f"one\ntwo = '{GITHUB}'\n"})
    bench.git("add", "--all")
    assert GITHUB not in bench.git("diff", "--cached")
    found = secrets_added(bench.git(*DIFF, "--cached", "HEAD", "--"))
    assert found == [Found("GitHub token", 2, "a.min.js")]


def test_a_hunk_ends_where_its_head_says() -> None:
    first = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ def\n-old\n+++ new\n same\n"
    second = "--- a/y\n+++ b/y\n@@ -0,0 +1 @@\n+one\n\\ No newline"
    assert added(first + second) == {"x": [(1, "++ new")], "y": [(1, "one")]}


@QUICKLY
@given(before=BODIES, after=BODIES)
@example(before="", after="")
def test_a_secret_is_noticed_in_any_text(before: str, after: str) -> None:
    assert "GitHub token" in {one.kind for one in secrets_in(f"{before} {GITHUB} {after}")}


@QUICKLY
@given(text=BODIES)
def test_any_text_is_read(text: str) -> None:
    assert all(
        0 < one.line <= text.count("\n") + text.count("\r") + 1 for one in secrets_in(text, {"A_KEY": HELD})
    )
