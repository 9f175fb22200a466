"""Tokens are known by their shape; each beside what looks almost like it.

The secrets are put together here, so that nothing in this file looks like one.
"""

import random
import string

import pytest

from baton.secrets.shapes import SHAPES, TOKENS, shapes_in

BASE62 = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
RANDOM = random.Random(11)


def drawn(length: int, letters: str = BASE62) -> str:
    """Draw letters at random, the same ones each time."""
    return "".join(RANDOM.choices(letters, k=length))


def kinds(text: str) -> set[str]:
    return {kind for kind, _ in shapes_in(text)}


STARTS = [(row[0], start) for row in TOKENS for start in row[1].split()]


@pytest.mark.parametrize(("kind", "start"), STARTS, ids=[start for _, start in STARTS])
def test_a_token_is_known_by_how_it_begins(kind: str, start: str) -> None:
    # Hexadecimal with capitals and digits is within every alphabet of the table.
    fewest = next(row[3] for row in TOKENS if start in row[1].split())
    letters = HEX.upper() if kind in ("age key", "Dynatrace token") else HEX
    assert kind in kinds(f"set it to {start}{drawn(fewest + 10, letters)}")
    assert kinds(f"set it to {start}{drawn(fewest - 8, letters)}") == set()
    assert kinds(f"set it to {start}{'x' * fewest}") == set()


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
    examples = {row[0] for row in TOKENS} | {kind.partition(",")[0] for kind in WRITTEN}
    assert {shape.kind for shape in SHAPES} == examples


def test_a_token_is_found_where_it_begins() -> None:
    assert [start for _, start in shapes_in("see ghp_" + drawn(36))] == [4]
