"""Before anything is judged: what is under way, and whether a story may start."""

from baton.rules.engine import Answer, Row, RowQuestion, Table
from baton.rules.facts import InProgressFacts, StartFacts
from baton.rules.tables.options import ABANDON, AGAIN, CARRIES_OUT

MODES = {
    "merge": Answer("start", "pushes the branch of a story that is done, opens a pull request, and merges it into "
        "{base} on GitHub once its checks pass and what was said on it is settled"),
    "pr": Answer("start", "ends with an open pull request on GitHub, its checks known: pushes the story branch, "
        "merges nothing"),
    "local": Answer("start", "merges finished stories into {base} on this machine; pushes nothing"),
    "branch": Answer("start", "ends with finished stories on their branches, checked, and says how to merge each "
        "into {base}"),
    **ABANDON,
}  # fmt: skip

IN_PROGRESS = Table("in-progress", InProgressFacts, (
    Row("in-progress/unknown-run", "`--ended` names no run of this story", {"ended_run": ("unknown",)},
        "refuse", "{ended} is no run of this story; {out}"),
    Row("in-progress/abandoned", "the story was abandoned", {"stage": ("abandoned",)},
        "refuse", "it was abandoned, and no run is due"),
    Row("in-progress/complete", "the story is complete", {"stage": ("complete",)},
        "complete", "the story is complete"),
    Row("in-progress/question", "a question is open", {"stage": ("question",)},
        "ask", "a question is open: answer it first"),
    Row("git/refused", "git, or a program that it calls, refuses a step that was begun, twice",
        {"git_refuses": (True,)},
        "ask", "git refuses, and nothing is lost: {refused}",
        stop=RowQuestion("act", "manual fix", {
            "retry": Answer("due", "takes the same step again, which is no attempt"), **ABANDON},
                  "Fix what is named above, then retry.")),
    Row("in-progress/restarts", "a run is running, and its restarts are used up",
        {"stage": ("running",), "run_ended": (False,), "restarts_used_up": (True,)},
        "ask", "{run} was started {starts} times and has not ended", stop=RowQuestion(
            "decide", "manual fix", {"continue": Answer("wait", "waits for this run once more"), **AGAIN},
            "Wait for this run once more, or give it up and make a new one?")),
    Row("in-progress/wait", "a run has not ended", {"stage": ("running",), "run_ended": (False,)},
        "wait", "{run} is running; {seen}"),
), total=False, stage="preflight")  # fmt: skip

START = Table("start", StartFacts, (
    Row("start/not-ready", "the repository is not ready", {"ready": (False,)}, "refuse", "{not_ready}"),
    Row("start/spec", "its file lies untracked in the checkout", {"spec_in_the_way": (True,)},
        "ask", "{spec} lies in the checkout and git does not track it; the story has its own copy on {branch}, "
        "and a merge into {base} would not pass over yours",
        stop=RowQuestion("act", "manual fix", {"retry": Answer("start", "looks again"), **ABANDON},
                  "Commit that file on {base}, or move it away; then retry.")),
    Row("start/criteria", "what it was made of has lines that look like criteria and are in none of them",
        {"criteria": ("unread",)},
        "ask", "{unread}",
        stop=RowQuestion("decide", "scope clarification", {
            "accept": Answer("start", "takes the criteria that were read as all there are, and goes on"),
            "retry": Answer("start", "looks again"), **ABANDON},
                  "Are the criteria that were read all there are (accept), or do you give the whole list: `baton "
                  "story edit`, with a text that has it under `## Acceptance Criteria`, then retry?")),
    Row("start/commands", "the commands are not confirmed on this machine", {"commands": ("unconfirmed",)},
        "ask", "these commands of `.baton.yaml` on {base} have not been confirmed on this machine:\n{commands}",
        stop=RowQuestion("authorize", "continue", {
            "accept": Answer("start", "lets baton run exactly these commands in this repository, on this machine"),
            **ABANDON},
                  "May baton run these commands, as they are, in its own work trees of this repository?")),
    Row("start/mode", "no `integrate.mode` is configured", {"mode": (False,)},
        "ask", "`.baton.yaml` on {base} names no `integrate.mode`",
        stop=RowQuestion("decide", "continue", MODES,
                  "How should finished stories of this repository be integrated?")),
    Row("start/approval", "there is an execution plan but no journal, with `--plan-only`",
        {"adopted": ("unapproved",)},
        "ask", "a plan is here already: {plan_path}, {closed} of {total} phases closed by its marks",
        stop=RowQuestion("decide", "continue", {"accept": Answer("start", CARRIES_OUT), **ABANDON},
                  "Should this plan be carried out?")),
    Row("start/adopted", "there is an execution plan but no journal, as in a fresh clone", {"adopted": ("yes",)},
        "spawn", "its plan is here: {closed} of {total} phases are closed by its marks", then="implementer"),
    Row("start/micro", "the complexity is 2 or less, without `--plan-only`", {"micro": (True,)},
        "spawn", "a small story is done in one run", then="micro-delivery"),
    Row("start/planning", "no row above fits, or the complexity is unknown",
        {}, "spawn", "a new story begins with a plan", then="planner"),
), stage="preflight")  # fmt: skip
