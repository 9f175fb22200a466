"""The one exception a user may see, as one line."""

import re

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class BatonError(Exception):
    """Say what could not be done, where, and what to do about it; the program exits 2."""

    def __init__(self, what: str, where: str, remedy: str) -> None:
        # Names of files may hold line breaks, and what a terminal obeys.
        super().__init__(CONTROL.sub(lambda one: repr(one[0])[1:-1], f"{what} at {where}: {remedy}"))
        self.what = what
        self.where = where
        self.remedy = remedy
