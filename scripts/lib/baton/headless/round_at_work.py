"""A round of feedback on a story's pull request: one process in the project's folder, whose agents work for it."""

from baton.headless.client_process import ROUND
from baton.headless.crew import Crew
from baton.headless.process_at_work import ProcessAtWork
from baton.usage.transcript import Usage


class RoundAtWork(ProcessAtWork):
    """A round for what was said on a pull request; without its URL, the one that an earlier call started."""

    task = "settle what was said on its pull request"

    def __init__(self, crew: Crew, story_id: str, url: str = "") -> None:
        super().__init__(crew, story_id, ROUND)
        self._url = url

    def _start(self) -> None:
        words = [f"/baton:resolve-pr-feedback {self._url}"]
        environment = self.crew.environment(self.story, module=True)
        self._start_client(words, "", self.project.root, environment)

    def _is_over(self) -> bool:
        """Whether it is an earlier call's: whether there is more to settle is the next step's to say."""
        return not self._url

    def _note(self, used: list[Usage]) -> None:
        """Say that it has ended: what it did is known to its pull request."""
        self.crew.tell(self.story, f"{self.task}: ended", "ended", run=self.id)
