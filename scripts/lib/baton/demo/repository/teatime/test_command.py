import unittest

from .__main__ import answer


class CommandTest(unittest.TestCase):
    def test_a_tea_by_its_name(self) -> None:
        assert answer(["green"]) == "2:00"
