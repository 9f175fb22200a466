"""What happens to a run's work once it is judged: committed, filed away, summarised."""

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from baton.artefacts.document import read_document
from baton.artefacts.findings import Finding, shown
from baton.artefacts.kinds import is_valid
from baton.artefacts.metadata import read_metadata
from baton.artefacts.report import declared_files
from baton.drive.merging import open_merge, unresolved
from baton.drive.opened import OpenStory
from baton.drive.render import render
from baton.outside.commits import Commit, commit_changes, commit_folder, find_commit
from baton.outside.git import Git
from baton.outside.outbox import Effect
from baton.story.durable import move_durably, write_durably
from baton.story.events import Filed, Judged
from baton.story.places import Folder
from baton.story.roles import MICRO_REPORT, RETURN, ROLES
from baton.story.run import Run
from baton.story.state import State

UNDECLARED = (
    "new and not declared: if it belongs to the work, name its path in backticks under `## Changes Made` (or in "
    "`files_changed`); if this story's runs left it behind, remove it or let git ignore it; if it is someone "
    "else's, leave it alone and end your turn saying so"
)
LEFT_UNDECLARED = (
    "new, and the run before left it undeclared: if it belongs to the work, name its path in backticks under "
    "`## Changes Made`; if not, remove it or let git ignore it"
)
# How a commit says what it is about: by which it is found again.
RUN_LINE = "Baton-Run:"
# The client writes it whenever its user allows something for good.
CLIENT_SETTINGS = ".claude/settings.local.json"
MADE_BY = "# Made by baton: "
WORK_FILES = (".gitignore", "briefs/", "history/", ".return-meta.json", ".*.tmp")
IGNORED = {
    "commit": "\n".join((f"{MADE_BY}work files that never enter git.", *WORK_FILES, "")),
    "local": f"{MADE_BY}stories stay out of git here.\n*\n",
}


def keep_out_of_git(folder: Folder, artefacts: str) -> None:
    """Put an untracked `.gitignore` that ignores itself beside the stories; one that is not ours stays as it is.

    Ours then lies in the story's own folder. `artefacts` says whether it names the work files alone (commit) or
    all there is (local).
    """
    for place in (folder.path.parent, folder.path):
        path = place / ".gitignore"
        text = read_document(path) if path.exists() else MADE_BY
        if text.startswith(MADE_BY):
            if text != IGNORED[artefacts]:
                write_durably(path, IGNORED[artefacts], folder.root)
            return


def file_away(folder: Folder, kinds: tuple[str, ...], state: State) -> None:
    """Move artefacts to `history/<run>/` of the run that handed them in."""
    for kind in kinds:
        path = folder.artefact(kind)
        if not path.exists():
            continue
        owner = next((run.id for run in reversed(state.runs) if kind in run.handed_in), "before")
        target = free_name(folder.history(owner) / path.name)
        move_durably(path, target, folder.root)


def free_name(path: Path) -> Path:
    """Give a path that nothing has: this one, or with a number behind."""
    number = 1
    free = path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}.{number}")
    return free


def new_files(git: Git, folder: Folder, known_before: list[str]) -> list[str]:
    """Give the files that are new since the story began and not ignored, those of the stories left out."""
    known = {*known_before, CLIENT_SETTINGS}
    inside = f"{folder.relative_to_root(folder.path.parent)}/"
    names = dict.fromkeys([*git.untracked(), *git.staged_new()])
    return [name for name in names if name not in known and not name.startswith(inside)]


def is_repository(name: str) -> bool:
    """Whether git names a folder among files: a repository in this one, of which it would keep no file."""
    return name.endswith("/")


def declared(story: OpenStory) -> frozenset[str]:
    """Give the files a run declares in its report or its metadata, by whichever is there."""
    names, folder = set[str](), story.folder
    for kind in ("impl-report", MICRO_REPORT):
        if folder.artefact(kind).exists():
            names |= declared_files(read_document(folder.artefact(kind)))
    metadata = folder.artefact(RETURN)
    if metadata.exists():
        text = read_document(metadata)
        if story.accepted(RETURN, text) or is_valid(RETURN, text):
            names |= set(read_metadata(text).files_changed)
    return frozenset(name.removeprefix("./") for name in names)


