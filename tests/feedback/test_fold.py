"""A prompt for agents that a text folds away is a line; all other lines stay as they are."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.feedback.text.flags import flags_of, fold_prompts
from feedback.scene import Scene
from feedback.texts import BODIES, PIECES, QUICKLY

LINE = re.compile(r"\[… a prompt for agents, [1-9][0-9]* lines?\]")
BEGIN, END = "<details>\n<summary>🤖 Prompt for AI Agents</summary>", "</details>"
PROMPT = f"{BEGIN}\n\n```\nIn @src/a.py around line 3, do\nthis.\n```\n\n{END}"

SUMMARIES = {
    "Prompt for AI agents": True, "🤖 Prompt for AI Agents": True, "Prompt for agents": True,
    "Prompt To Fix With AI": True, "Prompt To Fix All With AI": True, "AI agent prompt": True,
    "Agent Prompt": True,
    "<b>Prompt for AI Agent 🤖 </b>": True, "<code>Prompt for LLM</code>": True, "Fix with AI": True,
    "🤖 Fix all issues with AI agents": True, "Fix in Cursor": True, "Copy prompt for Claude Code": True,
    "🤖 Prompt for all review comments with AI agents": True, "ƒñû Prompt for AI Agents": True,
    "Prompt for AI agents (unresolved issues)": True,
    "The prompt for the password": False, "Fix with a lock": False, "Suggested fix": False,
    "Nitpick comments (3)": False,
    "How the agent reads what is said to it in a prompt": False, "": False,
}  # fmt: skip


@pytest.mark.parametrize("summary", SUMMARIES)
def test_the_summary_says_by_its_form_whether_a_prompt_is_folded_away(summary: str) -> None:
    text = f"<details><summary>{summary}</summary>\n\nDo this.\n</details>"
    assert fold_prompts(text) == ("[… a prompt for agents, 1 line]" if SUMMARIES[summary] else text)


FOLDS = {
    "a fence": (PROMPT, "[… a prompt for agents, 2 lines]"),
    "text": (f"{BEGIN}\nDo this.\n\nAnd that.\n{END}", "[… a prompt for agents, 2 lines]"),
    "a fence with text around it": (f"a\n{BEGIN}\nb\n```\nc\n```\nd\n{END} e\nf",
                                    "a\n[… a prompt for agents, 3 lines] e\nf"),
    "two": (f"a\n{PROMPT}\nb\n{PROMPT}",
            "a\n[… a prompt for agents, 2 lines]\nb\n[… a prompt for agents, 2 lines]"),
    "in a quote": ("> " + PROMPT.replace("\n", "\n> "), "> [… a prompt for agents, 2 lines]"),
    "in two quotes": (">> " + PROMPT.replace("\n", "\n>> "), ">> [… a prompt for agents, 2 lines]"),
    "in a list": ("- a\n\n  " + PROMPT.replace("\n", "\n  "), "- a\n\n  [… a prompt for agents, 2 lines]"),
    "in another block": (f"<details>\na\n\n{PROMPT}\nb\n</details>",
                         "<details>\na\n\n[… a prompt for agents, 2 lines]\nb\n</details>"),
    "with Windows line ends": (f"a\n{PROMPT}\nb".replace("\n", "\r\n"),
                               "a\r\n[… a prompt for agents, 2 lines]\r\nb"),
    "in a block that is not closed": (f"<details>a\n{PROMPT}\nb",
                                     "<details>a\n[… a prompt for agents, 2 lines]\nb"),
    "with code on its last line": (f"{BEGIN}\nRun `x`.{END}", "[… a prompt for agents, 1 line]"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), FOLDS.values(), ids=FOLDS)
def test_a_prompt_for_agents_becomes_a_line(text: str, shown: str) -> None:
    assert fold_prompts(text) == shown


STAYS = {
    "never closed": f"{BEGIN}\nDo this.\n\n**A finding**",
    "closed in its fence alone": f"{BEGIN}\n```\nx\n{END}\n\n**A finding**\n```\n",
    "its fence never closed": f"{BEGIN}\n```\nx\n{END}\n**A finding**",
    "its fence closed by that of a finding": f"{BEGIN}\n```\nx\n{END}\n**A finding**\n```\ny\n{END}",
    "its quote ends before it": f"> {BEGIN}\n**A finding**\n{END}".replace(">\n<s", ">\n> <s"),
    "its item ends before it": "- <details>\n  <summary>Prompt for AI</summary>\n- **A finding**\n  </details>",
    "it holds another block": f"{BEGIN}\n<details>\na\n</details>\n{END}",
    "in a fence": f"```html\n{PROMPT.replace('```', '~~~')}\n```",
    "in inline code": "Write `<details><summary>Prompt for AI</summary>x</details>`.",
    "closed in inline code": f"{BEGIN}\nEnd it with `{END}`\nx",
    "nothing in it": f"{BEGIN}\n\n{END}",
    "another block": "<details><summary>A finding</summary>\nThe prompt for AI agents is wrong.\n</details>",
    "no block": "Prompt for AI agents: do this.",
}  # fmt: skip


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS)
def test_what_is_not_surely_a_prompt_and_closed_stays(text: str) -> None:
    assert fold_prompts(text) == text


def test_of_a_prompt_around_another_the_inner_one_is_folded_and_no_more() -> None:
    once = fold_prompts(f"{BEGIN}\na\n{PROMPT}\n{END}")
    assert once == fold_prompts(once) == f"{BEGIN}\na\n[… a prompt for agents, 2 lines]\n{END}"


LINES = st.sampled_from(["", "a", "> a", "- a", "`a`", "## A", "**A** finding", "| a | b |", "1. a"])


@QUICKLY
@given(parts=st.lists(st.lists(LINES, max_size=3).map("\n".join) | st.just(PROMPT), max_size=8))
def test_all_lines_around_prompts_stay(parts: list[str]) -> None:
    shown = ["[… a prompt for agents, 2 lines]" if part == PROMPT else part for part in parts]
    assert fold_prompts("\n".join(parts)) == "\n".join(shown)


BLOCKS = st.sampled_from([BEGIN, END, PROMPT, f"\n{BEGIN}\n", f"\n{END}\n", "[… a prompt for agents,"])
ODD = st.lists(PIECES | BLOCKS, max_size=30).map("".join)


@QUICKLY
@given(text=ODD | BODIES)
def test_of_any_text_all_but_whole_blocks_stays_in_its_order(text: str) -> None:
    place, shown = 0, fold_prompts(text)
    first, *others = LINE.split(shown) if shown != text else [text]
    assert text.startswith(first)
    for other in (first, *others):
        assert other in text[place:]
        place = text.index(other, place) + len(other)
    assert text.endswith([first, *others][-1])


@QUICKLY
@given(text=ODD | BODIES)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold_prompts(fold_prompts(text)) == fold_prompts(text)


def test_flags_tell_of_a_folded_prompt_whether_it_is_shown_or_not() -> None:
    assert flags_of(PROMPT) == flags_of(fold_prompts(PROMPT)) == ("prompt for agents", "folded")


def test_a_resolver_reads_no_prompt_of_a_bots(here: Scene) -> None:
    thread = here.pull.thread("src/a.py", 3, by="alice", body=f"Rename this.\n\n{PROMPT}\n\nThanks!")
    here.fetch()
    said, data = here.show(thread.id), here.show(thread.id, "--json").json
    assert "│ Rename this.\n│\n│ [… a prompt for agents, 2 lines]\n│\n│ Thanks!\n└" in said.out
    assert "prompt for agents, folded" in said.out.splitlines()[1]
    assert "around line 3" not in said.out + data["items"][0]["comments"][0]["body"]
