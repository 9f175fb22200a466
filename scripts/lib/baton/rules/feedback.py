"""What a pull request's feedback is judged by: before it is planned or landed, what is clustered, what is left."""

from typing import Literal, NamedTuple

from baton.rules.engine import Answer, Row, RowQuestion, Table


class FeedbackFacts(NamedTuple):
    """Where a pull request stands when its feedback is planned, is about to be landed, or has been landed."""

    moment: Literal["plan", "land", "landed"]
    pending_review: bool = False
    closed: bool = False
    new: bool = True
    targeted: bool = False
    volume: bool = False
    signal: bool = False
    first_cycle: bool = True
    converging: bool = True


def plan_facts(new: int, outdated: int, signal: bool, volume: int, targeted: bool = False) -> FeedbackFacts:
    """Return what is known of the items when planning begins: how many are new, and how many of those outdated."""
    enough = new - outdated >= volume
    return FeedbackFacts("plan", new=new > 0, targeted=targeted, volume=enough, signal=signal)


FEEDBACK = Table("feedback", FeedbackFacts, (
    Row("pr/pending-review", "at plan and land: the viewer has a PENDING review (fetch and show name it)",
        {"moment": ("plan", "land"), "pending_review": (True,)},
        "refuse", "you began a review here and have not submitted it, and replies would vanish into it: {review}"),
    Row("pr/closed", "at land: it is merged or closed (all else works)", {"moment": ("land",), "closed": (True,)},
        "refuse", "the pull request is {state}"),
    Row("pr/nothing", "at plan: no item is new", {"moment": ("plan",), "new": (False,)},
        "complete", "no item is new"),
    Row("pr/go", "at land: no row above fits", {"moment": ("land",)}, "proceed", "nothing stands in the way"),
    Row("gate/none", "at plan: only what a URL names is looked at", {"moment": ("plan",), "targeted": (True,)},
        "proceed", "only what was named is worked on, each item by itself"),
    Row("gate/none", "at plan: fewer than `feedback.volume` items are new, and the signal is false",
        {"moment": ("plan",), "volume": (False,), "signal": (False,)},
        "proceed",
        "{counted} new, fewer than {volume}, and no new thread beside resolved ones: each item by itself"),
    Row("gate/volume", "at plan: `feedback.volume` or more items are new, and the signal is false",
        {"moment": ("plan",), "volume": (True,), "signal": (False,)},
        "cluster", "{counted} new, {volume} or more", then="new"),
    Row("gate/cross", "at plan: the signal is true, with new threads beside resolved ones",
        {"moment": ("plan",), "signal": (True,)},
        "cluster", "{counted} new, after {resolved} that were resolved before", then="new and resolved"),
    Row("verify/targeted", "landed: only what a URL names was worked on",
        {"moment": ("landed",), "targeted": (True,)},
        "complete", "what was named is done; {left} new beside it"),
    Row("verify/clean", "landed: nothing new is left", {"moment": ("landed",), "new": (False,)},
        "complete", "nothing new is left"),
    Row("verify/again", "landed: new items are left after the first cycle, and the rounds converge",
        {"moment": ("landed",), "first_cycle": (True,), "converging": (True,)},
        "plan", "{left} new after the first cycle"),
    Row("verify/pattern", "landed: new items are left, and no row above fits", {"moment": ("landed",)},
        "ask", "{left} new after {cycles} cycles: {pattern}",
        stop=RowQuestion("decide", "back to discovery", {
            "continue": Answer("plan", "makes another round, with your note in its briefs"),
            "leave": Answer("complete", "leaves what is open")},
                  "Is there one decision that would settle what LEFT names? Say it in a note and continue with "
                  "another cycle; or leave what is left open.")),
))  # fmt: skip
