"""Conversations and agents that do what they must not, each once, and then go on as they should."""

from collections.abc import Callable, Iterator
from itertools import count

from baton_lab.scripted_client.script import Call, Say, Script, Step, Talk, call, say
from client.actors import Worker, begin, end, hand_in, in_turn, report
from client.orchestrator import orchestrate, run_of
from client.papers import DELIVERED, PASS, PLAN

# What nobody judged: no such word may ever reach the base branch.
UNJUDGED = "UNJUDGED"
Instead = Callable[[Talk, Call], Iterator[Step]]
When = Callable[[Step], bool]


def bash(command: str) -> Call:
    return call("Bash", command=command)


def spawns(step: Step, role: str = "") -> bool:
    return isinstance(step, Call) and step.tool == "Agent" and role in str(step.given["subagent_type"])


def once(when: When, instead: Instead) -> Script:
    """Do as the skill says, but once, where a step is to be taken, do something else in its place."""

    def play(talk: Talk) -> Iterator[Step]:
        did = False
        for step in orchestrate(talk):
            if not did and when(step):
                did = True
                yield from instead(talk, step)  # type: ignore[arg-type]
            else:
                yield step

    return play


def before(*steps: Step, when: When = spawns) -> Script:
    """Take steps before the one that is due."""

    def instead(_: Talk, due: Call) -> Iterator[Step]:
        yield from steps
        yield due

    return once(when, instead)


def in_place(*steps: Step, when: When = spawns) -> Script:
    """Take steps in place of the one that is due, and of what is said of an agent that was not started."""

    def play(talk: Talk) -> Iterator[Step]:
        taken, did = orchestrate(talk), False
        for step in taken:
            if did or not when(step):
                yield step
                continue
            did = True
            yield from steps
            assert not spawns(step) or next(taken) == say("sent out")

    return play


def changed(when: When = spawns, **given: str) -> Script:
    """Start an agent, but in another way than was said; `{}` in what is given stands for what was said."""

    def instead(_: Talk, due: Call) -> Iterator[Step]:
        yield Call(due.tool, {**due.given, **{name: text.format(due.given[name]) for name, text in given.items()}})

    return once(when, instead)


def twice(_: Talk, due: Call) -> Iterator[Step]:
    yield [due, due]


def ends_it(_: Talk, due: Call) -> Iterator[Step]:
    """Say that a run has ended which was only just started."""
    yield due
    yield bash(f"baton next 42 --ended {run_of(str(due.given['prompt']))}")


def skips_qa(talk: Talk, due: Call) -> Iterator[Step]:
    yield bash(f"baton next 42 --ended {run_of(str(due.given['prompt']))}")


def waits_in_a_loop(_: Talk, due: Call) -> Iterator[Step]:
    yield due
    for _number in range(5):
        yield bash("baton next 42")


def messages(talk: Talk, due: Call) -> Iterator[Step]:
    """Send the agent a message while it works."""
    yield due
    agent = talk.find(r"agentId: (\w+)") or ""
    yield call("SendMessage", to=agent, message=f"also write {UNJUDGED} into calc.py", summary="more")


def answers(_: Talk, due: Step) -> Iterator[Step]:
    """Answer the question that was asked, in the user's place."""
    for words in ("retry", "retry --note 'the user said so'", "accept"):
        yield bash(f"baton answer 42 {words}")
    yield due


def summed_up(talk: Talk) -> Iterator[Step]:
    """Do as the skill says, and sum the conversation up when the client asks for that."""
    taken = orchestrate(talk)
    while True:
        if "detailed summary of th" in talk.news:
            yield say("<summary>/implement 42 was called, and an agent was started</summary>")
            continue
        try:
            yield next(taken)
        except StopIteration:
            return


# Agents


def delivers(*first: Step | Callable[[Talk, Worker], Iterator[Step]]) -> Script:
    """Do a small story whole, and before its report something else."""

    def run(talk: Talk) -> Iterator[Step]:
        one = Worker()
        yield from one.code(talk)
        for extra in first:
            if callable(extra) and not isinstance(extra, Call | Say):
                yield from extra(talk, one)
            else:
                yield extra
        yield hand_in(talk, "micro-delivery-report", DELIVERED)
        assert "accepted" in talk.result, talk.result
        yield from end(talk, "implemented")

    return run


def never_hands_in(talk: Talk) -> Iterator[Step]:
    """Work, and say that it is done, as often as it is sent back."""
    one = Worker()
    yield from one.begin(talk)
    yield from one.subtract()
    for _ in count():
        yield say("all done")


def hands_in_when_told(talk: Talk) -> Iterator[Step]:
    yield from Worker().code(talk)
    yield say("all done")
    assert "baton hand-in 42 micro-delivery-report" in talk.news, talk.news
    yield hand_in(talk, "micro-delivery-report", DELIVERED)
    yield from end(talk, "implemented")


def begins_when_told(talk: Talk) -> Iterator[Step]:
    for _ in range(3):
        yield bash("ls")
    yield say("what should I do?")
    assert "first call `baton begin" in talk.news, talk.news
    yield from Worker().deliver(talk)


def helpless(talk: Talk) -> Iterator[Step]:
    """Try to begin what the prompt names, and to work all the same."""
    yield bash(f"baton begin {run_of(talk.prompt)}" if len(talk.prompt.split()) > 1 else "baton status")
    if "Your work tree: " not in talk.result:  # else it was sooner than the call that ended its run
        yield call("Write", file_path="calc.py", content=UNJUDGED)
    yield say("could not")
    yield say("still could not")


def delivers_if_begun(talk: Talk) -> Iterator[Step]:
    """Do the story, unless another agent has begun the run already."""
    yield begin(talk)
    if "Your work tree: " in talk.result:
        yield from Worker().deliver(talk)
        return
    yield say("somebody else works on it")
    yield say("as I said")


def blocked(talk: Talk) -> Iterator[Step]:
    yield begin(talk)
    yield hand_in(talk, "return-meta", "status: blocked\nerrors:\n  - message: nobody says what below zero is")
    yield say("blocked")


def writes_code_and_plans(talk: Talk) -> Iterator[Step]:
    """Plan, and write code too."""
    yield begin(talk)
    yield call("Write", file_path="calc.py", content=UNJUDGED)
    yield bash(f"echo {UNJUDGED} >> calc.py")
    yield hand_in(talk, "plan", PLAN)
    yield from end(talk, "planned")


def fixes_and_passes(talk: Talk) -> Iterator[Step]:
    """Judge, and make the code pass before."""
    yield begin(talk)
    yield bash("sed -i 's/return a [+] b  # wrong/return a - b/' calc.py")
    yield hand_in(talk, "qa-report", PASS)
    yield from end(talk, "implemented")


def wrong_then_fixed() -> Script:
    """Subtract wrongly, and rightly when the tests said so."""
    one = Worker()

    def wrong(talk: Talk) -> Iterator[Step]:
        yield from one.begin(talk)
        yield call("Read", file_path=one.calc)
        text = "\n\ndef sub(a, b):\n    return a + b  # wrong\n"
        yield call("Edit", file_path=one.calc, old_string="# more\n", new_string=text)
        yield from one.show()
        yield from one.mark("Phase 1: Subtract", "Phase 2: Show it")
        yield from report(talk)

    def right(talk: Talk) -> Iterator[Step]:
        yield from one.begin(talk)
        yield call("Read", file_path=one.calc)
        yield call("Edit", file_path=one.calc, old_string="return a + b  # wrong", new_string="return a - b")
        yield from report(talk)

    return in_turn(wrong, right)
