"""Every Python of this machine is set up, and takes the packages that are locked."""

import subprocess
from pathlib import Path

import pytest

from pythons import pythons

from .conftest import Place


@pytest.mark.long
@pytest.mark.parametrize("version", pythons())
def test_every_python_is_set_up(version: str, unset: Place) -> None:
    python = pythons()[version]
    if subprocess.run((python, "-c", "import ensurepip"), capture_output=True, check=False).returncode:
        pytest.skip("this one cannot make virtual environments")
    said = unset.run(BATON_PYTHON=python).said
    assert said["python"] == python
    assert Path(said["click"]).is_relative_to(unset.data)
