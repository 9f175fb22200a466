"""The answers many rows offer, and what each leads to."""

ABANDON = {"abandon": "abandon"}
REPLAN = {"replan": "planner", **ABANDON}
AGAIN = {"retry": "again", **REPLAN}
PLANNER = {"retry": "planner", **REPLAN}
IMPLEMENTER = {"retry": "implementer", **REPLAN}
QA = {"retry": "qa", **REPLAN}
DEFER = {"accept": "defer", **QA}
MICRO_DELIVERY = {"retry": "micro-delivery", **REPLAN}
