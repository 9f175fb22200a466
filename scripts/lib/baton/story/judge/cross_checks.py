"""The claims of a hand-in, held against what the program sees, while the run can still fix them."""

import os
from collections.abc import Collection
from pathlib import Path, PurePath
from typing import NamedTuple

from baton.artifacts.claims import is_below
from baton.artifacts.document import decode
from baton.artifacts.findings import Finding, writable_name
from baton.artifacts.metadata import Metadata
from baton.artifacts.report import ESCALATE, FAIL, IMPL, PASS, QA, RunReport, criteria_faults
from baton.checks.failures import is_named
from baton.git.listing import Listing
from baton.git.object_store import Entry
from baton.git.objects import merge_trees
from baton.git.paper_trees import changes_between
from baton.git.submodules import edited_in
from baton.journal.paths import Folder, is_inside
from baton.journal.run import ROLES, Run
from baton.story.checks.baseline import fails_on_base, passes_on_base
from baton.story.checks.gate import covers_loss, covers_path
from baton.story.checks.merge_conflicts import find_unresolved, in_tree
from baton.story.judge.run_facts import declared_files_of
from baton.story.session.session import StorySession, base_commit_of
from baton.story.session.story_files import digest_of, read_spec, reported_files
from baton.text import join_words

KNOWN = "{base} fails this, too: {name}; it blocks nothing, put it under `known_failures`"
UNKNOWN = (
    "every command passes on {base}: {name} is the story's, it goes under `blocking_failures`; or, where no "
    "command shows it, or it fails only at times, under `notes`"
)
ALONE = (
    "every row passes, and {base} fails {names}, too: put that under `known_failures` and say PASS; or say in "
    "`reason` what else is wrong, without it"
)
NAMELESS = "it is committed, and no report names it: name it, or put it back if it is not part of the work"
IGNORED = "{name} is ignored by `{by}`, and so no part of the work: leave it out, or change what ignores it"
UNCHANGED = "{name} is as it is on base, for git: leave it out, or change it"
ABSOLUTE = "{name} is an absolute path: name files of your work tree from its root, as `{own}`"
ELSEWHERE = "{name} lies outside your work tree, {root}: make the change there, and name it from that root"
OF_SUBMODULE = "{name} lies in the submodule {by}, which is a repository of its own: the work here has none of it"
UNNAMED = "nothing is named, but changed are {names}: name them"
GONE = "{base} has {name}, and your tree has it no more: name it in `changes_made`, or put it back"


class ChangedFiles(NamedTuple):
    """A commit and its files, papers aside: all the story changes, those its run wrote, those of base it lost."""

    commit: str
    all: list[str]
    made: list[str]
    gone: list[str]


