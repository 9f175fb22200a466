"""What the client's hooks hold a conversation and its agents to: when a turn, or a run, may not end yet."""

from typing import Literal, NamedTuple

from baton.rules.engine import Row, Table


class TurnFacts(NamedTuple):
    """Where the conversation's own story stands when its turn ends."""

    due: Literal["nothing", "spawn", "judge", "next"]
    running: bool  # an agent of baton's, or a call of it, in the background
    interrupted: bool  # by the user, since anything last happened to the story
    sent_back: bool  # as often as is worth it, since then


class RunEndFacts(NamedTuple):
    """What a run has left when its agent is about to end."""

    out: bool
    handed_in: bool
    cut_off: bool  # by the user, or by a failure of the client's service
    sent_back: bool
    tree: Literal["gone", "unbegun", "begun"]


TURN = Table("turn", TurnFacts, (
    Row("turn/nothing-due", "what follows is a wait, a question or the end, or nothing",
        {"due": ("nothing",)}, "proceed", "nothing is to be carried out"),
    Row("turn/running", "an agent of baton's or a call of baton is still running", {"running": (True,)},
        "proceed", "its end wakes the conversation"),
    Row("turn/interrupted", "you interrupted the conversation since", {"interrupted": (True,)},
        "proceed", "the user stopped it"),
    Row("turn/sent-back", "it was sent back twice already, and nothing has happened since", {"sent_back": (True,)},
        "proceed", "it was sent back twice"),
    Row("turn/spawn", "a run is due, and its agent was not started", {"due": ("spawn",)},
        "send-back", "run {run} of story {story} is due, and its agent was not started"),
    Row("turn/judge", "a run has ended and was not judged", {"due": ("judge",)},
        "send-back", "run {run} of story {story} has ended, and what follows was not asked for"),
    Row("turn/next", "the story goes on, and the next step was not asked for", {},
        "send-back", "story {story} goes on, and its next step was not asked for"),
))  # fmt: skip

RUN_END = Table("run-end", RunEndFacts, (
    Row("run-end/closed", "the run is judged, or given up", {"out": (False,)}, "proceed", "it was closed"),
    Row("run-end/handed-in", "what ends it was handed in", {"handed_in": (True,)},
        "proceed", "what ends it was handed in"),
    Row("run-end/cut-off", "you stopped it, or the client's service failed", {"cut_off": (True,)},
        "proceed", "it was cut off"),
    Row("run-end/tree-gone", "its work tree is gone", {"tree": ("gone",)},
        "proceed", "it cannot hand in any more"),
    Row("run-end/sent-back", "it was sent back once already", {"sent_back": (True,)},
        "proceed", "it was sent back before"),
    Row("run-end/not-begun", "it never ran `baton begin`", {"tree": ("unbegun",)},
        "send-back", "run {run} was not begun: first call `baton begin {run}`, by itself; then do what it prints"),
    Row("run-end/nothing", "it handed in nothing that ends it", {},
        "send-back", "run {run} is not over: {missing}; {ways}"),
))  # fmt: skip
