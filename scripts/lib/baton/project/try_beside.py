"""Try a project's commands beside the documents that a story leaves on base.

A build may take a new folder for a package of the project (setuptools' discovery in a flat layout), and a
formatter may want their Markdown otherwise: base would fail from the first story on.
"""

import time
from collections.abc import Callable, Sequence

from baton.artifacts.config import Command, Config
from baton.artifacts.report import QA
from baton.artifacts.report_text import render_report
from baton.git.command import Git
from baton.git.git_refusals import GitRefused
from baton.git.objects import commit_to_look_at, tree_of, with_files
from baton.project import try_commands
from baton.project.try_commands import Trial, Tried

USUAL, SECOND = Config().dir, f"docs/{Config().dir}"
CRITERION = "`app --version` prints the version"
SEEN = {"id": "AC1", "result": "PASS", "evidence": "`app --version`: `1.0`"}
DOCUMENTS = {
    "story.md": f"# A sample\n\n## Acceptance Criteria\n\n- {CRITERION}\n",
    "0.qa-report.md": render_report(
        QA, {"verdict": "PASS", "reason": "It was seen.", "criteria": [SEEN]}, [CRITERION]
    ),
}


def try_beside_documents(
    git: Git, commit: str, commands: Sequence[Command], tell: Callable[[str], None]
) -> tuple[Trial, str]:
    """Run commands on a commit and such documents; returns how that went, and the folder for documents to set.

    What fails is run without them, too. If they are the cause, another folder is tried; if that does not help, a
    warning says so. All of it takes ten minutes at most.
    """
    deadline = time.monotonic() + try_commands.TRY_SECONDS

    def trial_on(commit: str) -> Trial:
        return try_commands.try_commands(git.project, commit, commands, tell, deadline)

    first = trial_on(_with_documents(git, commit, USUAL))
    if not _failed(first):
        return first, ""
    plain = trial_on(commit)
    passed = {result.name for result in plain.tried if result.how == "passed"}
    spoiled = [result for result in _failed(first) if result.name in passed]
    if not spoiled:
        return (plain if time.monotonic() < deadline else first), ""
    second = trial_on(_with_documents(git, commit, SECOND))
    if passed.isdisjoint(result.name for result in second.tried if result.how != "passed"):
        return second, SECOND
    return plain._replace(warnings=[*map(_warning, spoiled), *plain.warnings]), ""


def _failed(trial: Trial) -> list[Tried]:
    return [result for result in trial.tried if result.how in ("failed", "changes files")]


def _warning(result: Tried) -> str:
    how = "changes" if result.how == "changes files" else "fails beside"
    remedy = f"leave {USUAL}/ out of it, as by an ignore file, or set `artifacts: local`"
    return f"{result.name} {how} the documents that stories leave in {USUAL}/ ({result.why}): {remedy}"


def _with_documents(git: Git, commit: str, folder: str) -> str:
    """Return a commit that is this one with the documents in a folder; itself where git makes none.

    So it is where a file has the folder's name; what else keeps git from it, the commands meet as well.
    """
    files = {f"{folder}/0_sample/{name}": text.encode() for name, text in DOCUMENTS.items()}
    try:
        return commit_to_look_at(git, with_files(git, tree_of(git, commit), files), [commit])
    except GitRefused:
        return commit
