"""How the REST interface says no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .request import answer_json

DOCS = "https://docs.github.com/rest"


class Refused(Exception):
    """An error of this interface."""

    def __init__(self, status: int = 404, message: str = "Not Found", errors: Sequence[Any] = ()) -> None:
        super().__init__(message)
        more = {"errors": list(errors)} if errors else {}
        self.answer = answer_json(
            {"message": message, **more, "documentation_url": DOCS, "status": str(status)}, status
        )
