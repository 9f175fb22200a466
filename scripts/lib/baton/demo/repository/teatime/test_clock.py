import unittest

from .clock import face


class ClockTest(unittest.TestCase):
    def test_minutes_and_seconds(self) -> None:
        assert face(210) == "3:30"

    def test_less_than_a_minute(self) -> None:
        assert face(5) == "0:05"

    def test_an_hour_and_more(self) -> None:
        assert face(3900) == "1:05:00"
