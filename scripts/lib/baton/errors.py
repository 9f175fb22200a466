"""The only exception a user may see, as one line."""

# Names of files may hold line breaks, and what a terminal obeys: it is shown as Python writes it.
SHOWN = {code: repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160), 0x2028, 0x2029)}


class BatonError(Exception):
    """Say what could not be done, where, and what to do about it; the program exits 2."""

    def __init__(self, what: str, where: str, remedy: str) -> None:
        text = f"{what} at {where}: {remedy}".translate(SHOWN)
        if not text.isascii():
            from baton.text import printable  # which the hook that runs before every tool does without

            text = printable(text)
        super().__init__(text)
        self.what = what
        self.where = where
        self.remedy = remedy
