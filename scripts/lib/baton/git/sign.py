"""A commit that is signed as its user has set it up: the program that signs is named where it fails."""

import os
from pathlib import Path

from baton.git.command import Git, run_git
from baton.git.git_refusals import GitRefused

# Who signs, by the kind of key, and how long that may take: somebody may be typing.
SIGNERS = {"openpgp": "gpg", "ssh": "ssh-keygen", "x509": "gpgsm"}
SIGN_SECONDS = 60.0


def sign_commit(git: Git, words: list[str], message: bytes) -> str:
    """Make a signed commit; the program that signs is named where it fails, and ended where it hangs."""
    kind = git.ask("config", "--get", "gpg.format").out.strip() or "openpgp"
    program = git.ask("config", "--get", f"gpg.{kind}.program").out.strip() or (
        git.ask("config", "--get", "gpg.program").out.strip() if kind == "openpgp" else ""
    )
    where, asked = git.project.root, ("commit-tree", "--gpg-sign", *words)
    try:
        done = run_git(where, *asked, stdin=message, seconds=SIGN_SECONDS, apart=not _at_a_terminal())
    except GitRefused as late:
        why = f"it did not answer in {SIGN_SECONDS:.0f} s, and was ended"
        raise _unsigned(program or SIGNERS.get(kind, kind), why, where, late=True) from late
    if done.code:
        raise _unsigned(program or SIGNERS.get(kind, kind), "; ".join(done.tail.split("\n")), where)
    return done.out.strip()


def _unsigned(program: str, why: str, where: Path, late: bool = False) -> GitRefused:
    remedy = "unlock your key, as by signing something yourself, or see why it fails"
    return GitRefused(f"`{program}` does not sign your commit ({why})", str(where), remedy, late)


def _at_a_terminal() -> bool:
    """Whether somebody can be asked for a passphrase, by this process's own terminal."""
    try:
        os.close(os.open(os.ctermid(), os.O_RDWR))
    except OSError:
        return False
    return True
