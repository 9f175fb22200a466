"""What was said on a story's pull request is settled by a round: one process, no more than one at a time."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from baton.feedback.store.kept_files import folder_of
from baton.feedback.store.questions import Answers, Question
from baton.headless import client_process, one_story
from baton.headless.at_work import AtWork
from baton.headless.client_process import Waiting, find_processes, plays_round
from baton.headless.crew import Crew
from baton.headless.one_story import OneStory
from baton.journal.events import IntegrationStepDone, Judged
from baton.story.ask.step import Step
from baton.story.session.open_story import open_story
from bench import Bench
from headless.conftest import NewCrew, take_on
from headless.fake_client import GO_ON, starts
from headless.test_kill import Point, take_on_killed

URL = "https://github.com/octo/app/pull/7"
FEEDBACK = Step("42", "integration", "feedback", "review/open", "1 item of feedback", pull=URL)
COMPLETE = Step("42", "integration", "complete", "integrate/base", "merged")
ASKED = Question("land/commands", "x", "it would run make", "May it?", {"accept": "lets it"})
Steps = Callable[..., None]


@pytest.fixture
def folder(micro: Bench) -> Path:
    """The pull request, which was read, of a story whose run was judged."""
    with open_story(micro.project, "42", "a test") as story:
        story.note(Judged(micro.run.id, "micro/pass", "integrate", "integrate", "it passed"))
    made = folder_of(micro.project, "github.com", "octo/app", 7)
    made.mkdir(parents=True)
    (made / "feedback.json").write_text("{}")
    return made


@pytest.fixture
def steps(micro: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Steps:
    """Have `next` give these steps; before a word, that head is what is looked at."""

    def give(*found: Step | str) -> None:
        left: Iterator[Step | str] = iter(found)

        def step(*_: object) -> Waiting[Step]:
            yield
            while not isinstance(one := next(left), Step):
                with open_story(micro.project, "42", "a test") as story:
                    story.note(IntegrationStepDone("review/open", one, "1 item", "none before"))
            return one

        monkeypatch.setattr(OneStory, "_next", step)

    return give


def test_after_a_round_the_story_goes_on(steps: Steps, crew_of: NewCrew, micro: Bench, programs: Path) -> None:
    told = list[str]()
    crew = crew_of(told=told)
    steps(FEEDBACK, COMPLETE)
    assert take_on(crew).says == "merged"
    assert (starts(programs), crew.spent) == ([URL], 0.5)
    assert told == [f"settle what was said on its pull request: {one}" for one in ("begins", "ended")]
    assert find_processes(micro.project, "42") == []


def test_a_round_without_a_change_ends_the_turn_as_it_said(steps: Steps, crew_of: NewCrew, programs: Path) -> None:
    steps(FEEDBACK, FEEDBACK)
    ended = take_on(crew_of())
    assert (ended.how, starts(programs)) == ("waits", [URL])
    assert ended.says.endswith("settled nothing: on; `/resolve-pr-feedback 7`, then `baton run 42`")


def test_after_one_that_pushed_there_may_be_another(steps: Steps, crew_of: NewCrew, programs: Path) -> None:
    steps("a" * 40, FEEDBACK, "b" * 40, FEEDBACK, COMPLETE)
    assert take_on(crew_of()).how == "complete"
    assert starts(programs) == [URL] * 2


def test_a_question_of_a_round_ends_the_turn_and_starts_no_process(
    steps: Steps, crew_of: NewCrew, micro: Bench, folder: Path, programs: Path
) -> None:
    answers = Answers(micro.project, folder)
    answers.ask(ASKED)
    steps(FEEDBACK)
    ended = take_on(crew_of())
    assert (ended.how, ended.question, starts(programs)) == ("asks", ASKED.data(7), [])
    assert ended.says == "May it? `baton answer pr-7 OPTION`, then `baton run 42`"
    answers.answer("accept", "", {})
    steps(FEEDBACK, COMPLETE)
    assert take_on(crew_of()).how == "complete"


@pytest.mark.parametrize("order", ["fail", "unstarted", "die"])
def test_a_client_that_fails_starts_once_more(order: str, steps: Steps, crew_of: NewCrew, programs: Path) -> None:
    steps(FEEDBACK, COMPLETE)
    assert take_on(crew_of(order)).how == "complete"
    assert starts(programs) == [URL] * 2


def test_the_story_rests_if_the_client_fails_twice(steps: Steps, crew_of: NewCrew, programs: Path) -> None:
    steps(FEEDBACK)
    ended = take_on(crew_of("fail", "fail"))
    assert (ended.how, starts(programs)) == ("error", [URL] * 2)
    assert ended.says == "the client failed: API Error: 500; `baton run 42` goes on"


def test_while_the_service_refuses_its_agents_the_next_round_waits(
    steps: Steps, crew_of: NewCrew, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    paused, crew = list[float](), crew_of("refuse")

    def pause(seconds: float) -> Waiting[None]:
        paused.append(seconds)
        yield

    monkeypatch.setattr(crew, "pause", pause)
    steps(FEEDBACK, FEEDBACK, FEEDBACK, COMPLETE)
    assert take_on(crew).how == "complete"
    assert (starts(programs), [600 < one < 700 for one in paused]) == ([URL] * 2, [True])


@pytest.fixture
def alive(steps: Steps, crew_of: NewCrew, micro: Bench) -> Crew:
    """A call that was killed while the client plays a round; gives the next."""
    steps(FEEDBACK)
    take_on_killed(crew_of, "hold", at=(AtWork, "_watch", 1, "before"))
    assert plays_round(micro.project, "42")
    return crew_of("hold")


def test_a_round_outliving_its_call_is_awaited(alive: Crew, steps: Steps, micro: Bench, programs: Path) -> None:
    (programs / GO_ON).touch()
    steps(COMPLETE)
    assert take_on(alive).how == "complete"
    assert (starts(programs), alive.spent) == ([URL], 0.5)
    assert find_processes(micro.project, "42") == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("at", "began"), [
    ((client_process, "_write_record", 1, "before"), False),
    ((client_process, "_write_record", 1, "after"), False),
    ((subprocess, "Popen", 1, "before"), False),
    ((subprocess, "Popen", 1, "after"), True),
    ((client_process, "_write_record", 2, "before"), True),
    ((AtWork, "_close", 1, "before"), True),
    ((one_story, "forget_processes", 2, "before"), True),
])  # fmt: skip
def test_a_kill_repeats_no_round(at: Point, began: bool, steps: Steps, crew_of: NewCrew, programs: Path) -> None:
    steps(FEEDBACK)
    take_on_killed(crew_of, at=at)
    steps(*([] if began else [FEEDBACK]), COMPLETE)
    again = crew_of()
    assert take_on(again).how == "complete"
    assert (starts(programs), again.spent) == ([URL], 0.5)


def test_the_second_stop_ends_it(alive: Crew, micro: Bench) -> None:
    (process,) = find_processes(micro.project, "42")
    alive.stops = 2
    assert take_on(alive).says == "you stopped it; `baton run 42` goes on"
    assert (process.lives, plays_round(micro.project, "42")) == (False, False)


def test_once_the_call_is_closed_none_is_played(steps: Steps, crew_of: NewCrew, programs: Path) -> None:
    crew = crew_of()
    steps(FEEDBACK)
    crew.stops = 1
    with pytest.raises(StopIteration) as turn:
        next(OneStory(crew, "42")._settle(FEEDBACK))
    assert turn.value.value.says == "you stopped it; `baton run 42` goes on"
    assert starts(programs) == []
