"""What a run left behind: read from its folder, checked, and told in words."""

from dataclasses import dataclass, field

from baton.artefacts.document import read_document
from baton.artefacts.findings import faults, mild
from baton.artefacts.kinds import check_artefact, is_valid
from baton.artefacts.metadata import Metadata, read_metadata
from baton.artefacts.plan import Plan, read_plan
from baton.decide.streaks import Lap
from baton.drive.gate import LEFT_UNDECLARED, declared, is_repository, new_files, undeclared
from baton.drive.merging import unresolved
from baton.drive.opened import OpenStory
from baton.drive.start import changed_outside, shortened
from baton.outside.trees import tree_outside
from baton.story.roles import RETURN, ROLES
from baton.story.run import Run

# The rules a person passed in this run's judgement: their tables are read from below them.
Passed = tuple[str, ...]


@dataclass
class Evidence:
    """What a run left behind, and what was found wrong with it.

    `refused` is what git said when it refused to commit; `rejected` why the last metadata was not accepted,
    and `accepted_before` whether some of this run was.
    """

    metadata: Metadata | None
    plan: Plan
    closed: int
    total: int
    told: dict[str, object]
    refused: str = ""
    rejected: list[str] = field(default_factory=list)
    accepted_before: bool = False
    open_criteria: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    lap: Lap | None = None
    findings: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def artefact_to_see(story: OpenStory, run: Run) -> str:
    """Name what a person should look at: the run's artefact, or where its metadata is about to be filed."""
    path = story.folder.artefact(ROLES[run.role].artefact)
    if run.role == "planner" and story.folder.artefact("plan-blocked").exists():
        path = story.folder.artefact("plan-blocked")
    elif not path.exists() and story.folder.artefact("return-meta").exists():
        path = story.folder.history(run.id) / story.folder.artefact("return-meta").name
    elif not path.exists():
        path = story.folder.path
    return story.folder.relative_to_root(path)


def gather(story: OpenStory, run: Run, refused: str = "") -> Evidence:
    """Read what a run left behind; what is wrong with it is found later, by what is judged."""
    metadata = _metadata(story, run)
    plan = read_plan(text_of(story, "plan"))
    closed, total = plan.closed, len(plan.phases)
    if not plan.phases:
        # A plan that is gone or unreadable counts with the marks of the last gate.
        last = next((one.judged for one in reversed(story.state.runs) if one.judged), None)
        closed, total = (last.closed, last.total) if last else (0, 0)
    told: dict[str, object] = {
        "run": run.id,
        "closed": closed,
        "total": total,
        "plan_path": story.folder.relative_to_root(story.folder.artefact("plan")),
        "status": metadata.status if metadata else "nothing",
        "review_reason": (metadata and metadata.review_reason) or _details(metadata),
        "details": _details(metadata),
        "head_before": story.state.head[:12],
        "head_now": story.git.commit_of("HEAD")[:12],
        "touched": shortened(changed_outside(story)),
        "criteria_change": changed_criteria(story.state.criteria, story.story().criteria),
    }
    warnings = _warnings(story, run, metadata, plan)
    said = f"git refuses to commit this work, the story's own files with it: {refused}" if refused else ""
    before = RETURN in run.handed_in
    return Evidence(metadata, plan, closed, total, told, said, list(run.rejected), before, warnings=warnings)


def _warnings(story: OpenStory, run: Run, metadata: Metadata | None, plan: Plan) -> list[str]:
    """Tell what the next run should know of this one, and what the journal should keep."""
    told = []
    if run.printed and RETURN not in run.handed_in:
        told.append("the run before printed its metadata in its last message: only what is handed in counts")
    claimed = metadata.phases_completed if metadata and run.role == "implementer" else None
    if claimed is not None and claimed > plan.closed:
        told.append(f"the run before claims {claimed:g} closed phases; the plan's marks say {plan.closed}")
    head = story.state.head
    # Where HEAD has moved away from that, a person is asked instead.
    adopted = story.git.subjects(head, "HEAD", without="^Baton-Run: ") if story.git.contains(head, "HEAD") else []
    if adopted:
        told.append(f"commits that baton did not make are part of the story now: {shortened(adopted, 3)}")
    return told


def changed_criteria(before: tuple[str, ...], now: tuple[str, ...]) -> str:
    """Quote what is gone from the criteria and what is new in them."""
    gone = [f"gone: {one}" for one in before if one not in now]
    new = [f"new: {one}" for one in now if one not in before]
    return "; ".join([*gone, *new]) or "their order"


def _details(metadata: Metadata | None) -> str:
    if metadata is None:
        return "no metadata"
    said = [metadata.details, *(str(error) for error in metadata.errors), metadata.review_reason]
    return "; ".join(one for one in said if one) or "no details given"


def _metadata(story: OpenStory, run: Run) -> Metadata | None:
    """The run's metadata; from history/ when the run is judged once more, below the row a person passed."""
    text = text_of(story, "return-meta")
    filed = story.folder.history(run.id) / story.folder.artefact("return-meta").name
    if not text and run.filed and filed.exists():
        text = read_document(filed)
    if not (story.accepted(RETURN, text) or is_valid(RETURN, text)):
        return None
    metadata = read_metadata(text, run.role)
    others = metadata.session_id != run.id and story.state.find_run(metadata.session_id)
    return None if others else metadata


def text_of(story: OpenStory, kind: str) -> str:
    """Give an artefact's text, or nothing when it is not there."""
    path = story.folder.artefact(kind)
    return read_document(path) if path.exists() or path.is_symlink() else ""


def check(story: OpenStory, kind: str, evidence: Evidence) -> str:
    """Say whether the artefact is missing, invalid or valid; its faults become the evidence's findings."""
    text = text_of(story, kind)
    path = story.folder.artefact(kind)
    if not text:
        evidence.findings.append(f"{story.folder.relative_to_root(path)} is missing")
        return "missing"
    found = check_artefact(kind, text, story.folder.relative_to_root(path))
    evidence.findings += [str(one) for one in faults(found)]
    evidence.warnings += [str(one) for one in mild(found)]
    return "invalid" if faults(found) else "valid"


def tree_now(story: OpenStory) -> str:
    """Name what the work tree holds outside the stories: tracked files, and those that are new since it began."""
    new = [one for one in new_files(story.git, story.folder, story.untracked_before) if not is_repository(one)]
    return tree_outside(story.git, story.folder.relative_to_root(story.folder.path.parent), new)


def uncommitted(story: OpenStory, evidence: Evidence) -> list[str]:
    """Name what keeps a run's work out of the commit: files nobody declared, conflicts, and what git refused."""
    known, names = story.untracked_before, declared(story)
    strays = undeclared(story.git, story.folder, known, names, LEFT_UNDECLARED) + unresolved(story, names)
    return [*map(str, strays), *([evidence.refused] if evidence.refused else [])]
