"""What an older version kept of a pull request is read as what it meant: a sentence is a field by now."""

from pathlib import Path
from shutil import copytree

import pytest

from baton.feedback.land.kept_summary import load_landed
from baton.feedback.reader.readings import load_readings
from baton.feedback.record.digest import Digest
from baton.feedback.record.record import load_record_in, save_record
from baton.feedback.store.kept_files import folder_of
from baton.feedback.store.questions import Answers
from baton.journal.paths import Project
from bench import ROOT

OLDER = ROOT / "tests/examples/feedback/older"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Make a project in which an older version read the pull request 7 of octo/app."""
    made = Project(tmp_path, tmp_path / ".git", tmp_path / ".git")
    record = copytree(OLDER, folder_at(made)) / "feedback.json"
    record.write_text(record.read_text().replace("@FOLDER@", str(record.parent)))
    return made


def folder_at(project: Project) -> Path:
    return folder_of(project, "github.com", "octo/app", 7)


def test_a_bot_that_spoke_again_is_known_by_the_end_of_why(project: Project) -> None:
    for _ in range(2):
        record = load_record_in(project, folder_at(project))
        assert {item.id for item in record.items if item.spoke_again} == {"T_1"}
        assert "AFTER OUR ANSWER @coderabbitai 1: " in Digest(record, 1).text()
        save_record(project, record)


def test_a_reader_that_failed_is_known_by_the_quote_of_what_is_taken_whole(project: Project) -> None:
    read = load_readings(project, folder_at(project)).texts
    assert sorted((text.failed, text.quote) for text in read.values()) == [(False, ""), (True, "")]
    [address] = load_record_in(project, folder_at(project)).not_read
    assert address.endswith("#discussion_C_3")


def test_the_question_of_a_summary_is_known_by_its_words_and_passed_commands_by_theirs(project: Project) -> None:
    landed = load_landed(project, folder_at(project))
    assert landed is not None
    assert (landed.asked, landed.passed) == ("verify/pattern r1a2b3c4", True)
    Answers(project, folder_at(project)).answer("leave", "", {})
    other = load_landed(project, folder_at(project))
    assert other is not None
    assert (other.asked, other.step) == ("", landed.step)
