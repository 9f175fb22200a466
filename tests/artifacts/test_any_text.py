"""Whatever is handed in, a parser gives a value or its own fault, and in reasonable time.

`BATON_EXAMPLES=4000` tries 100,000 texts, spread over the parsers, and others each time.
"""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.demanded import find_uncovered
from baton.artifacts.findings import faults
from baton.artifacts.kinds import KINDS, check_artifact, notes_on
from baton.artifacts.load_config import read_config
from baton.artifacts.metadata import check_metadata, normalized_metadata, read_metadata
from baton.artifacts.outline import plain_title, read_fences, read_sections, without_comments
from baton.artifacts.plan import block_reason, read_plan
from baton.artifacts.report import QA, normalized_report
from baton.artifacts.story_file import read_story
from baton.artifacts.strict_json import JsonFault, load_json
from baton.artifacts.strict_yaml import YamlFault, load_yaml, split_front_matter
from baton.errors import BatonError
from scale import QUICKLY

Parser = tuple[Callable[[str], object], tuple[type[Exception], ...]]
PARSERS: dict[str, Parser] = {
    "read_sections": (lambda text: [plain_title(section.title) for section in read_sections(text)], ()),
    "read_plan": (read_plan, ()),
    "block_reason": (block_reason, ()),
    "normalized_report": (lambda text: normalized_report(QA, text[:20_000]), (JsonFault, YamlFault)),
    "split_front_matter": (split_front_matter, (YamlFault,)),
    "read_story": (read_story, (YamlFault,)),
    "load_yaml": (lambda text: load_yaml(text[:20_000]), (YamlFault,)),
    "load_json": (load_json, (JsonFault,)),
    "read_config": (lambda text: read_config(text, "here"), (BatonError,)),
    "read_metadata": (lambda text: [] if faults(check_metadata(text, "m")) else read_metadata(text), ()),
    "normalized_metadata": (lambda text: normalized_metadata(text[:20_000]), (JsonFault, YamlFault)),
    "notes_on": (lambda text: notes_on("return-meta", text[:20_000]), ()),
    "read_fences": (read_fences, ()),
    "uncovered": (lambda text: find_uncovered(f"## Scenarios\n{text}", [text]), ()),
    "without_comments": (without_comments, ()),
    **{kind: (lambda text, kind=kind: check_artifact(kind, text, "path"), ()) for kind in KINDS},  # type: ignore[misc]
}
each_parser = pytest.mark.parametrize("name", PARSERS)

PIECES = st.sampled_from([
    "#", "## ", "### Phase 1: x ", "### Phase 1a.", "[", "]", "[DONE]", "(", ")", "```", "~~~", "`", "**", "_",
    "|", "- ",
    "1. ", "---\n", "verdict: ", "criteria:\n", "PASS", "FAIL", "  - id: AC1\n", "    evidence: |\n",
    "| AC1 | ",
    "changes_made:\n", "blocking_failures: ", "reason: ", "None", "{", "}", '"', "\\", ":", ": ", ",", "&a ",
    "*a ", "!!x ",
    "\n", "\n", "\n  ", "\t", " ", "9", "0", "-", ".", "e9", "id: 1\n", "title: x\n", "status: partial\n",
    '{"status": ',
    "artefact_type: memory-delta\n", "## Confirmed Entries\n", "## Phase Log\n", "Phases closed: ", "1/2",
    "`r1`: ",
    "## Next Step\n", "## Status\n", "**Next**", "COMPLETED", "The task is complete", "<!--", "-->",
    "metadata: ", "artifacts: ", "errors: ", "phases_total: ", "done", "../x", "[done]\n",
    '"partial"', "true", "null", "\\ud83c", "\u2028", "\x85", "\ufeff", "é", "Ⅷ", "²", "٤", "🎉", "\ud83c", "\0",
])  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=())) | st.lists(PIECES, max_size=30).map("".join)

LONG = 200_000
MANY_LINES = 20_000
UNITS = [
    "[", "]", "(", "[a", "[ ]", "#", "# ", "`", "~", "|", "| ", "*", "**", "_", "-", "- ", " ", "\t", "\n",
    "x", "1", "1.", "i", "\\", '"', '\\"', "{", "}", "<", ">", "PASS ", "PASS", "NOT ", "verdict ", "final ",
    "AC1", ": ", ", ", "é", "✅ ", "<!--", "<!-- -->", "task ", "all ", "phase ", "not ", "next step ",
    "completed ", "__", "**a** ", "1/", "of 1 ", "phase 1 is ",
    "```\n", "# a\n", "## Verdict\n", "## Phase 1\n", "| AC1 | PASS |\n", "- `a`\n", "---\n",
]  # fmt: skip
BEFORE = [
    "", "## x", "### Phase 1 ", "### Phase 1: [", "Verdict: PASS", "Verdict", "## Criteria\n\n| ",
    "## Criteria\n\n- 1",
    "## Status ", "**Next steps** ", "## Phase Log\n\n- `r1`: ", "Phases closed: ", "The task is ", "## Verdict (",
    "## Changes\n\n`", "## Blockers\n\n", "## Reason\n\n", "---\n", "---\na: ", '{"a": "', "**",
]  # fmt: skip


@each_parser
@QUICKLY
@given(text=TEXTS)
def test_any_text_gives_a_value_or_the_parsers_own_fault(name: str, text: str) -> None:
    parse, faults = PARSERS[name]
    said = ""
    try:
        parse(text)
    except faults as fault:
        said = str(fault)
    assert len(said.splitlines()) <= 1


@pytest.mark.sampled(8)
@each_parser
def test_a_long_run_of_anything_is_read_to_its_end(name: str) -> None:
    """Each parser meets each piece, repeated, behind one of the beginnings, with an end that fits nothing."""
    parse, faults = PARSERS[name]
    for number, unit in enumerate(UNITS):
        length = MANY_LINES if "\n" in unit else LONG
        for before in {"", BEFORE[number % len(BEFORE)]}:
            with suppress(*faults):
                parse(before + unit * (length // len(unit)) + "\x7f")
