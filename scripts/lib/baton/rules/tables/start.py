"""Before anything is judged: what is under way, and whether a story may start."""

from baton.rules.engine import Row, RowQuestion, Table
from baton.rules.facts import InProgressFacts, StartFacts
from baton.rules.tables.options import ABANDON, AGAIN

IN_PROGRESS = Table("in-progress", InProgressFacts, (
    Row("in-progress/unknown-run", "`--ended` names no run of this story", {"ended_run": ("unknown",)},
        "refuse", "{ended} is no run of this story; {out}"),
    Row("in-progress/abandoned", "the story was abandoned", {"stage": ("abandoned",)},
        "refuse", "it was abandoned, and no run is due"),
    Row("in-progress/complete", "the story is complete", {"stage": ("complete",)},
        "complete", "the story is complete"),
    Row("in-progress/question", "a question is open", {"stage": ("question",)},
        "ask", "a question is open: answer it first"),
    Row("in-progress/restarts", "a run is running, and its restarts are used up",
        {"stage": ("running",), "run_ended": (False,), "restarts_used_up": (True,)},
        "ask", "{run} was started {starts} times and has not ended", stop=RowQuestion(
            "decide", "manual fix", {"continue": "wait", **AGAIN},
            "Start the same run once more, or give it up and make a new one?")),
    Row("in-progress/wait", "a run has not ended", {"stage": ("running",), "run_ended": (False,)},
        "wait", "{run} is running; {seen}"),
), total=False, stage="preflight")  # fmt: skip

START = Table("start", StartFacts, (
    Row("start/not-ready", "the repository is not ready", {"ready": (False,)}, "refuse", "{not_ready}"),
    Row("start/spec", "its file lies untracked in the checkout", {"spec_in_the_way": (True,)},
        "ask", "{spec} lies in the checkout and git does not track it; the story has its own copy on {branch}, "
        "and a merge into {base} would not pass over yours",
        stop=RowQuestion("act", "manual fix", {"retry": "start", **ABANDON},
                  "Commit that file on {base}, or move it away; then retry.")),
    Row("start/commands", "the commands are not confirmed on this machine", {"commands": ("unconfirmed",)},
        "ask", "these commands of `.baton.yaml` on {base} have not been confirmed on this machine:\n{commands}",
        stop=RowQuestion("authorize", "continue", {"accept": "start", **ABANDON},
                  "May baton run these commands, as they are, in its own work trees of this repository?")),
    Row("start/mode", "no `integrate.mode` is configured", {"mode": (False,)},
        "ask", "`.baton.yaml` on {base} names no `integrate.mode`",
        stop=RowQuestion("decide", "continue",
                  {"merge": "start", "pr": "start", "local": "start", "branch": "start", **ABANDON},
                  "How should finished stories of this repository be integrated?")),
    Row("start/approval", "there is an execution plan but no journal, with `--plan-only`",
        {"adopted": ("unapproved",)},
        "ask", "a plan is here already: {plan_path}, {closed} of {total} phases closed by its marks",
        stop=RowQuestion("decide", "continue", {"accept": "start", **ABANDON},
                  "Should this plan be carried out?")),
    Row("start/adopted", "there is an execution plan but no journal, as in a fresh clone", {"adopted": ("yes",)},
        "spawn", "its plan is here: {closed} of {total} phases are closed by its marks", then="implementer"),
    Row("start/micro", "the complexity is 2 or less, without `--plan-only`", {"micro": (True,)},
        "spawn", "a small story is done in one run", then="micro-delivery"),
    Row("start/planning", "no row above fits, or the complexity is unknown",
        {}, "spawn", "a new story begins with a plan", then="planner"),
), stage="preflight")  # fmt: skip