def undeclared(
    git: Git, folder: Folder, known_before: list[str], names: frozenset[str], message: str = UNDECLARED
) -> list[Finding]:
    """Find new files nobody declared: they would be missing from the commit."""
    return [
        Finding(shown(name), "file", "undeclared-file", message)
        for name in new_files(git, folder, known_before)
        if name not in names or is_repository(name)
    ]


def commit_run(story: OpenStory, run: Run, judged: Judged | None) -> Commit:
    """Commit what a run may commit: its changes and declared files where its role changes code, else its folder.

    `judged` is its judgement where that is not journalled yet: the summary that is committed tells of it.
    While a merge of ours has conflicts, nothing is committed; the commit of the run that resolves them is its end.
    """
    write_summary(story, judged)
    changes_code = ROLES[run.role].changes_code
    merging = open_merge(story)
    if merging and not (changes_code and not unresolved(story, declared(story))):
        return Commit("")
    what = f"merge {story.base}" if merging else run.phase
    message = f"story {story.id}: {what}\n\n{story.state.created.title}"
    about = _about(story, run, judged)
    if not changes_code:
        return commit_once(story, message, about, lambda text: commit_artefacts(story, text))
    return commit_once(story, message, about, lambda text: _commit_code(story, text))


def _about(story: OpenStory, run: Run, judged: Judged | None) -> str:
    """Name a run's commit: by the run, and by the judgement where a person had it judged once more."""
    known = sum(isinstance(event, Judged) and event.run == run.id for event in story.state.events)
    times = known + (judged is not None)
    return run.id if times < 2 else f"{run.id} judgement {times}"


def commit_once(story: OpenStory, message: str, about: str, act: Callable[[str], Commit]) -> Commit:
    """Make a commit that is known by its last line, `Baton-Run:` and what it is about, unless it is there."""
    line = f"{RUN_LINE} {about}"

    def look(before: str) -> str:
        return find_commit(story.git, before, line)

    head = story.git.commit_of("HEAD")
    return story.perform(Effect("commit", about, head, look, lambda: act(f"{message}\n\n{line}")))


def _commit_code(story: OpenStory, message: str) -> Commit:
    """Commit the story's folder, all tracked changes, and those new files that were declared."""
    if story.config.artefacts == "commit":
        story.git.do("add", "--", story.folder.relative)
    known = story.untracked_before
    names = declared(story)
    fresh = [
        name for name in new_files(story.git, story.folder, known) if name in names and not is_repository(name)
    ]
    inside = f"{story.folder.relative}/"
    staged = [name for name in story.git.staged_new() if not name.startswith(inside)]
    story.git.unstage([name for name in staged if name not in fresh])
    return commit_changes(story.git, fresh, message)


def commit_artefacts(story: OpenStory, message: str) -> Commit:
    """Commit the story's folder and nothing else, unless the project keeps stories out of git."""
    if story.config.artefacts == "local":
        return Commit("")
    return commit_folder(story.git, story.folder.relative, message)


def conclude(story: OpenStory, run: Run, made: Commit) -> None:
    """File the run's metadata away and journal what became of its work."""
    file_away(story.folder, ("return-meta",), story.state)
    story.note(Filed(run.id, made.commit, made.refused))


def write_summary(story: OpenStory, last_judged: Judged | None = None) -> None:
    """Render the summary with its Phase Log: one entry a run.

    It names rules and quotes nothing: what a hook refused would be refused again for being told here.
    """
    day = datetime.now(timezone.utc).strftime("%Y%m%d")
    folder = story.folder.path / "summaries"
    existing = sorted(folder.glob("implementation-summary-*.md"))
    path = existing[0] if existing else folder / f"implementation-summary-{day}.md"
    events = [*story.state.events, *([last_judged] if last_judged else [])]
    # A run a person had judged once more has its last judgement.
    judged = list({event.run: event for event in events if isinstance(event, Judged) and event.run}.values())
    last = judged[-1] if judged else None
    text = render(
        "summary.md.j2",
        id=story.id,
        title=story.state.created.title,
        entries=judged,
        closed=last.closed if last else 0,
        total=last.total if last else 0,
    )
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_durably(path, text, story.project.root)
