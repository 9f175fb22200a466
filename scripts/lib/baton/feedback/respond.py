"""A person's answer about a pull request: to an open question, or about those of whom nothing is known."""

from pathlib import Path

from baton.drive.settings import confirm
from baton.errors import BatonError
from baton.feedback.questions import Answers
from baton.feedback.store import FOLDER, load_of
from baton.story.lock import held
from baton.story.places import Project

# What follows an answer, by the row that asked.
AFTER = {"plan/fork": "plan", "verify/pattern": "plan"}


def answer_pull_request(project: Project, number: int, option: str, note: str) -> tuple[str, str]:
    """Take an answer; gives what to say, and the next command."""
    folder = find_folder(project, number)
    with held(folder / "lock", f"baton answer pr-{number}"):
        answers = Answers(project, folder)
        if option == "trust" or (option == "leave" and answers.open is None):
            return _about_people(project, folder, answers, option)
        asked = answers.answer(option, note)
        if asked.rule == "land/commands":
            confirm(project, commands=asked.about)
    after = f"baton pr {AFTER.get(asked.rule, 'land')} {number}"
    if option == "leave":
        return f"answered {asked.rule}: what is open stays open", f"baton pr fetch {number}"
    return f"answered {asked.rule}: {option}\nTHEN {after}", after


def _about_people(project: Project, folder: Path, answers: Answers, option: str) -> tuple[str, str]:
    """Settle who of those may steer of whom GitHub does not tell."""
    record = load_of(project, folder)
    unknown: dict[str, int] = record["unverified"]
    again = f"baton pr fetch {folder.name}"
    if not unknown:
        raise BatonError(
            "of nobody who wrote there is it unknown whether they may steer", folder.name, f"`{again}`"
        )
    names = ", ".join(f"@{name}" for name in unknown)
    if option == "leave":
        return f"{names}: left out, as before", again
    answers.trust(unknown)
    return f"{names}: trusted on this pull request, by the number of their account\nTHEN {again}", again


def find_folder(project: Project, number: int) -> Path:
    """Find the folder of a pull request that was read here; of several with this number, the one read last."""
    found = (project.state / FOLDER).glob(f"*/*/*/{number}/feedback.json")
    newest = max(found, key=lambda one: one.stat().st_mtime_ns, default=None)
    if newest is None:
        raise BatonError(f"pull request {number} was not read here", f"pr-{number}", f"`baton pr fetch {number}`")
    return newest.parent
