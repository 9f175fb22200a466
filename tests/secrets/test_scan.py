"""What looks like a secret is noticed wherever it would leave; what only looks a little like one is not.

The secrets are put together here, so that nothing in this file looks like one.
"""

import base64
import random
import string
from pathlib import Path

import pytest
from hypothesis import example, given

from baton.artifacts.resolver_result import ItemResult
from baton.feedback.text.outgoing import round_message
from baton.secrets.scan import DIFF, FoundSecret, added_lines, secrets_added, secrets_in
from baton.secrets.shapes import SHAPES, TOKENS, shapes_in
from bench import Bench
from feedback.texts import BODIES, QUICKLY

ROOT = Path(__file__).parents[2]
BASE62 = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
RANDOM = random.Random(11)


def drawn(length: int, letters: str = BASE62) -> str:
    """Draw letters at random, the same ones each time."""
    return "".join(RANDOM.choices(letters, k=length))


def kinds(text: str) -> set[str]:
    return {kind for kind, _ in shapes_in(text)}


# What a token looks like


STARTS = [(row[0], start) for row in TOKENS for start in row[1].split()]


@pytest.mark.parametrize(("kind", "start"), STARTS, ids=[start for _, start in STARTS])
def test_a_token_is_known_by_how_it_begins(kind: str, start: str) -> None:
    # Hexadecimal with capitals and digits is within every alphabet of the table.
    fewest = next(row[3] for row in TOKENS if start in row[1].split())
    letters = HEX.upper() if kind in ("age key", "Dynatrace token") else HEX
    assert kind in kinds(f"set it to {start}{drawn(fewest + 10, letters)}")
    assert kinds(f"set it to {start}{drawn(fewest - 8, letters)}") == set()
    assert kinds(f"set it to {start}{'x' * fewest}") == set()


