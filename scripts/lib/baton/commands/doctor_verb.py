"""The verb that looks what is wrong."""

from pathlib import Path

import click

from baton.commands.arguments import json_option, persons_project, story_argument
from baton.commands.output import print_result
from baton.commands.wrap_lines import wrapped
from baton.errors import BatonError
from baton.feedback.store.outbox import damaged_journals
from baton.git.discover import plain_work_tree
from baton.story.status.doctor import look_without_project, run_doctor, set_aside_story
from baton.story.status.doctor_machine import DoctorResult


@click.command()
@story_argument(required=False)
@click.option("--set-aside", "aside", is_flag=True, help="Keep a journal that cannot be used under another name.")
@json_option
@click.pass_obj
def doctor(start: Path, story_id: str | None, aside: bool, as_json: bool) -> int:
    """Check git, the hook, this repository and the journals in it.

    Outside of a repository it looks at what is on this machine.

    With --set-aside, a journal that is damaged or not this story's is renamed; `baton next` then begins the story
    from the marks of its plan.

    Example: baton doctor
    """
    try:
        project = persons_project(start)
    except BatonError as fault:
        if story_id or aside or plain_work_tree(start):
            raise
        return _print(look_without_project(start, fault), as_json)
    if aside:
        if not story_id:
            remedy = "name it: `baton doctor 42 --set-aside`"
            raise BatonError("--set-aside without a story", "`baton doctor`", remedy)
        kept = set_aside_story(project, story_id)
        text = f"kept as {kept}\nTHEN baton next {story_id}"
        print_result(as_json, {"kept": kept}, text, kept)
        return 0
    checks = run_doctor(project, story_id or "")
    if not story_id:
        checks += [
            DoctorResult("pull request", False, f"{fault.what} at {fault.where}", fault.remedy)
            for fault in damaged_journals(project)
        ]
    return _print(checks, as_json)


def _print(checks: list[DoctorResult], as_json: bool) -> int:
    lines = [line for check in sorted(checks, key=lambda check: check.ok) for line in _lines(check)]
    data = {"checks": [check._asdict() for check in checks]}
    print_result(as_json, data, "\n".join(wrapped(lines)), "baton doctor --json")
    return 0 if all(check.ok for check in checks) else 1


def _lines(check: DoctorResult) -> list[str]:
    if check.ok:
        return [f"ok      {check.name}: {check.what}"]
    return [f"PROBLEM {check.name}: {check.what}", f"        {check.remedy}"]
