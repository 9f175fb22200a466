"""The user's answer about a pull request: to its open question, or whom to trust."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.land.kept_summary import report_left
from baton.feedback.plan.open_decisions import DECIDE_RULE, items_to_decide, with_decisions
from baton.feedback.plan.round import load_round
from baton.feedback.record.record import load_record_in
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.questions import Answers, QuestionReplies, trust_bots
from baton.github.accounts import BOT
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.journal.permit import Permit
from baton.project.settings import confirm
from baton.story.ask.answer_source import DialogAnswer, session_here, take_word


class RoundAnswer(NamedTuple):
    """An answer that was taken: what came of it, and the verb of `baton pr` to call next.

    `leads_on` is false where the answer leaves everything as it was: nothing is due, and the verb shows the rest.
    """

    says: str
    verb: str
    leads_on: bool = True
    report: tuple[str, ...] = ()  # what was done since the last report, where nothing follows

    def call(self, number: int) -> str:
        """Return the next call as it is typed."""
        return f"baton pr {self.verb} {number}"

    def text(self, number: int) -> str:
        """Return it as text, with the next call if one is due."""
        return "\n".join([self.says, *([f"THEN {self.call(number)}"] if self.leads_on else self.report)])


def answer_pull_request(
    project: Project, number: int, option: str, note: str, token: str | DialogAnswer
) -> RoundAnswer:
    """Take an answer; return what came of it."""
    folder = find_folder(project, number)
    with hold_lock(folder / "lock", f"baton answer pr-{number}"):
        answers, replies = Answers(project, folder), QuestionReplies(project, folder)
        about_trust = option == "trust" or (option == "leave" and answers.open is None)
        unknown = _unknown(project, folder, replies.kept.people) if about_trust else {}
        if not about_trust:
            answers.check(option)
        asked = Permit(session_here(), f"answer pr-{number} {option}", replies.question)
        word = take_word(project, replies.kept.said, option, asked, token, note)
        if not about_trust:
            outcome = _settle(project, folder, answers, option, note, word)
        elif option == "trust":
            outcome = _trust(project, folder, answers, unknown, word)
        else:
            outcome = RoundAnswer(f"{_names(unknown)}: left out, as before", "fetch", leads_on=False)
        replies.forget()
    return outcome


def _settle(
    project: Project, folder: Path, answers: Answers, option: str, note: str, word: Mapping[str, str]
) -> RoundAnswer:
    asked = answers.answer(option, note, word)
    if asked.rule == "land/commands":
        confirm(project, commands=asked.about)
    if option == "leave" and not _is_left(project, folder, answers, asked.rule):
        reason = "what is open stays open"
        report = report_left(project, folder, asked, reason)
        return RoundAnswer(f"answered {asked.rule}: {reason}", "fetch", leads_on=False, report=report)
    return RoundAnswer(f"answered {asked.rule}: {option}", asked.then)


def _is_left(project: Project, folder: Path, answers: Answers, rule: str) -> bool:
    """Whether anything is left to ask or to plan beside what the answer to this rule left open."""
    record = load_record_in(project, folder)
    if rule != DECIDE_RULE:
        return bool(items_to_decide(answers, record))
    return bool(with_decisions(record, answers, load_round(project, folder)).new)


def _unknown(project: Project, folder: Path, shown: Collection[str]) -> dict[str, int]:
    """Return the unverified accounts; a BatonError if there are none, or some that the user was not shown."""
    unknown = dict(load_record_in(project, folder).unverified)
    if not unknown:
        what = "it is known of all who wrote there whether to trust them"
        raise BatonError(what, folder.name, f"`baton pr fetch {folder.name}`")
    if others := ", ".join(f"@{login}" for login in sorted(unknown.keys() - {*shown})):
        raise BatonError(f"you were not asked about {others}", folder.name, f"`baton pr fetch {folder.name}`")
    return unknown


def _trust(
    project: Project, folder: Path, answers: Answers, unknown: Mapping[str, int], word: Mapping[str, str]
) -> RoundAnswer:
    """Trust people on this pull request, and bots in its repository."""
    people = {login: account for login, account in unknown.items() if not login.endswith(BOT)}
    bots = {login: account for login, account in unknown.items() if login not in people}
    lines = []
    if people:
        answers.trust(people, word)
        lines.append(f"{_names(people)}: trusted on this pull request, by the number of their account")
    if bots:
        trust_bots(project, folder, {login.removesuffix(BOT): account for login, account in bots.items()}, word)
        lines.append(f"{_names(bots)}: trusted in this repository, by the number of their account")
    return RoundAnswer("\n".join(lines), "fetch")


def _names(accounts: Collection[str]) -> str:
    return ", ".join(f"@{login}" for login in accounts)
