"""The answers many rows offer, and what each leads to."""

ABANDON = {"abandon": "abandon"}
PLANNER = {"retry": "planner", **ABANDON}
IMPLEMENTER = {"retry": "implementer", "replan": "planner", **ABANDON}
QA = {"retry": "qa", "replan": "planner", **ABANDON}
