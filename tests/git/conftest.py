"""Git in the work tree of a test's repository."""

import pytest

from baton.git.command import Git, find_project
from bench import Bench


@pytest.fixture
def git(bench: Bench) -> Git:
    return Git(find_project(bench.root))