class Claims(NamedTuple):
    """The hand-ins of one run, held against its work tree, in which the story was opened."""

    story: StorySession
    run: Run
    source: str

    def check(self, metadata: Metadata) -> list[Finding]:
        """Find what metadata says that is not so; its form is checked elsewhere."""
        missing = self._missing(metadata) + self._silent(metadata, self.run.handed_in)
        return missing + self._untrue(metadata) if metadata.final else missing

    def check_report(self, kind: str, report: RunReport) -> list[Finding]:
        """Find what a report says that is not so: criteria without a row, conflicts that are left."""
        where = "$.criteria_mapping" if kind == IMPL else "$.criteria"
        criteria = criteria_faults(report, read_spec(self.story).criteria)
        findings = [Finding(self.source, where, f"{kind}/criteria", criterion) for criterion in criteria]
        findings += self._story_changed()
        if kind == QA or report.blocking_failures or report.verdict in (FAIL, ESCALATE):
            return findings
        return [*findings, *self._unresolved(frozenset(report.files))]

    def check_changes(self, names: Collection[str]) -> list[Finding]:
        """Hold the files it says were changed against those that were; its work was taken before.

        A merge has two parents: what base brought by it is base's, and no change of the run's.
        """
        work = self._changed_files()
        same = [name for name in names if not any(covers_path([name], path) for path in work.all)]
        messages = [self._unchanged(name) for name in same]
        if work.all and not names:
            messages.append(UNNAMED.format(names=join_words([writable_name(path) for path in work.all])))
        named, after = {*names, *reported_files(self.story)}, Listing(self.story.git, work.commit)
        unnamed = [path for path in work.gone if not covers_loss(named, path, after)]
        messages += [GONE.format(base=self.story.settings().base, name=writable_name(path)) for path in unnamed]
        more = [path for path in work.made if names and not covers_path(names, path)]
        return [
            *(Finding(self.source, "$.changes_made", "changes", message) for message in messages),
            *(Finding(writable_name(path), "file", "unnamed-file", NAMELESS, "warning") for path in more),
        ]

    def _unchanged(self, name: str) -> str:
        """Say why a file that is named is no change: it is of another tree, git ignores it, or it is as it was."""
        root, shown = self.story.project.root, writable_name(name)
        if PurePath(name).is_absolute():
            inside = is_below(name, str(root))
            own = os.path.relpath(name, root)
            return (ABSOLUTE if inside else ELSEWHERE).format(name=shown, own=writable_name(own), root=root)
        if submodule := next((path for path in edited_in(root) if is_below(name, path)), ""):
            return OF_SUBMODULE.format(name=shown, by=writable_name(submodule))
        by = self.story.git.ignored_by(name)
        return (IGNORED if by else UNCHANGED).format(name=shown, by=by)

    def _changed_files(self) -> "ChangedFiles":
        """Compare what was kept of the run with what its tree began as, and with the commit of base below it."""
        git, run, sent = self.story.git, self.story.state.run, self.run.dispatched
        assert run is not None
        commit = (run.kept and run.kept.commit) or sent.head
        began = merge_trees(git, sent.head, sent.merging).tree if sent.merging else sent.head
        base = git.fork_point(sent.merging or sent.head, base_commit_of(self.story))
        of_base, of_run = self._between(base, commit), self._between(began, commit)
        return ChangedFiles(
            commit,
            sorted({*of_base, *of_run}),
            [name for name, (_, after) in of_run.items() if after is not None],
            [name for name, (_, after) in of_base.items() if after is None],
        )

    def _between(self, before: str, after: str) -> dict[str, tuple[Entry | None, Entry | None]]:
        """Return what differs from one commit or tree to another, the story's papers aside."""
        changes = changes_between(self.story.git, before, after)
        return {name: sides for name, sides in changes.items() if not self.story.folder.papers.has(name)}

    def check_failures(self, kind: str, report: RunReport) -> list[Finding]:
        """Find failures it calls blocking that base has, too, or known that base has not, as far as names tell."""
        base, old = self.story.settings().base, fails_on_base(self.story)
        findings = [
            Finding(self.source, "$.blocking_failures", f"{kind}/known", KNOWN.format(base=base, name=name))
            for name in old
            if any(is_named(name, failure) for failure in report.blocking_failures)
        ]
        open_rows = [row for row in report.rows if row.result != PASS]
        alone = report.verdict == FAIL and not (open_rows or report.blocking_failures)
        if names := [name for name in old if alone and is_named(name, report.reason)]:
            message = ALONE.format(base=base, names=join_words(names, 3))
            findings.append(Finding(self.source, "$.verdict", f"{kind}/known", message))
        if report.known_failures and passes_on_base(self.story):
            message = UNKNOWN.format(base=base, name=report.known_failures[0][:100])
            findings.append(Finding(self.source, "$.known_failures", f"{kind}/unknown", message))
        return findings

    def _untrue(self, metadata: Metadata) -> list[Finding]:
        """Find what final metadata says of the run's work that the tree does not bear out."""
        conflicts = ROLES[self.run.role].changes_code and metadata.status == "implemented"
        left = self._unresolved(frozenset(metadata.files_changed)) if conflicts else []
        return [*self._story_changed(), *left]

    def _story_changed(self) -> list[Finding]:
        """Find a story.md that the run changed in its tree: only the user may."""
        path = Folder(self.story.project.root, self.story.folder.relative, self.story.id).artifact("story")
        kept = self.story.folder.root.parent / "accepted"
        if path.is_file() and (kept / digest_of(decode(path.read_bytes(), str(path)))).exists():
            return []  # as it is, or as it was before the user changed it
        name = self.story.folder.relative_to_root(self.story.folder.artifact("story"))
        if self.story.settings().config.artifacts == "commit" and not self._differs(name):
            return []
        message = "only the user may change the story: put it back"
        if self.story.settings().config.artifacts == "commit":
            # The run's own HEAD may hold the change.
            message += f", `git restore --source={self.run.dispatched.head[:12]} -- {name}`"
        return [Finding(name, "file", "story-changed", message)]

    def _differs(self, name: str) -> bool:
        """Whether git sees a file differ from the commit, line ends aside as it is set up."""
        return bool(self.story.git.do("diff", "--name-only", self.run.dispatched.head, "--", name))

    def _missing(self, metadata: Metadata) -> list[Finding]:
        """Find files it names that are not in its tree: a handoff, or an artifact the run did not delete."""
        named = [
            (f"$.artifacts[{index}].path", artifact.path) for index, artifact in enumerate(metadata.artifacts)
        ]
        gone = [(where, path) for where, path in named if not self._is_known(path)]
        handoff = metadata.handoff_path
        roots = (self.story.project.root, self.story.folder.root)
        if handoff and not any(is_inside(root, handoff) for root in roots):
            gone.append(("$.partial_progress.handoff_path", handoff))
        return [
            Finding(self.source, where, "return-meta/no-file", f"no such file in this project: {path}")
            for where, path in gone
        ]

    def _is_known(self, path: str) -> bool:
        """Whether an artifact exists, lies outside (which has its own warning), or was deleted: git knew it."""
        if PurePath(path).is_absolute() or path in ("", "."):
            return True
        try:
            places: list[Path] = [self.story.project.root / path, self.story.folder.root / path]
            return any(map(os.path.lexists, places)) or self.story.git.has(path)
        except ValueError:  # a NUL
            return False

    def _unresolved(self, names: frozenset[str]) -> list[Finding]:
        """Find conflicts left of a merge that was begun in the tree: with them it could not be committed."""
        known = frozenset(name.removeprefix("./") for name in names) | declared_files_of(self.story)
        return find_unresolved(self.story, self.run, in_tree(self.story.project.root), known)

    def _silent(self, metadata: Metadata, handed_in: Collection[str]) -> list[Finding]:
        """Find a `blocked` or `failed` without a reason: the user could not decide from it."""
        reason = metadata.errors or metadata.details or metadata.review_reason or "plan-blocked" in handed_in
        if metadata.status not in ("blocked", "failed") or reason:
            return []
        message = f"`{metadata.status}`, but not why: say it in `errors`, as `- message: …`"
        return [Finding(self.source, "$.errors", "return-meta/no-reason", message)]
