"""What the agents of the client's tests write: artifacts good and bad, and code."""

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
RISKLESS = PLAN.replace("## Risk Register", "## Nobody asked for risks")
MAPPING = """\
criteria_mapping:
  - id: AC1
    where: `test_calc.py`
"""
CHANGES = """\
changes_made:
  - file: calc.py
    what: `sub`
  - file: test_calc.py
    what: shows it
blocking_failures: []
"""
REPORT = f"{CHANGES}{MAPPING}rules_applied:\n  - standard library only\n"
FAIL = """\
verdict: FAIL
reason: `sub` has no docstring.
criteria:
  - id: AC1
    result: FAIL
    evidence: read `calc.py`
"""
SHORT = REPORT.split("rules_applied")[0]
HANDOFF = "## Immediate Next Action\n\nPhase 2.\n\n## Current State\n\n`sub` is there."
SUB = "\n\ndef sub(a, b):\n    return a - b\n"
PASS = FAIL.replace("FAIL", "PASS").replace("`sub` has no docstring.", "`python3 -m unittest -q` passes.")
TEST = "import unittest\n\nimport calc\n\n\nclass Sub(unittest.TestCase):\n    def test_sub(self):\n"
TEST += "        self.assertEqual(calc.sub(3, 5), -2)\n"
FOREIGN = "\n\ndef mul(a, b):\n    return a * b\n"
UNPROVED = PASS.replace("AC1", "AC2")
DELIVERED = PASS + CHANGES
LARGER = FAIL.replace("verdict: FAIL", "verdict: ESCALATE") + CHANGES
LARGER = LARGER.replace("`sub` has no docstring.", "how to show it has to be planned.")
BLOCKED = "# Plan blocked\n\n## Reason\n\nNobody says whether a result may be negative.\n"
# Passes only where the user's file lies that git ignores.
UNCLEAN = f"{TEST}        with open('my.env') as own:\n            self.assertIn('KEY', own.read())\n"
ADD_TEST = TEST.replace("Sub", "Add").replace("test_sub", "test_add").replace("sub(3, 5), -2", "add(3, 5), 8")
# What the tests need is out of reach once if somebody says so, when the work is done.
CHECK = """if grep -q sub calc.py && rm "$HOME/down" 2> /dev/null; then
  echo 'FAIL: no answer from the test server'
  exit 1
fi
python3 -m unittest -q
"""
