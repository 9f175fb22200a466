"""The answers many rows offer: what each leads to, and what it does in words."""

from baton.rules.engine import Answer

KEEPS = "keeps what this run did, judges it, and goes on with your note in the next brief"
STARTS = "starts another {run} at once, with your note in its brief"
PLANS = "plans anew with your note in the brief and fresh counts; an old plan is kept in history/"
CARRIES_OUT = "has this plan carried out"

ABANDON = {"abandon": Answer("abandon", "closes the story; its branch and files stay")}
REPLAN = {"replan": Answer("planner", PLANS), **ABANDON}
AGAIN = {"retry": Answer("again", STARTS), **REPLAN}
PLANNER = {"retry": Answer("planner", STARTS), **REPLAN}
IMPLEMENTER = {"retry": Answer("implementer", STARTS), **REPLAN}
QA = {"retry": Answer("qa", STARTS), **REPLAN}
MICRO_DELIVERY = {"retry": Answer("micro-delivery", STARTS), **REPLAN}
KEEP = {"continue": Answer("below", KEEPS)}