# Made-up tokens of each kind, as the page beside its row in `secrets/shapes.py` has them. Nothing of them is taken
# from the table, so that a wrong row shows; they are in parts, so that no scanner takes one for real.
MADE_UP = (
    ("GitHub token", "gh" + "p_MadeUp4Tests9MadeUp4Tests9MadeUp4Tes"),
    ("GitHub token", "githu" + "b_pat_"
     "MadeUp4Tests9MadeUp4Te_MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4"),
    ("GitLab token", "glp" + "at-MadeUp4Tests9MadeUp4"),
    ("Bitbucket or Atlassian token", "AT" + "BBMadeUp4Tests9MadeUp4Tests9MadeUp"),
    ("Bitbucket or Atlassian token", "ATA" + "TT3" + "MadeUp4Tests9" * 14 + "Made"),
    ("Anthropic key", "sk-ant" + "-api03-" + "MadeUp4Tests9" * 7 + "MaAA"),
    ("Groq key", "gs" + "k_MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9"),
    ("Hugging Face token", "h" + "f_MadeUpForTestsMadeUpForTestsMadeUp"),
    ("Perplexity key", "pp" + "lx-MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Te"),
    ("Replicate token", "r" + "8_MadeUp4Tests9MadeUp4Tests9MadeUp4Test"),
    ("xAI key", "xa" + "i-MadeUp4Tests9MadeUp4Tests9MadeUp4_ests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9Ma"),
    ("Google key", "AI" + "zaMadeUp4Tests9MadeUp4Tests9MadeUp4Te"),
    ("Google token", "GOC" + "SPX-MadeUp4Tests9MadeUp4Tests9Ma"),
    ("Google token", "ya" + "29.MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4T"),
    ("Databricks token", "da" + "pi0badcafe5eed0badcafe5eed0badcafe"),
    ("DigitalOcean token", "dop" + "_v1_0badcafe5eed0badcafe5eed0badcafe5eed0badcafe5eed0badcafe5eed0bad"),
    ("Docker token", "dckr" + "_pat_MadeUp4Tests9MadeUp4Tests9M"),
    ("Shopify token", "shp" + "at_0badcafe5eed0badcafe5eed0badcafe"),
    ("Stripe key", "sk_l" + "ive_MadeUp4Tests9MadeUp4Test"),
    ("Square token", "sq0" + "atp-MadeUp4Tests9MadeUp4Te"),
    ("Square token", "sq0" + "csp-MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9Made"),
    ("SendGrid key", "S" + "G.MadeUp4Tests9MadeUp4Te.MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9Made"),
    ("Brevo key", "xkey" + "sib-"
     "0badcafe5eed0badcafe5eed0badcafe5eed0badcafe5eed0badcafe5eed0bad-MadeUp4Tests9Mad"),
    ("Slack token", "xo" + "xb-1234509876-1234509876-MadeUp4Tests9MadeUp4Test"),
    ("Vault token", "hv" + "s." + "MadeUp4Tests9" * 7 + "Made"),
    ("Terraform token", "MadeUp4Tests9M.atla" + "sv1."
     "MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9Ma"),
    ("Pulumi token", "pu" + "l-0badcafe5eed0badcafe5eed0badcafe5eed0bad"),
    ("Linear key", "lin_" + "api_MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9M"),
    ("Notion token", "nt" + "n_90817263540MadeUp4Tests9MadeUp4Tests9MadeUp4Te"),
    ("Figma token", "fi" + "gd_MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9M"),
    ("Postman key", "PM" + "AK-0badcafe5eed0badcafe5eed-0badcafe5eed0badcafe5eed0badcafe5e"),
    ("New Relic key", "NR" + "AK-MADEUP4TESTS9MADEUP4TESTS9M"),
    ("Grafana token", "gl" + "sa_MadeUp4Tests9MadeUp4Tests9MadeUp_0badcafe"),
    ("Sentry token", "snt" + "ryu_0badcafe5eed0badcafe5eed0badcafe5eed0badcafe5eed0badcafe5eed0bad"),
    ("Sonar token", "sq" + "u_0badcafe5eed0badcafe5eed0badcafe5eed0bad"),
    ("Doppler token", "dp." + "pt.MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9Made"),
    ("1Password token", "ops" + "_eyJ" + "MadeUp4Tests9" * 20),
    ("Fly.io token", "fo" + "1_MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9Made"),
    ("Heroku key", "HRK" + "U-AAMadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp"),
    ("PlanetScale token", "pscal" + "e_tkn_MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9Made"),
    ("Supabase key", "sb" + "p_0badcafe5eed0badcafe5eed0badcafe5eed0bad"),
    ("Supabase key", "sb_se" + "cret_MadeUp4Tests9MadeUp4Tests9MadeU"),
    ("Tailscale key", "tsk" + "ey-auth-MadeUp4Tests9Made-MadeUp4Tests9MadeUp4Tests9MadeUp"),
    ("Dynatrace token", "dt0" + "c01."
     "MADEUP4TESTS9MADEUP4TEST.MADEUP4TESTS9MADEUP4TESTS9MADEUP4TESTS9MADEUP4TESTS9MADEUP4TESTS"),
    ("Alibaba key id", "LT" + "AIMadeUp4Tests9MadeUp4"),
    ("npm token", "np" + "m_MadeUp4Tests9MadeUp4Tests9MadeUp4Tes"),
    ("RubyGems key", "ruby" + "gems_0badcafe5eed0badcafe5eed0badcafe5eed0badcafe5eed"),
    ("NuGet key", "o" + "y2madeup4tests9madeup4tests9madeup4tests9made"),
    ("Artifactory key", "AK" + "CpMadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9Made"),
    ("Artifactory key", "cmVm" + "dGtuMadeUp4Tests9MadeUp4Tests9MadeUp4Tests9MadeUp4Tests9Made"),
    ("age key", "AGE-SECR" + "ET-KEY-1QPZRY9X8GF2TQPZRY9X8GF2TQPZRY9X8GF2TQPZRY9X8GF2TQPZRY9X8GF"),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "secret"), MADE_UP, ids=[kind for kind, _ in MADE_UP])
def test_a_token_is_known_in_the_form_its_vendor_gives_it(kind: str, secret: str) -> None:
    assert kind in kinds(f"set it to {secret} now")


