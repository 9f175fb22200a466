"""The bots you trust in a repository: kept for all its pull requests, by login and the number of the account."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from baton.feedback.store.round_files import ASK_AGAIN, read_kept, write_answers
from baton.journal.lock import hold_lock
from baton.journal.paths import Project


class TrustedBots(NamedTuple):
    """The bots that are trusted in one repository; `folder` holds its pull requests."""

    project: Project
    folder: Path

    @property
    def numbers(self) -> Mapping[str, int]:
        """Their accounts: the login in small letters, without `[bot]`, and its number."""
        return dict(self._known()["trusted"])

    def trust(self, bots: Mapping[str, int], word: Mapping[str, str]) -> None:
        """Trust these as well; `word` is how the user said so, and in which words."""
        with hold_lock(self.folder / "trusted-bots.lock", f"trusting {', '.join(bots)}"):
            known = self._known()
            words = {**known["said"], **{name: dict(word) for name in bots}}
            write_answers(self.project, self._path, {"trusted": {**known["trusted"], **bots}, "said": words})

    @property
    def _path(self) -> Path:
        return self.folder / "trusted-bots.json"

    def _known(self) -> dict[str, Any]:
        return read_kept(self.project, self._path, _checked, ASK_AGAIN) or {"trusted": {}, "said": {}}


def _checked(value: Any) -> dict[str, Any]:
    trusted = {str(name): int(number) for name, number in value["trusted"].items()}
    return {"trusted": trusted, "said": dict(value["said"])}
