"""The text forms: the action first, then why, then the exact next command."""

from typing import Any

from baton.drive.step import Step


def step_text(step: Step, report: str = "") -> str:
    """Give a step as the caller carries it out."""
    lines = {
        "spawn": _spawn,
        "wait": _wait,
        "ask": _package,
        "escalate": _package,
        "complete": _complete,
    }[step.action](step)
    if report:
        lines += ["", report.rstrip()]
    return "\n".join(lines)


def _why(step: Step) -> list[str]:
    lines = [f"WHY {step.rule}: {step.reason}"]
    return lines + [f"WARNING {warning}" for warning in step.warnings]


def _spawn(step: Step) -> list[str]:
    model = [f"MODEL {step.model}"] if step.model else []
    after = f"THEN baton next {step.story} --ended {step.run}"
    return [f"DO spawn {step.agent}", f"PROMPT {step.prompt}", *model, *_why(step), after]


def _wait(step: Step) -> list[str]:
    if step.seconds:
        return ["DO wait", *_why(step), f"THEN baton next {step.story}"]
    lines = ["DO wait", *_why(step), "THEN end your turn: the run's notification wakes you"]
    if not step.start_seen:
        lines += [f"IF you have not started it: spawn {step.agent} with this prompt", f"PROMPT {step.prompt}"]
    return [*lines, f"IF its session is gone: baton next {step.story} --ended {step.run}"]


def _complete(step: Step) -> list[str]:
    return ["DO complete", *_why(step), f"REPORT {step.report}"]


def _package(step: Step) -> list[str]:
    assert step.escalation is not None
    return [f"DO {step.action}", *package_lines(step.escalation)]


def package_lines(package: dict[str, Any]) -> list[str]:
    """Give a package as a person reads it."""
    attempts = ", ".join(f"{phase} {count}" for phase, count in package["attempts"].items())
    lines = [
        f"STORY {package['story']} {package['title']} ({package['phase']}; runs so far: {attempts})",
        f"WHY {package['rule']}: {package['reason']}",
        f"SEE {package['artefact']}",
    ]
    lines += [f"FOUND {finding}" for finding in package["findings"] if finding not in package["reason"]]
    lines += [f"ERROR {error}" for error in package["errors"]]
    lines += [f"QUESTION {package['question']}", f"RECOMMENDED {package['recommendation']}"]
    lines += [f"OPTION {option['id']}: {option['does']}" for option in package["options"]]
    return [*lines, f"THEN {package['answer_with']}"]