WRITTEN = {
    "OpenAI key": ("sk-proj-" + drawn(48), "task-runner-for-a-rather-long-list-of-things"),
    "PyPI token": ("pypi-" + "AgEIcHlwaS5vcmc" + drawn(60), "pypi-publish-to-the-index-with-a-trusted-publisher"),
    "AWS key id": ("AKIA" + drawn(16, string.ascii_uppercase + "234567"), "AKIA" + "IOSFODNN7EXAMPLE"),
    "AWS key id, of a session": ("ASIA" + drawn(16, string.ascii_uppercase + "234567"), "ASIA" + "A" * 16),
    "Azure secret": ("aB1" + "8Q~" + drawn(34), "a question, 8Q~ or so"),
    "Azure key": ("AccountName=a;AccountKey=" + drawn(86) + "==;", "AccountName=a;AccountKey=<your key>;"),
    "Azure key, shared": ("https://a/b?sv=1&sig=" + drawn(43) + "%3D", "https://a/b?sv=1&sig=yes"),
    "Discord token": (f"MTk4{drawn(20)}.{drawn(6)}.{drawn(38)}",
                      "MyClassWithARatherLongName.method.another_method"),
    "Telegram token": (drawn(10, "123456789") + ":AA" + drawn(33), "at 1234567890:" + "a" * 35),
    "Twilio key": ("SK" + drawn(32, HEX), "SK" + "a" * 32),
    "Mailchimp key": (drawn(32, HEX) + "-us12", drawn(32, HEX) + "-usual"),
    "Mailgun key": ("key-" + drawn(32, HEX), "key-" + "value-store-of-the-whole-team-0"),
    "Mapbox token": ("sk.eyJ" + drawn(60) + "." + drawn(22), "task.eyJson.parse"),
    "webhook": ("https://hooks.slack.com/services/T" + drawn(9) + "/B" + drawn(9) + "/" + drawn(24),
                "https://hooks.slack.com/services/T000/B000/XXXX"),
    "webhook, Discord": ("https://discord.com/api/webhooks/" + drawn(18, string.digits) + "/" + drawn(68),
                         "https://discord.com/api/webhooks/123456/token"),
    "webhook, Teams": ("https://a.webhook.office.com/webhookb2/" + drawn(80), "https://a.webhook.office.com/webhookb2/"),
    "bearer token": ("Authorization: Bearer " + drawn(40), "Authorization: Bearer <token>"),
    "cookie": ("Cookie: id=" + drawn(32), "Cookie: theme=dark-with-a-long-name"),
    "JSON web token": (f"eyJ{drawn(20)}.eyJ{drawn(20)}.{drawn(43)}", f"eyJ{drawn(20)}.eyJ{drawn(20)}.signature"),
    "private key": ("-----BEGIN RSA " + f"PRIVATE KEY-----\n{drawn(64)}",
                    f"-----BEGIN PUBLIC KEY-----\n{drawn(64)}"),
    "private key, PuTTY": (f"Private-Lines: 8\n{drawn(64)}", f"Public-Lines: 8\n{drawn(64)}"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_token_is_known_by_how_it_is_written(kind: str) -> None:
    secret, near = WRITTEN[kind]
    assert kind.partition(",")[0] in kinds(f"it is {secret} now")
    assert kinds(f"it is {near} now") == set()


def test_every_shape_has_an_example() -> None:
    examples = {kind for kind, _ in MADE_UP} | {kind.partition(",")[0] for kind in WRITTEN}
    assert {shape.kind for shape in SHAPES} == examples


def test_no_mark_keeps_its_own_shape_from_being_looked_for() -> None:
    assert [shape.kind for shape in SHAPES for mark in shape.marks if mark != mark.lower()] == []


def test_a_token_is_found_where_it_begins() -> None:
    assert [start for _, start in shapes_in("see ghp_" + drawn(36))] == [4]


# Where it stands

GITHUB = "ghp_" + drawn(36)
KINDS = {kind: WRITTEN[kind] for kind in ("JSON web token", "private key")}
KINDS["GitHub token"] = (GITHUB, "ghp_" + "a" * 36)


def result(change: str) -> ItemResult:
    return ItemResult("fixed", "I", "Done.", ("a.py",), "", None, change)


def diff(text: str, sign: str = "+") -> str:
    lines = text.split("\n")
    size = f"-3,0 +3,{len(lines)}" if sign == "+" else f"-3,{len(lines)} +2,0"
    return "\n".join([f"--- a/a.py\n+++ b/a.py\n@@ {size} @@", *(sign + line for line in lines)]) + "\n"


@pytest.mark.parametrize(("secret", "near"), KINDS.values(), ids=KINDS)
def test_a_secret_is_noticed_wherever_it_would_leave(secret: str, near: str) -> None:
    assert secrets_in(f"Now it is {secret} and works")
    assert secrets_in(f"Now it is `{near}` and works") == []
    message = round_message(7, [result("Renamed the helper."), result("Split it.")])
    assert {found.line for found in secrets_in(message.replace("Renamed", f"Set {secret}"))} == {3}
    assert secrets_in(round_message(7, [result(f"Set {near}")])) == []
    assert {(found.path, found.line) for found in secrets_added(diff(f"one = 1\n{secret}\n"))} == {("a.py", 4)}
    assert secrets_added(diff(f"one = 1\n{near}\ntwo = 2")) == []


@pytest.mark.parametrize(("secret", "near"), KINDS.values(), ids=KINDS)
def test_a_secret_that_was_there_is_no_matter_and_none_is_told(secret: str, near: str) -> None:
    assert secrets_added(diff(secret, "-")) == []
    assert secrets_added(diff(secret, " ").replace("+2,0", f"+3,{secret.count(chr(10)) + 1}")) == []
    assert secret[-24:-4] not in repr(secrets_in(secret, {"A_TOKEN": secret}))


@pytest.mark.parametrize("text", [
    "fixed in " + drawn(40, HEX), "sha256 " + drawn(64, HEX),
    "id: 123e4567-e89b-12d3-a456-426614174000", "token: 123e4567-e89b-12d3-a456-426614174000",
    '"integrity": "sha512-' + drawn(86) + '=="', "h1:" + drawn(43) + "=",
    "token = getTokenForUserAccountById(name)",
    "token=self.request.headers", "api_key: ${API_KEY}", "SECRET=<your secret, 40 letters>",
    "PASSWORD=correct-horse-battery",
    "test_a_detached_head_is_refused_with_its_remedy_2", "data:image/png;base64," + base64.b64encode(
        bytes(RANDOM.randrange(256) for _ in range(3000))).decode(),
    "-----BEGIN PRIVATE " + "KEY-----\n…\n-----END", "https://user:secret@host/x", "https://host:8080/a@b",
    "COMMIT=" + drawn(40, HEX), "key = PRRT_kwDOABCDEF", "Basic usage: https://x.y/z?page=2",
], ids=lambda text: text[:24])  # fmt: skip
def test_what_everybody_writes_is_no_secret(text: str) -> None:
    assert secrets_in(text) == []


HELD = drawn(40)


@pytest.mark.parametrize(("text", "times"), [
    (HELD, 1), (f"{HELD} {HELD}", 1), (f"{HELD}\n{HELD}", 2), (f"see({HELD[:-1]})", 0), (drawn(40), 0), ("", 0),
])  # fmt: skip
def test_a_value_of_the_environment_is_noticed(text: str, times: int) -> None:
    assert [secret.kind for secret in secrets_in(text, {"DEPLOY_TOKEN": HELD})] == [
        "value of the environment"
    ] * times


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
    ("KEYBOARD", "de-latin1-nodeadkeys", False), ("GPG_KEY", drawn(40, HEX.upper()), False),
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
    assert found == [FoundSecret("GitHub token", 2, "a.min.js")]


def test_a_hunk_ends_where_its_head_says() -> None:
    first = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ def\n-old\n+++ new\n same\n"
    second = "--- a/y\n+++ b/y\n@@ -0,0 +1 @@\n+one\n\\ No newline"
    assert added_lines(first + second) == {"x": [(1, "++ new")], "y": [(1, "one")]}


@QUICKLY
@given(before=BODIES, after=BODIES)
@example(before="", after="")
def test_a_secret_is_noticed_in_any_text(before: str, after: str) -> None:
    assert "GitHub token" in {secret.kind for secret in secrets_in(f"{before} {GITHUB} {after}")}


@QUICKLY
@given(text=BODIES)
def test_any_text_is_read(text: str) -> None:
    assert all(
        0 < secret.line <= text.count("\n") + text.count("\r") + 1 for secret in secrets_in(text, {"A_KEY": HELD})
    )
