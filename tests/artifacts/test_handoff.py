"""A handoff says what comes next and where the work stands, in whatever words; its length only warns."""

import pytest

from baton.artifacts.handoff import check_handoff

NEXT = "## Next Step\n\nPaint the page.\n\n"
STATE = "## Status\n\nPhase 1 is done.\n\n"


def rules(text: str) -> list[str]:
    return [one.rule.partition("/")[2] for one in check_handoff(text, "handoff.md")]


@pytest.mark.parametrize("title", [
    "## Immediate Next Action", "### NEXT ACTIONS", "#### 3. ➡️ Next Phase (3 of 5)", "## Next steps for phase 2",
    "## Recommended Next Step", "## Recommended approach", "## Recommendations", "## Resume", "## How to resume",
    "## Resume Instructions", "## What's Next", "## What comes next?", "**Next step:**",
    "- **Next steps** (short):", "2. __Resume here__", "> **Next Phase**", "## Next Action\n\n## Next Steps\n",
])  # fmt: skip
def test_the_next_action_is_named_in_many_words(title: str) -> None:
    assert rules(f"{STATE}{title}\nPaint the page.\n") == []


@pytest.mark.parametrize("title", [
    "# Next Step", "##### Next Step", "Next Step", "## Next Actions Considered", "## Nextcloud", "## Steps",
    "Do the **next step**",
])  # fmt: skip
def test_a_title_that_only_resembles_next_actions_does_not_count(title: str) -> None:
    assert rules(f"{STATE}{title}\nPaint the page.\n") == ["section-missing"]


@pytest.mark.parametrize("title", [
    "## Current State", "## STATUS", "### What Was Done", "#### ✅ Completed", "## Summary (2 phases)",
    "## Progress", "## Current status of phase 2", "## Work Completed", "## Completed Phases",
    "## What was done in phase 2",
    "## Where things stand", "## Phase 2 Summary", "**Status:**", "- **Done so far**",
])  # fmt: skip
def test_the_current_state_is_named_in_many_words(title: str) -> None:
    assert rules(f"{NEXT}{title}\nPhase 1 works.\n") == []


@pytest.mark.parametrize("title", ["## Statusquo", "## Done with it", "## State machine"])
def test_text_under_another_title_is_taken_for_the_state_with_a_warning(title: str) -> None:
    [finding] = check_handoff(f"{NEXT}{title}\nPhase 1 works.\n", "a.md")
    assert (finding.rule, finding.severity) == ("handoff/state-unnamed", "warning")


@pytest.mark.parametrize("more", ["", "## Later\n", "<!-- the state -->\n", "```\n## Status\n"])
def test_a_next_step_alone_is_no_state(more: str) -> None:
    assert rules(f"{NEXT}{more}") == ["section-missing"]


@pytest.mark.parametrize("text", ["", "None.", "<!-- what to do first -->", "n/a"])
def test_a_heading_with_nothing_under_it_says_nothing(text: str) -> None:
    assert rules(f"{STATE}## Next Step\n\n{text}\n") == ["section-empty"]
    assert rules(f"{NEXT}## Current State\n\n{text}\n") == ["section-empty"]


@pytest.mark.parametrize(("said", "expected"), [
    ("Phase 2: COMPLETED", ["no-next-phase"]),
    ("**Status**: [COMPLETED]", ["no-next-phase"]),
    ("Phase 2 is not completed", ["section-missing"]),
    ("Phase 2: COMPLETED. The task is complete.", []),
    ("Phase 4: COMPLETED\n\nAll phases are complete.", []),
    ("Phase 4: COMPLETED\n\n**Story**: DONE", []),
    ("Phase 4: COMPLETED, nothing is left", []),
    ("Phase 4: COMPLETED\n\nThe task is not complete.", ["no-next-phase"]),
    ("Phase 4: COMPLETED\n\nThe task is almost done, and when the task is complete, rest.", ["no-next-phase"]),
    ("Phase 4: COMPLETED\n\nTask 4 of the plan", ["no-next-phase"]),
    ("The story is complete.", []),
])  # fmt: skip
def test_no_next_phase_is_needed_only_when_the_task_is_complete(said: str, expected: list[str]) -> None:
    assert rules(f"## Summary\n\n{said}\n") == expected


@pytest.mark.parametrize(("lines", "expected"), [
    (40, []), (41, ["long"]), (250, ["long"]), (251, ["very-long"]), (20_000, ["very-long"]),
])  # fmt: skip
def test_a_long_handoff_is_warned_of_and_never_rejected(lines: int, expected: list[str]) -> None:
    text = NEXT + STATE + "x\n" * (lines - 8)
    assert text.count("\n") == lines
    findings = check_handoff(text, "handoff.md")
    assert [(finding.rule, finding.severity) for finding in findings] == [
        (f"handoff/{rule}", "warning") for rule in expected
    ]
