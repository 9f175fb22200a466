"""The text forms: the action first, then why, then the exact next command."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from baton.commands.output import fitted, in_client
from baton.rules.pages import advice_words
from baton.story.ask.answer_source import answer_lines
from baton.story.ask.step import Step, stage_of
from baton.text import clip, printable, visible

# How feedback is settled is said in one place.
SKILL = Path(__file__).parents[4] / "skills" / "resolve-pr-feedback" / "SKILL.md"
# Bytes for a reason, what it quotes and each finding in the client, and how many of those: what is to be answered
# must fit.
LONG = 2_800
QUOTED = 3_800
SHORT = 240
MOST = 5
# Characters of a title.
TITLE = 80


def step_text(step: Step, report: str = "") -> str:
    """Return a step as the caller carries it out."""
    lines = FORMS[step.action](step)
    if report:
        lines += ["", report.rstrip()]
    return "\n".join(lines)


def report_text(step: Step) -> str:
    """Read the report of a story that is complete; nothing for any other step."""
    if not step.report:
        return ""
    from baton.artifacts.document import read_document  # `next` that waits prints no report

    return read_document(Path(step.report))


def _why(step: Step) -> list[str]:
    more = f"baton timeline {step.story} --json"
    lines = [f"WHY {step.rule}: {_kept_short(step.reason, LONG, more)}"]
    return lines + _some("WARNING", step.warnings, more)


def _kept_short(text: str, limit: int, more: str) -> str:
    """Indent what follows the first line, so that no quoted text begins a line, and leave room for the rest."""
    return fitted(printable(text).strip().replace("\n", "\n  "), limit, f" … ({more})")


def heading(title: str) -> str:
    """Return a title as a part of one line: short, and nothing in it that a reader would not see."""
    return clip(visible(" ".join(title.split())), TITLE)


def _some(name: str, texts: list[str], more: str) -> list[str]:
    most = MOST if in_client() else len(texts)
    lines = [f"{name} {_kept_short(text, SHORT, more)}" for text in texts[:most]]
    return lines if len(texts) <= most else [*lines, f"{name} and {len(texts) - most} more: {more}"]


def _spawn(step: Step) -> list[str]:
    model = [f"MODEL {step.model}"] if step.model else []
    after = f"THEN baton next {step.story} --ended {step.run}"
    what = [f"PROMPT {step.prompt}", f"LABEL {step.label}", *model]
    return [f"DO spawn {step.agent}", f"STAGE {step.stage}", *what, *_why(step), after]


def _wait(step: Step) -> list[str]:
    if step.until:
        then = f"without baton's hooks, `baton next {step.story}` after {step.until}"
        return ["DO wait", f"STAGE {step.stage}", *_why(step), f"THEN end your turn: baton wakes you; {then}"]
    if step.seconds:
        return ["DO wait", f"STAGE {step.stage}", *_why(step), f"THEN baton next {step.story}"]
    if not step.run:
        return ["DO wait", f"STAGE {step.stage}", *_why(step), "THEN end your turn"]
    then = "end your turn: the run's notification wakes you"
    if step.started_elsewhere:
        then = "ask whether that client is still open, and end your turn: if it is, the run goes on there"
    lines = ["DO wait", f"STAGE {step.stage}", *_why(step), f"THEN {then}"]
    if not step.start_seen:
        lines += [
            f"IF this conversation was given this spawn and has not started it: spawn {step.agent}",
            f"PROMPT {step.prompt}",
            f"LABEL {step.label}",
        ]
    return [*lines, f"IF its client was closed or it was stopped: baton next {step.story} --ended {step.run}"]


def _feedback(step: Step) -> list[str]:
    number = str(step.pull).rpartition("/")[2]
    text = SKILL.read_text(encoding="utf-8").replace("NUMBER", number)
    data = text[text.index("- What was said there") : text.index("- Call baton as one")].strip()
    how = text[text.index("## 2. ") : text.index("## When something is off")].rstrip()
    then = f"THEN settle it as said below, for {number}; where that says you are done: baton next {step.story}"
    return [f"DO feedback {number}", f"STAGE {step.stage}", *_why(step), then, "", data, "", how]


def _complete(step: Step) -> list[str]:
    report = [f"REPORT {step.report}"] if step.report else []  # an abandoned story has none
    return ["DO complete", f"STAGE {step.stage}", *_why(step), *report]


def _question(step: Step) -> list[str]:
    assert step.question is not None
    warnings = _some("WARNING", step.warnings, f"baton question {step.story}")
    return [f"DO {step.action}", *question_lines(step.question, warnings)]


def question_lines(question: dict[str, Any], warnings: Iterable[str] = ()) -> list[str]:
    """Return a question as the user reads it."""
    attempts = ", ".join(f"{phase} {count}" for phase, count in question["attempts"].items() if count) or "none"
    more = f"baton question {question['story']} --json"
    lines = [
        f"STAGE {stage_of(question['phase'], 'ask', question['rule'])}",
        f"STORY {question['story']} {heading(question['title'])} ({question['phase']}; runs so far: {attempts})",
        f"WHY {question['rule']}: {_kept_short(question['reason'], LONG, more)}",
        f"SEE {question['artifact']}",
    ]
    if branch := question.get("branch"):
        lines.append(f"ON {branch}; `baton show {question['story']}` lists its files as they are now")
    if quote := question.get("quote"):
        lines.append(fitted(printable(quote), QUOTED, f"\n… ({more})"))
    lines += _some("FOUND", [text for text in question["findings"] if text not in question["reason"]], more)
    lines += _some("ERROR", question["errors"], more)
    lines.append(f"QUESTION {question['question']}")
    advice = question["recommendation"]
    if advice != "continue" or advice in [option["id"] for option in question["options"]]:
        lines.append(f"ADVICE {advice}: {advice_words()[advice].format(id=question['story'])}")
    lines += [f"OPTION {option['id']}: {option['does']}" for option in question["options"]]
    if url := question.get("posted"):
        lines.append(f"POSTED {url}: a comment there can answer, too, with a line `/baton OPTION`")
    return [*lines, *warnings, *answer_lines(question["answer_with"])]


FORMS: dict[str, Callable[[Step], list[str]]] = {
    "spawn": _spawn, "wait": _wait, "ask": _question, "escalate": _question, "complete": _complete,
    "feedback": _feedback,
}  # fmt: skip
