"""The stage of `/implement` that a step belongs to, and the label a reader knows its run by."""

from baton.text import visible

# In the order in which a story goes through them, as skills/implement names them.
STAGES = ("preflight", "plan", "delegate", "gate", "qa", "integrate", "summary")
# What is asked before a run is due, of a story or of what `/implement` was given.
BEFORE_A_RUN = ("start/", "request/")
OF_PHASE = {"planning": "plan", "qa": "qa", "integration": "integrate"}
TASKS = {"planner": "plan", "implementer": "implement", "qa": "QA", "micro-delivery": "implement in one run"}
LABEL_LENGTH = 60


def stage_of(phase: str, action: str, rule: str) -> str:
    """Return the stage of a step: by its phase, what is to be done, and the rule that decided it."""
    if action == "complete":
        return "summary"
    if action in ("ask", "escalate") and rule.startswith(BEFORE_A_RUN):
        return "preflight"
    return OF_PHASE.get(phase, "delegate" if action in ("spawn", "wait") else "gate")


def label_of(story_id: str, title: str, role: str, detail: str) -> str:
    """Return what a run is shown as, such as `42 dark mode: implement, phase 3 of 4`: one short line."""
    task = ", ".join(filter(None, (TASKS[role], detail)))[: LABEL_LENGTH // 2]
    room = LABEL_LENGTH - len(task) - 2
    name = " ".join(visible(f"{story_id} {title}").split())
    return f"{name if len(name) <= room else name[: room - 1] + '…'}: {task}"
