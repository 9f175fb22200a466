"""The text forms: the action first, then why, then the exact next command."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from baton.artifacts.document import read_document
from baton.commands.output import fitted, in_client
from baton.story.ask.answer_source import answer_lines
from baton.story.ask.step import Step, advice_of, skill_stage_of
from baton.story.run.progress import reason_lines
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


# How a person reads the words by which a model finds the lines.
PLAIN = {
    "STAGE": "Stage:", "STORY": "Story", "WHY": "Why:", "SEE": "To read:", "ON": "On branch", "FOUND": "Found:",
    "ERROR": "Error:", "WARNING": "Mind:", "QUESTION": "", "ADVICE": "Recommended:", "POSTED": "Posted at",
}  # fmt: skip


class StepText(NamedTuple):
    """A step in words, in the order in which they are printed; `do` and `then` are for a model alone."""

    do: list[str]
    about: list[str]
    rule: str
    reason: str
    says: list[str]
    then: Sequence[str] = ()
    page: Sequence[str] = ()  # what is printed whole: a report, or how feedback is settled

    def text(self) -> str:
        """Return it as the caller carries it out."""
        why = f"WHY {self.rule}: {self.reason}"
        return "\n".join([*self.do, *self.about, why, *self.says, *self.then, *self.page])

    def for_person(self) -> str:
        """Return it as the person reads it; of a question all but the options, what is asked last."""
        if not self.about:
            return f"{self.because}\n{self.more}".strip()
        # In a small window the end is what is seen: why it is asked, with the criteria, and the question.
        asked = sorted(self.says, key=lambda line: line.startswith("QUESTION "))
        where = [line for line in asked if line.startswith(("SEE ", "ON "))]
        why = [f"WHY {self.because}", *reason_lines(self.reason)[1:]]
        lines = [*self.about, self.do[-1], *where, *why, *(line for line in asked if line not in where)]
        return "\n".join(in_plain_words(line) for line in lines if not line.startswith("OPTION "))

    @property
    def because(self) -> str:
        """Why, as the person reads it."""
        return reason_lines(self.reason)[0]

    @property
    def more(self) -> str:
        """What the person reads after why."""
        says = map(in_plain_words, self.says)
        return "\n".join([*reason_lines(self.reason)[1:], *says])


def in_plain_words(line: str) -> str:
    """Return a line of a step as a person reads it."""
    word, _, rest = line.partition(" ")
    return f"{PLAIN[word]} {rest}".strip() if word in PLAIN else line


def step_text(step: Step) -> StepText:
    """Return a step in words, and of a story that is complete its report."""
    action, stage = f"DO {step.action}", f"STAGE {step.skill_stage}"
    if step.question and step.question["options"]:
        asked = question_text(step.question, _some("WARNING", step.warnings, f"baton question {step.story}"))
        return asked._replace(do=[action, *asked.do])
    if step.question:  # about what `/implement` was given: any answer is taken
        question, then = f"QUESTION {step.question['question']}", f"THEN {step.question['answer_with']}"
        return StepText([action, stage], [], step.rule, step.reason, [question], [then])
    more = f"baton timeline {step.story} --json"
    reason, warnings = _kept_short(step.reason, LONG, more), _some("WARNING", step.warnings, more)
    parts = StepText([action, stage], [], step.rule, reason, warnings)
    if step.action == "spawn":
        model = [f"MODEL {step.model}"] if step.model else []
        do = [f"DO spawn {step.agent}", stage, f"PROMPT {step.prompt}", f"LABEL {step.label}", *model]
        return parts._replace(do=do, then=[f"THEN baton next {step.story} --ended {step.run}"])
    if step.action == "feedback":
        number = str(step.pull).rpartition("/")[2]
        then = f"THEN settle it as said below, for {number}; where that says you are done: baton next {step.story}"
        return parts._replace(do=[f"DO feedback {number}", stage], then=[then], page=_how_to_settle(number))
    if step.action == "wait":
        return parts._replace(then=_wait(step))
    if not step.report:
        return parts
    return parts._replace(then=[f"REPORT {step.report}", ""], page=[read_document(Path(step.report)).rstrip()])


def _kept_short(text: str, limit: int, more: str) -> str:
    """Indent what follows the first line, so that no quoted text begins a line, and leave room for the rest."""
    return fitted(printable(text).strip().replace("\n", "\n  "), limit, f" … ({more})")


def _some(name: str, texts: list[str], more: str) -> list[str]:
    most = MOST if in_client() else len(texts)
    lines = [f"{name} {_kept_short(text, SHORT, more)}" for text in texts[:most]]
    return lines if len(texts) <= most else [*lines, f"{name} and {len(texts) - most} more: {more}"]


def _wait(step: Step) -> list[str]:
    if step.until:
        then = f"without baton's hooks, `baton next {step.story}` after {step.until}"
        return [f"THEN end your turn: baton wakes you; {then}"]
    if step.seconds:
        return [f"THEN baton next {step.story}"]
    if not step.run:
        return ["THEN end your turn"]
    then = "end your turn: the run's notification wakes you"
    if step.started_elsewhere:
        then = "ask whether that client is still open, and end your turn: if it is, the run goes on there"
    unseen = f"IF this conversation was given this spawn and has not started it: spawn {step.agent}"
    start = [] if step.start_seen else [unseen, f"PROMPT {step.prompt}", f"LABEL {step.label}"]
    ended = f"IF its client was closed or it was stopped: baton next {step.story} --ended {step.run}"
    return [f"THEN {then}", *start, ended]


def _how_to_settle(number: str) -> list[str]:
    text = SKILL.read_text(encoding="utf-8").replace("NUMBER", number)
    data = text[text.index("- What was said there") : text.index("- Call baton as one")].strip()
    how = text[text.index("## 2. ") : text.index("## When something is off")].rstrip()
    return ["", data, "", how]


def question_text(question: dict[str, Any], warnings: Iterable[str] = ()) -> StepText:
    """Return a question in words."""
    attempts = ", ".join(f"{phase} {count}" for phase, count in question["attempts"].items() if count) or "none"
    more = f"baton question {question['story']} --json"
    stage = f"STAGE {skill_stage_of(question['phase'], 'ask', question['rule'])}"
    story = (
        f"STORY {question['story']} {heading(question['title'])} ({question['phase']}; runs so far: {attempts})"
    )
    reason, lines = _kept_short(question["reason"], LONG, more), [f"SEE {question['artifact']}"]
    if branch := question.get("branch"):
        lines.append(f"ON {branch}; `baton show {question['story']}` lists its files as they are now")
    if quote := question.get("quote"):
        lines.append(fitted(printable(quote), QUOTED, f"\n… ({more})"))
    lines += _some("FOUND", [text for text in question["findings"] if text not in question["reason"]], more)
    lines += _some("ERROR", question["errors"], more)
    lines.append(f"QUESTION {question['question']}")
    lines.append(f"ADVICE {advice_of(question)}")
    lines += [f"OPTION {option['id']}: {option['does']}" for option in question["options"]]
    if url := question.get("posted"):
        lines.append(f"POSTED {url}: a comment there can answer, too, with a line `/baton OPTION`")
    then = answer_lines(question["answer_with"])
    return StepText([stage], [story], question["rule"], reason, [*lines, *warnings], then)


def heading(title: str) -> str:
    """Return a title as a part of one line: short, and nothing in it that a reader would not see."""
    return clip(visible(" ".join(title.split())), TITLE)
