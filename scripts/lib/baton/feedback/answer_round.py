"""The user's answer about a pull request: to its open question, or whom to trust."""

from collections.abc import Collection, Mapping
from pathlib import Path

from baton.errors import BatonError
from baton.feedback.fetch.pull_feedback import BOT
from baton.feedback.plan.open_decisions import DECIDE_RULE, OF_A_DECISION, with_decisions
from baton.feedback.plan.round import load_round
from baton.feedback.record.record import load_record_in
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.questions import Answers, QuestionReplies, trust_bots
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.journal.permit import Permit
from baton.project.settings import confirm
from baton.story.ask.answer_source import DialogAnswer, find_word, session_here


def answer_pull_request(
    project: Project, number: int, option: str, note: str, token: str | DialogAnswer
) -> tuple[str, str]:
    """Take an answer; return the message to print, and the next command."""
    folder = find_folder(project, number)
    with hold_lock(folder / "lock", f"baton answer pr-{number}"):
        answers, replies = Answers(project, folder), QuestionReplies(project, folder)
        about_trust = option == "trust" or (option == "leave" and answers.open is None)
        unknown = _unknown(project, folder, replies.kept.people) if about_trust else {}
        if not about_trust:
            answers.check(option)
        asked = Permit(session_here(), f"answer pr-{number} {option}", replies.question)
        word = find_word(project, replies.kept.said, option, asked, token, note)
        if not about_trust:
            outcome = _settle(project, folder, answers, option, note, word)
        elif option == "trust":
            outcome = _trust(project, folder, answers, unknown, word)
        else:
            outcome = f"{_names(unknown)}: left out, as before", f"baton pr fetch {number}"
        replies.forget()
    return outcome


def _settle(
    project: Project, folder: Path, answers: Answers, option: str, note: str, word: Mapping[str, str]
) -> tuple[str, str]:
    asked = answers.answer(option, note, word)
    if asked.rule == "land/commands":
        confirm(project, commands=asked.about)
    after = f"baton pr {asked.then} {folder.name}"
    if option == "leave" and not _is_left(project, folder, answers, asked.rule):
        return f"answered {asked.rule}: what is open stays open", f"baton pr fetch {folder.name}"
    return f"answered {asked.rule}: {option}\nTHEN {after}", after


def _is_left(project: Project, folder: Path, answers: Answers, rule: str) -> bool:
    """Whether anything is left to ask or to plan beside what the answer to this rule left open."""
    record, before = load_record_in(project, folder), load_round(project, folder)
    new = with_decisions(record, answers, before).new
    return bool(new if rule == DECIDE_RULE else [item for item in new if item.why == OF_A_DECISION])


def _unknown(project: Project, folder: Path, shown: Collection[str]) -> dict[str, int]:
    """Return the unverified accounts; a BatonError if there are none, or some that the user was not shown."""
    unknown = dict(load_record_in(project, folder).unverified)
    if not unknown:
        what = "of nobody who wrote there is it unknown whether to trust them"
        raise BatonError(what, folder.name, f"`baton pr fetch {folder.name}`")
    if others := ", ".join(f"@{login}" for login in sorted(unknown.keys() - {*shown})):
        raise BatonError(f"you were not asked about {others}", folder.name, f"`baton pr fetch {folder.name}`")
    return unknown


def _trust(
    project: Project, folder: Path, answers: Answers, unknown: Mapping[str, int], word: Mapping[str, str]
) -> tuple[str, str]:
    """Trust people on this pull request, and bots in its repository."""
    again = f"baton pr fetch {folder.name}"
    people = {login: account for login, account in unknown.items() if not login.endswith(BOT)}
    bots = {login: account for login, account in unknown.items() if login not in people}
    lines = []
    if people:
        answers.trust(people, word)
        lines.append(f"{_names(people)}: trusted on this pull request, by the number of their account")
    if bots:
        trust_bots(project, folder, {login.removesuffix(BOT): account for login, account in bots.items()}, word)
        lines.append(f"{_names(bots)}: trusted in this repository, by the number of their account")
    return "\n".join([*lines, f"THEN {again}"]), again


def _names(accounts: Collection[str]) -> str:
    return ", ".join(f"@{login}" for login in accounts)
