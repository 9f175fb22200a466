"""Find where a story's branch is pushed, and where its pull request is opened."""

from typing import NamedTuple

from baton.errors import BatonError
from baton.git.command import Git
from baton.git.remotes import pushed_as
from baton.github.address import choose_remote, known_remotes

NO_REMOTE = "`git remote add origin URL` of a repository on GitHub, or set another `integrate.mode`; then retry"


class Destination(NamedTuple):
    """The repository a pull request is opened in, by the remote of its base; and where its branch is pushed."""

    host: str
    repository: str
    remote: str
    pushed_to: str  # the remote the branch is pushed to: a fork's, where branches are pushed to one
    owner: str  # of that

    @property
    def name(self) -> str:
        return f"{self.host}/{self.repository}"

    @property
    def is_fork(self) -> bool:
        """Whether the branch is pushed to another owner's repository than its pull request is opened in."""
        return self.owner.lower() != self.repository.partition("/")[0].lower()


def find_destination(git: Git, branch: str) -> Destination:
    """Return where a branch goes; a BatonError where no remote is GitHub's, or several may be meant."""
    remotes = known_remotes(git)
    target = choose_remote(remotes, NO_REMOTE)
    wanted, _ = pushed_as(git, branch)
    source = next((remote for remote in remotes if remote.name == wanted), target)
    if source.host != target.host:
        what = f"branches go to {source.host}, pull requests to {target.host}"
        raise BatonError(what, "`git remote --verbose`", "set `remote.pushDefault`, then retry")
    return Destination(
        target.host, target.repository, target.name, source.name, source.repository.partition("/")[0]
    )
