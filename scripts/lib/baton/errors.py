"""The one exception a user may see, as one line."""


class BatonError(Exception):
    """Say what could not be done, where, and what to do about it; the program exits 2."""

    def __init__(self, what: str, where: str, remedy: str) -> None:
        super().__init__(f"{what} at {where}: {remedy}")
        self.what = what
        self.where = where
        self.remedy = remedy
