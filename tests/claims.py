"""What the words of an option claim, held against what is seen to follow when it is answered."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from baton.journal.events import Judged
from baton.project.settings import read_confirmed
from bench import Bench
from scenes import work_of

NOTE = "mind the sign"


class Seen(NamedTuple):
    """What somebody sees of a story who does not read what an option says."""

    state: Any
    base: str
    tip: str
    story: str
    settled: Any
    has_plan: bool
    plans_kept: int
    commands_run: int


def see(bench: Bench, base: str = "") -> Seen:
    """Look at a story; `base` is what it is merged to, unless that is the branch main here."""
    bench.rest()
    return Seen(
        bench.state,
        base or bench.git("rev-parse", "main"),
        bench.git("for-each-ref", "--format=%(objectname)", f"refs/heads/{bench.folder.branch}"),
        bench.place("story").read_text(encoding="utf-8"),
        read_confirmed(bench.project),
        bench.place("plan").exists(),
        len([*bench.folder.history("").glob("*/*plan.md*")]),
        len([*(bench.root / ".git/baton").rglob("checks/**/*.log")]),
    )


class Followed(NamedTuple):
    """An answer: the story before it and after it, and the step that followed, if one did."""

    bench: Bench
    before: Seen
    now: Seen
    step: Any

    @property
    def started(self) -> str:
        return str(self.step["agent"]).partition(":")[2] if self.acts("spawn") else ""

    def has(self, kind: str, rule: str = "") -> bool:
        """Whether an event of a kind is new, by a rule that begins so."""
        new = self.now.state.events[len(self.before.state.events) :]
        return any(type(one).__name__ == kind and str(getattr(one, "rule", "")).startswith(rule) for one in new)

    @property
    def judged_again(self) -> bool:
        """Whether the run that was asked about was judged now."""
        run, events = self.before.state.run, self.now.state.events[len(self.before.state.events) :]
        return any(isinstance(event, Judged) and run and event.run == run.id for event in events)

    def passed(self, rule: str) -> bool:
        """Whether a rule had asked, and something else follows now."""
        asked = self.before.state.question
        return bool(asked and asked.rule == rule and self.acts("ask", "spawn") and self.step["rule"] != rule)

    def became(self, stage: str) -> object:
        return self.now.state.stage == stage

    def acts(self, *actions: str) -> bool:
        return self.step is not None and self.step["action"] in actions


GOES_ON, BEGINS = "goes on", "baton run exactly|finished stories|story that is done|open pull request on GitHub"
# What is claimed by some words: it follows when they are said, and when not, then after other words alone.
CLAIMS: tuple[tuple[str, str, Callable[[Followed], object]], ...] = (
    ("begins all the same|this one story", f"{BEGINS}|plan carried out|run that is due|story anew",
     lambda it: it.has("Started")),
    ("(another|new) planner|plans anew|read anew", f"{BEGINS}|begins all the same|this one story|story anew",
     lambda it: it.started == "planner"),
    ("story anew", "$^", lambda it: it.before.state.completed and it.has("Started")),
    ("leaves it undone", "$^", lambda it: it.before.state.undone and it.became("complete")),
    ("another implementer|plan carried out|implementation run|run that fixes",
     f"{GOES_ON}|judges the|judges it|run that is due", lambda it: it.started == "implementer"),
    ("another QA run|has QA judge", GOES_ON, lambda it: it.started == "qa"),
    ("run of the whole small story", GOES_ON, lambda it: it.started == "micro-delivery"),
    ("run that is due", "", lambda it: it.started),
    ("note in (its|the|the next) brief", "", lambda it: not it.started or NOTE in it.bench.brief),
    ("on what this one left", "$^", lambda it: it.started and it.bench.run.dispatched.carry),
    ("kept in history/", "", lambda it: it.now.plans_kept > it.before.plans_kept or not it.before.has_plan),
    ("judges (it|the run)|takes it as passed|takes the (plan|block)", "takes the branch as it is",
     lambda it: it.judged_again),
    ("commits (it|what)", "$^", lambda it: it.now.tip not in ("", it.before.tip) and work_of(it.bench)),
    ("defers exactly", "$^", lambda it: it.now.state.deferred > it.before.state.deferred),
    ("criteria into story.md", "$^", lambda it: it.has("Confirmed")),
    ("keeps story.md", "criteria into story.md", lambda it: it.now.story != it.before.story),
    ("story as it is written", "criteria into story.md",
     lambda it: it.before.state.story_sha256 not in ("", it.now.state.story_sha256)),
    ("baton run exactly", "$^", lambda it: it.now.settled.commands != it.before.settled.commands),
    (BEGINS.partition("|")[2], "$^", lambda it: it.now.settled.mode != it.before.settled.mode),
    (r"(merges|to merge) \S+ in\b", GOES_ON, lambda it: it.has("IntegrationStepDone", "integrate/base")),
    ("runs (the commands|everything) again", "", lambda it: it.now.commands_run > it.before.commands_run),
    ("looks at what was merged", "$^", lambda it: it.has("IntegrationStepDone", "merge/checked-again")),
    ("to the merge", GOES_ON, lambda it: it.now.base != it.before.base),
    ("ends the story|merge into|end on its branch", f"{GOES_ON}|leaves it undone",
     lambda it: it.became("complete")),
    ("looks again", "", lambda it: it.acts("ask", "escalate", "wait", "feedback")),
    ("waits ", GOES_ON, lambda it: it.acts("wait")),
    ("takes the same step again|runs the hooks again", "",
     lambda it: len(it.now.state.runs) == len(it.before.state.runs)),
    ("stops until", f"{GOES_ON}|looks again|tries|again; it does not|runs the hooks again",
     lambda it: it.acts("ask", "escalate")),
    ("more fix runs", "$^", lambda it: it.has("Judged", "fix/run")),
    ("closes the story", "$^", lambda it: it.became("abandoned")),
    ("branch and files stay", "", lambda it: it.now.tip == it.before.tip and it.now.story == it.before.story),
    ("stays merged", "", lambda it: it.now.base == it.before.base),
)  # fmt: skip


def check_claims(words: str, it: Followed) -> None:
    """Hold words against what followed: something is claimed, it is true, and nothing is left unsaid."""
    seen = [(claim, may, bool(holds(it))) for claim, may, holds in CLAIMS]
    assert any(re.search(claim, words) for claim, *_ in seen), f"{words}: add to CLAIMS what that is held against"
    untrue = [claim for claim, _, holds in seen if re.search(claim, words) and not holds]
    unsaid = [claim for claim, may, holds in seen if holds and not re.search(f"{claim}|{may}", words)]
    assert (untrue, unsaid) == ([], []), f"{untrue} is untrue, {unsaid} unsaid: `{words}`, and then {it.step}"


def answer_and_check(bench: Bench, asked: Any, option: str, look: Callable[[], Seen]) -> Any:
    """Answer a question, and hold what its option says against what follows; gives the step that followed."""
    words = {one["id"]: one["does"] for one in asked["question"]["options"]}
    before = look()
    said = bench.baton("answer", bench.id, option, "--note", NOTE)
    assert said.code == 0, said.err
    step = None if option == "abandon" else bench.next()
    check_claims(words[option], Followed(bench, before, look(), step))
    return step
