"""What a hand-in claims, held against what the program sees, while the run can still fix it."""

import os
from collections.abc import Collection
from pathlib import Path, PurePath

from baton.artifacts.document import decode
from baton.artifacts.findings import Finding, faults
from baton.artifacts.kinds import check_artifact, is_valid
from baton.artifacts.metadata import Metadata, read_metadata
from baton.artifacts.plan import read_plan
from baton.artifacts.report import ESCALATE, FAIL, IMPL, QA, Report, criteria_faults
from baton.git.command import Git
from baton.journal.paths import Folder, Project, is_inside
from baton.journal.run import FIXES_DELTA, ROLES, Run
from baton.story.merge_conflicts import find_unresolved, in_tree
from baton.story.run_facts import declared_files_of
from baton.story.session import StorySession
from baton.story.story_files import digest_of, lost_phases, text_of, tree_plan


class Claims:
    """The hand-ins of one run, held against its work tree."""

    def __init__(self, story: StorySession, run: Run, tree: Project, source: str) -> None:
        self.story, self.run, self.tree, self.source = story, run, tree, source

    def check(self, kind: str, text: str) -> list[Finding]:
        """Find what metadata says that is not so; its form is checked elsewhere."""
        if kind != "return-meta" or not is_valid(kind, text):
            return []
        metadata = read_metadata(text, self.run.role)
        missing = self._missing(metadata) + self._silent(metadata, self.run.handed_in)
        return missing + self._untrue(metadata) if metadata.final else missing

    def check_report(self, kind: str, report: Report) -> list[Finding]:
        """Find what a report says that is not so: criteria without a row, conflicts that are left."""
        where = "$.criteria_mapping" if kind == IMPL else "$.criteria"
        criteria = criteria_faults(report, self.story.story().criteria)
        found = [Finding(self.source, where, f"{kind}/criteria", one) for one in criteria]
        if kind == QA or report.blocking_failures or report.verdict in (FAIL, ESCALATE):
            return found
        return [*found, *self._unresolved(frozenset(report.files))]

    def _untrue(self, metadata: Metadata) -> list[Finding]:
        """What final metadata says of the run's work that the tree or the plan does not bear out."""
        found = self._story_changed()
        if ROLES[self.run.role].changes_code:
            still_open = self._still_open(metadata) if self.run.role == "implementer" else []
            names = frozenset(metadata.files_changed)
            left = self._unresolved(names) if metadata.status == "implemented" else []
            return [*found, *left, *still_open]
        delta = self._invalid_delta() if self.run.role == "qa" else []
        return [*found, *self._without_its_work(metadata), *delta]

    def _story_changed(self) -> list[Finding]:
        """A story.md that the run changed in its tree: only the user may."""
        path = Folder(self.tree.root, self.story.folder.relative, self.story.id).artifact("story")
        kept = self.story.folder.root.parent / "accepted"
        if path.is_file() and (kept / digest_of(decode(path.read_bytes(), str(path)))).exists():
            return []  # as it is, or as it was before the user changed it
        name = self.story.folder.relative_to_root(self.story.folder.artifact("story"))
        if self.story.config.artifacts == "commit" and not self._differs(name):
            return []
        message = "only the user may change the story: put it back"
        if self.story.config.artifacts == "commit":
            message += f", `git checkout HEAD -- {name}`"
        return [Finding(name, "file", "story-changed", message)]

    def _differs(self, name: str) -> bool:
        """Whether git sees a file differ from the commit, line ends aside as it is set up."""
        return bool(Git(self.tree).do("diff", "--name-only", self.run.dispatched.head, "--", name))

    def _missing(self, metadata: Metadata) -> list[Finding]:
        """Files it names that are not in its tree: a handoff, or an artifact the run did not delete."""
        named = [(f"$.artifacts[{index}].path", one.path) for index, one in enumerate(metadata.artifacts)]
        gone = [(where, path) for where, path in named if not self._is_known(path)]
        handoff = metadata.handoff_path
        if handoff and not any(is_inside(root, handoff) for root in (self.tree.root, self.story.folder.root)):
            gone.append(("$.partial_progress.handoff_path", handoff))
        return [
            Finding(self.source, where, "return-meta/no-file", f"no such file in this project: {path}")
            for where, path in gone
        ]

    def _is_known(self, path: str) -> bool:
        """Whether an artifact is there, or lies outside (a warning of its own), or git knew it: deleted."""
        if PurePath(path).is_absolute() or path in ("", "."):
            return True
        try:
            places: list[Path] = [self.tree.root / path, self.story.folder.root / path]
            return any(map(os.path.lexists, places)) or Git(self.tree).has(path)
        except ValueError:  # a NUL
            return False

    def _unresolved(self, names: frozenset[str]) -> list[Finding]:
        """What is left of the conflicts of a merge that was begun in the tree: it could not be made."""
        known = frozenset(one.removeprefix("./") for one in names) | declared_files_of(self.story)
        return find_unresolved(self.story, self.run, in_tree(self.tree.root), known)

    def _still_open(self, metadata: Metadata) -> list[Finding]:
        """`implemented` while the plan's own marks say otherwise."""
        plan = read_plan(tree_plan(self.story, self.tree.root) or text_of(self.story, "plan"))
        phase, lost = plan.first_open, lost_phases(self.story, plan)
        if metadata.status != "implemented" or not (phase or lost):
            return []
        name = self.story.folder.relative_to_root(self.story.folder.artifact("plan"))
        message = f"`implemented`, but {name} lost phases ({lost}): restore them with their marks"
        if phase:
            message = (
                f"`implemented`, but {name} has phase {phase.id} as [{phase.mark}]: mark it true, or say `partial`"
            )
        return [Finding(self.source, "$.status", "return-meta/open-phases", message)]

    def _without_its_work(self, metadata: Metadata) -> list[Finding]:
        """Success of a planner or QA that handed in no plan or no verdict."""
        kind, run = ROLES[self.run.role].artifact, self.run
        if not metadata.finished or kind in run.handed_in or run.dispatched.rule in FIXES_DELTA:
            return []
        message = f"`{metadata.status}`, but no {kind} was handed in: hand it in first"
        return [Finding(self.source, "$.status", f"return-meta/no-{kind}", message)]

    def _invalid_delta(self) -> list[Finding]:
        """A memory delta that lies there and is not valid: it would come back as a finding."""
        text = text_of(self.story, "memory-delta")
        if not text:
            return []
        name = self.story.folder.relative_to_root(self.story.folder.artifact("memory-delta"))
        return faults(check_artifact("memory-delta", text, name))

    def _silent(self, metadata: Metadata, handed_in: Collection[str]) -> list[Finding]:
        """`blocked` or `failed` without a word on why: the user could not decide from it."""
        said = metadata.errors or metadata.details or metadata.review_reason or "plan-blocked" in handed_in
        if metadata.status not in ("blocked", "failed") or said:
            return []
        message = f"`{metadata.status}`, but not why: say it in `errors`, as `- message: …`"
        return [Finding(self.source, "$.errors", "return-meta/no-reason", message)]
