"""The user's answer about a pull request: to an open question, or about those of whom nothing is known."""

from collections.abc import Collection, Mapping
from pathlib import Path

from baton.errors import BatonError
from baton.feedback.answer_source import Spoken
from baton.feedback.decisions import DECIDE, OF_A_DECISION, with_decisions
from baton.feedback.fetch.pull_request import BOT
from baton.feedback.plan.round import load_round
from baton.feedback.questions import Answers
from baton.feedback.record import load_record_in
from baton.feedback.store import find_folder
from baton.feedback.trusted_bots import TrustedBots
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.journal.permit import Permit
from baton.project.settings import confirm
from baton.story.answer_source import DialogAnswer, find_word, session_here


def answer_pull_request(
    project: Project, number: int, option: str, note: str, token: str | DialogAnswer
) -> tuple[str, str]:
    """Take an answer; returns what to say, and the next command."""
    folder = find_folder(project, number)
    with hold_lock(folder / "lock", f"baton answer pr-{number}"):
        answers, spoken = Answers(project, folder), Spoken(project, folder)
        about_trust = option == "trust" or (option == "leave" and answers.open is None)
        unknown = _unknown(project, folder, spoken.people) if about_trust else {}
        if not about_trust:
            answers.check(option)
        asked = Permit(session_here(), f"answer pr-{number} {option}", spoken.question)
        said = find_word(project, spoken.said, option, asked, token, note)
        if about_trust:
            told = _settle_trust(answers, TrustedBots(project, folder.parent), unknown, folder.name, option, said)
        else:
            told = _settle(project, answers, number, option, note, said)
        spoken.forget()
    return told


def _settle(
    project: Project, answers: Answers, number: int, option: str, note: str, said: Mapping[str, str]
) -> tuple[str, str]:
    asked = answers.answer(option, note, said)
    if asked.rule == "land/commands":
        confirm(project, commands=asked.about)
    after = f"baton pr {asked.then} {number}"
    if option == "leave" and not _is_left(project, answers, number, asked.rule):
        return f"answered {asked.rule}: what is open stays open", f"baton pr fetch {number}"
    return f"answered {asked.rule}: {option}\nTHEN {after}", after


def _is_left(project: Project, answers: Answers, number: int, rule: str) -> bool:
    """Whether there is something to ask or to plan beside what was left open as a rule asked."""
    folder = find_folder(project, number)
    record, before = load_record_in(project, folder), load_round(project, folder)
    new = with_decisions(record, answers, before).new
    return bool(new if rule == DECIDE else [one for one in new if one.why == OF_A_DECISION])


def _unknown(project: Project, folder: Path, shown: Collection[str]) -> dict[str, int]:
    """Return the accounts of which GitHub does not tell whether to trust them; a BatonError for none or others."""
    unknown = dict(load_record_in(project, folder).unverified)
    if not unknown:
        what = "of nobody who wrote there is it unknown whether to trust them"
        raise BatonError(what, folder.name, f"`baton pr fetch {folder.name}`")
    if others := ", ".join(f"@{name}" for name in sorted(unknown.keys() - {*shown})):
        raise BatonError(f"you were not asked about {others}", folder.name, f"`baton pr fetch {folder.name}`")
    return unknown


def _settle_trust(
    answers: Answers,
    bots: TrustedBots,
    unknown: Mapping[str, int],
    number: str,
    option: str,
    said: Mapping[str, str],
) -> tuple[str, str]:
    """Trust people on this pull request, and bots in its repository; or leave all out."""
    again = f"baton pr fetch {number}"
    if option == "leave":
        return f"{_names(unknown)}: left out, as before", again
    people = {one: account for one, account in unknown.items() if not one.endswith(BOT)}
    programs = {one: account for one, account in unknown.items() if one not in people}
    told = []
    if people:
        answers.trust(people, said)
        told.append(f"{_names(people)}: trusted on this pull request, by the number of their account")
    if programs:
        bots.trust({one.removesuffix(BOT): account for one, account in programs.items()}, said)
        told.append(f"{_names(programs)}: trusted in this repository, by the number of their account")
    return "\n".join([*told, f"THEN {again}"]), again


def _names(accounts: Collection[str]) -> str:
    return ", ".join(f"@{name}" for name in accounts)
