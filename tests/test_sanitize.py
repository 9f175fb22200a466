"""What is posted or committed in the user's name does nothing: in GitHub's own Markdown, and as a message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acting import live
from baton.sanitize import SWITCHES, broken, sanitized
from feedback.texts import BODIES, QUICKLY

ACTING = st.sampled_from([
    "@octocat", "@org/team", "\\@octocat", "&commat;octocat", "&#64;octocat", "@\u200boctocat",
    "@dependabot merge", "#12", "fixes #5", "Closes: o/r#7", "\\#5", "&num;5", "GH-12", "gh\\-3", "o/r@1a2b3c4",
    "1a2b3c4d5e6f", "deadbee1", "resolves https://github.com/o/r/issues/3", "https://github.com/o/r/pull/3/files",
    "/issues\\/3", "www.x.y/", "/baton accept", "/lgtm", "/lgtm.", "!deploy", "bors r+", "atlantis apply",
    ".deploy", "#major", "fixes ENG-3",
    "[no:ci]", "Release-As: 9", "BREAKING CHANGE: x", "PROJ-1 #done", "recheck", "[skip ci]",
    "[ci-skip]", "[skipci]", "***NO_CI***", "skip-checks: true", "skip-checks:true", "Co-authored-by: A <a@b.c>",
    "[", "]", "skip", "ci", "no", "_", "-", "/", "`", "`", "``", "```", "\n```\n", "~~~", "\n", "\n", "\n\n",
    "\r\n", "\u2028", " ", " ", "|", "\n|-|-|\n", "> ", "- ", "1. ", "    ", "\\", "![a](b)", "](", "[a]: b",
    "<img src=x>", "<!-- baton:story 42 -->", "<", "http://x/`", "@", "#", "GH", "1", "a", "é", "\u202e",
    "\u200b", "\x00", "\x1b[0m", "\U000e0041", "\ud800", "*", "**", "&", ";",
])  # fmt: skip
HOSTILE = st.lists(ACTING, max_size=24).map("".join) | BODIES


@QUICKLY
@given(text=HOSTILE)
def test_nothing_acts_in_what_is_posted_or_committed(text: str) -> None:
    made = sanitized(text)
    assert live(made) == []
    assert sanitized(made) == made


@pytest.mark.parametrize("text", [
    "\\`fixes #5\\` \\`@octocat\\`", "```@org/team`", "`\n`@octocat` fixes #5", "| a |\n|-|\n| `a | @octocat` |",
    "&commat;octocat &num;5", "`closes #9`", "`[skip ci]`", "x ***NO_CI***", "\n\nskip-checks: true",
    "see 1a2b3c4d", "@\u200boctocat", "a\u202eb", "`/lgtm`\n/lgtm", "Co-authored-by: A <a@b.c>", "gh\\-12",
    "o/r@1a2b3c4", "/lgtm.", "/cc: x", "/test:unit", "atlantis apply", ".deploy", "ok to test", "test this please",
    "[skip ci: x]", "[skip:ci]", "request-checks: true", "Release-As: 9.0.0", "BREAKING CHANGE: all", "#major",
    "Fixes ENG-123", "PROJ-12 #done", "BEGIN_COMMIT_OVERRIDE\nfeat: x", "Depends-On: https://r/1",
])  # fmt: skip
def test_what_acted_as_it_was_written_does_not(text: str) -> None:
    assert live(text)
    assert live(sanitized(text)) == []


@pytest.mark.parametrize("text", [
    "Sub takes one from another, as `a[0]` does.", "me@example.com", "src/a.py (12 lines)", "a < b && c > d",
    "20251126 of 1048576 bytes", "https://docs.python.org/3/x.html#y", "- one\n- `two`", "C# and F#", "déjà 👩‍💻",
    "/usr/bin/env is used", "Bold! move", "a[skip]", "[no]", "[skip the ci]", "skip ci", "I skip-checks",
    "/etc/conf.d is read", ".gitignore has it", "ENG-123 is fixed", "atlantis.yaml", "try it",
])  # fmt: skip
def test_what_only_says_something_stays_as_it_is(text: str) -> None:
    assert sanitized(text) == text


@pytest.mark.parametrize("words", [
    "[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]", "[Skip CI]", "[ci-skip]", "`[no ci]`",
])  # fmt: skip
def test_a_switch_of_ci_stays_readable(words: str) -> None:
    assert broken(f"Drop {words}", SWITCHES) == f"Drop {words}".translate({ord("["): "(", ord("]"): ")"})


def test_a_long_text_takes_no_longer_than_its_length_asks_for() -> None:
    for piece in ("`", "[", "@", "a-", " \n", "[skip ", "1a", "&a", "<"):
        assert sanitized(piece * 20_000) is not None
