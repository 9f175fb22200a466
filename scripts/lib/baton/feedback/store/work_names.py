"""The names of what is out for a pull request: `pr7-r1f-u2` is a unit of its round, `pr7-r1f-t2` a reading.

The standard library alone, and little of it: a hook asks before the calls of a reader.
"""

import re

WORK_NAME = re.compile(r"pr([1-9][0-9]{0,9})-r[0-9a-f]{1,16}-([tu])[1-9][0-9]{0,5}")


def number_of(name: str) -> int:
    """Return the number of the pull request that a unit or a reading is of; 0 for any other name."""
    match = WORK_NAME.fullmatch(name)
    return int(match[1]) if match else 0


def is_unit(name: str) -> bool:
    """Whether this is the name of a unit."""
    match = WORK_NAME.fullmatch(name)
    return match is not None and match[2] == "u"


def is_reading(name: str) -> bool:
    """Whether this is the name of a reading."""
    match = WORK_NAME.fullmatch(name)
    return match is not None and match[2] == "t"
