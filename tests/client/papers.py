"""What the agents of the client's tests write: artifacts good and bad, and code."""

from __future__ import annotations

SUBTRACT, SHOW = "Phase 1: Subtract", "Phase 2: Show it"
PLAN = """# Execution plan

## Implementation Sequence

### Phase 1: Subtract [NOT STARTED]

`calc.py`: a function `sub`.

### Phase 2: Show it [NOT STARTED]

`test_calc.py`: a test of it.

## Edge Cases

Negative results.

## Test Checkpoints

`python3 -m unittest -q` passes.

## Risk Register

None worth naming.
"""
RISKLESS = PLAN.replace("## Risk Register", "## Risks nobody asked for")
REPORT = """# Implementation report

## Changes Made

- `calc.py`: `sub`
- `test_calc.py`: shows it

## Criteria Mapping

- AC1: `test_calc.py`

## Rules Applied

- standard library only
"""
FAIL = """# QA report

Verdict: FAIL

## Reason

`sub` has no docstring.

## Acceptance Criteria

| Criterion | Result | How it was seen |
|---|---|---|
| AC1 | FAIL | read `calc.py` |
"""
SHORT = REPORT.split("## Rules Applied")[0]
HANDOFF = "## Immediate Next Action\n\nPhase 2.\n\n## Current State\n\n`sub` is there."
SUB = "\n\ndef sub(a, b):\n    return a - b\n"
PASS = FAIL.replace("FAIL", "PASS").replace("`sub` has no docstring.", "`python3 -m unittest -q` passes.")
TEST = "import unittest\n\nimport calc\n\n\nclass Sub(unittest.TestCase):\n    def test_sub(self):\n"
TEST += "        self.assertEqual(calc.sub(3, 5), -2)\n"
FOREIGN = "\n\ndef mul(a, b):\n    return a * b\n"
UNPROVED = PASS.split("| AC1 |")[0]
CHANGES = "\n## Changes Made\n\n- `calc.py`: `sub`\n- `test_calc.py`: shows it\n"
DELIVERED = PASS.replace("# QA report", "# Micro delivery report") + CHANGES
LARGER = FAIL.replace("# QA report", "# Micro delivery report").replace("Verdict: FAIL", "Verdict: ESCALATE")
LARGER = LARGER.replace("`sub` has no docstring.", "how to show it has to be planned.")
BLOCKED = "# Plan blocked\n\n## Reason\n\nNobody says whether a result may be negative.\n"
# Passes only where the user's file lies that git ignores.
UNCLEAN = f"{TEST}        with open('my.env') as own:\n            self.assertIn('KEY', own.read())\n"
ADD_TEST = TEST.replace("Sub", "Add").replace("test_sub", "test_add").replace("sub(3, 5), -2", "add(3, 5), 8")
# What the tests need is out of reach once if somebody says so, and for what is about to be merged.
CHECK = """if ls specs/*/*.completion-report.md > /dev/null 2>&1 && rm "$HOME/down" 2> /dev/null; then
  echo 'FAIL: no answer from the test server'
  exit 1
fi
python3 -m unittest -q
"""
