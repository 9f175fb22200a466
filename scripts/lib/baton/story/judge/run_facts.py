"""The facts of a run: what it left behind, read as it was accepted, checked, and put in words."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from baton.artifacts.document import read_document
from baton.artifacts.findings import writable_name
from baton.artifacts.metadata import Metadata, read_metadata
from baton.artifacts.plan import Plan, read_plan
from baton.artifacts.report import IMPL, MICRO, PASS, REPORT_KINDS
from baton.artifacts.story_file import read_story
from baton.git.objects import merge_trees
from baton.git.paper_trees import without_papers
from baton.journal.events import Adopted, Dispatched, EffectDone, EffectIntended, Judged
from baton.journal.run import RETURN, ROLES, Run
from baton.rules.budgets import attempts_allowed, attempts_used
from baton.rules.repetition import IterationResult
from baton.story.judge.refusals import took_back
from baton.story.session.session import StorySession, limit_of, papers_of, tip_of
from baton.story.session.story_files import is_metadata, report_of, text_of
from baton.story.session.user_refs import Moved
from baton.text import join_words, plural
from baton.usage.spending_words import REFUSED

# The rules that the user overrode for this run: each table is read from below the last of them.
Overridden = tuple[str, ...]


@dataclass
class Evidence:
    """The facts a run is judged by, and what was found wrong with it."""

    metadata: Metadata | None
    plan: Plan
    closed: int  # phases of the plan, of `total`
    total: int
    values: dict[str, object]  # what the reason of a rule may quote
    refused: str = ""  # what git said when it refused to commit, or with what the work conflicts
    rejected: list[str] = field(default_factory=list)  # why its last hand-in was not accepted
    ends_rejected: bool = False  # and that hand-in would have ended the run
    accepted_before: bool = False  # some of its metadata was accepted
    took_back: bool = False  # it passed the work, and later said that it is not done, or was refused
    open_criteria: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)  # phases, by their ids
    lap: IterationResult | None = None  # its result, by which repetition is found; of implementations alone
    of_issue: dict[str, str] = field(default_factory=dict)  # what the question shows of a changed issue or source
    findings: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def artifact_to_show(story: StorySession, run: Run) -> str:
    """Return the path the user should look at: the run's artifact, or where its metadata is about to be filed."""
    path = story.folder.artifact(ROLES[run.role].artifact)
    if run.role == "planner" and story.folder.artifact("plan-blocked").exists():
        path = story.folder.artifact("plan-blocked")
    elif not path.exists() and story.folder.artifact("return-meta").exists():
        path = story.folder.history(run.id) / story.folder.artifact("return-meta").name
    elif not path.exists():
        path = story.folder.path
    return str(path)


def collect_run_facts(story: StorySession, run: Run, moved: Moved, metadata: Metadata | None) -> Evidence:
    """Read what a run left behind; what is wrong with it is found later, by what is judged."""
    metadata = metadata or _metadata(story, run)
    plan = read_plan(text_of(story, "plan"))
    closed, total = plan.closed, len(plan.phases)
    if not plan.phases:
        # A plan that is gone or unreadable counts with the marks of the last gate.
        last = next((run.judged for run in reversed(story.state.runs) if run.judged), None)
        closed, total = (last.closed, last.total) if last else (0, 0)
    refused = run.kept.refused if run.kept else ""
    values: dict[str, object] = {
        "run": run.id,
        "closed": closed,
        "total": total,
        "phases": plural(total, "phase"),
        "plan_path": story.folder.relative_to_root(story.folder.artifact("plan")),
        "status": metadata.status if metadata else "nothing",
        "review_reason": (metadata and metadata.review_reason) or _details(metadata),
        "details": _details(metadata),
        "moved": moved.branch,
        "refs_moved": join_words([ref.partition(" was at ")[0] for ref in moved.refs]),
        "refused": REFUSED.get(run.refused_by_service, ""),
        "stopped": run.stopped_by or f"you stopped {run.id}",
        "message_refused": run.kept.message_refused if run.kept else "",
        "hooks_broken": run.kept.broken if run.kept else "",
        "risky": run.kept.risky.partition(" ")[2] if run.kept else "",
        "criteria_change": changed_text(story),
    }
    warnings = _warnings(story, run, metadata, plan)
    refusal = f"this work is not committed: {refused}" if refused else check_conflict(story, run)
    report, refused_last = ROLES[run.role].artifact, run.rejected.artifact if run.rejected else ""
    passed = report in REPORT_KINDS and report_of(story, report).verdict == PASS
    return Evidence(
        metadata, plan, closed, total, values, refusal, _why_rejected(run),
        ends_rejected=refused_last == RETURN or (refused_last == report and report in run.handed_in),
        accepted_before=RETURN in run.handed_in,
        took_back=passed and took_back(run, metadata),
        warnings=warnings,
    )  # fmt: skip


def _why_rejected(run: Run) -> list[str]:
    """Say why a run's last hand-in was refused, if none like it was accepted since."""
    findings, kind = (run.rejected.findings, run.rejected.artifact) if run.rejected else ([], "")
    return [f"`{kind}` was handed in and refused: {finding}" for finding in findings]


def _warnings(story: StorySession, run: Run, metadata: Metadata | None, plan: Plan) -> list[str]:
    """Return warnings: what the next run should know of this one, and what the journal should keep."""
    warnings = []
    if run.metadata_in_chat and RETURN not in run.handed_in:
        warnings.append("the run before printed its metadata in its last message: only what is handed in counts")
    warnings += [artifact.taken for artifact in run.handed_in.values() if artifact.taken]
    claimed = metadata.phases_completed if metadata and run.role == "implementer" else None
    if claimed is not None and claimed > plan.closed:
        warnings.append(f"the run before claims {claimed:g} closed phases; the plan's marks say {plan.closed}")
    if run.kept and run.kept.left:
        warnings.append(f"not committed, and left behind by the run before: {join_words(run.kept.left)}")
    if adopted := _adopted_since(story):
        warnings.append(f"commits that baton did not make are part of the story now: {adopted}")
    return warnings


def _adopted_since(story: StorySession) -> str:
    """Return a text on the commits of others that were taken in since the last judgment; empty for none."""
    for event in reversed(story.state.events):
        if isinstance(event, Adopted):
            return event.reason
        if isinstance(event, Judged):
            break
    return ""


def changed_text(story: StorySession) -> str:
    """Quote what is gone from the criteria and what is new in them; or that the rest of the text has changed."""
    before, now = story.state.criteria, read_story(text_of(story, "story")).criteria
    gone = [f"gone: {text}" for text in before if text not in now]
    new = [f"new: {text}" for text in now if text not in before and text not in story.state.deferred]
    return "; ".join([*gone, *new]) or "its title, its description or the order of its criteria"


def _details(metadata: Metadata | None) -> str:
    if metadata is None:
        return "no metadata"
    details = [metadata.details, *(str(error) for error in metadata.errors), metadata.review_reason]
    return "; ".join(detail for detail in details if detail) or "no details given"


def _metadata(story: StorySession, run: Run) -> Metadata | None:
    """Return the run's metadata, or those in its report; None where it left no valid ones.

    They come from history/ when the run is judged once more, below the rule the user overrode.
    """
    report = run.handed_in.get(ROLES[run.role].artifact)
    if report and report.final and (RETURN not in run.handed_in or not run.handed_in[RETURN].final):
        return report_of(story, report.artifact).metadata
    text = text_of(story, "return-meta")
    filed = story.folder.history(run.id) / story.folder.artifact("return-meta").name
    if not text and run.archived and filed.exists():
        text = read_document(filed)
    if not is_metadata(story, text):
        return None
    metadata = read_metadata(text, run.role)
    others = metadata.session_id != run.id and story.state.find_run(metadata.session_id)
    return None if others else metadata


def code_of(story: StorySession, run: Run) -> str:
    """Name the code as a run left it: the tree without the story's folder."""
    commit = run.kept.commit if run.kept and run.kept.commit else story.state.head
    return without_papers(story.git, commit, papers_of(story))


def declared_files_of(story: StorySession, claimed: Iterable[str] = ()) -> frozenset[str]:
    """Return the files a run names among its changes: in a report that was accepted, and those it claims now."""
    names = {name for kind in (IMPL, MICRO) for name in report_of(story, kind).files}
    return frozenset({*names, *(name.removeprefix("./") for name in claimed)})


def is_used_up(story: StorySession, budget: str) -> bool:
    """Whether the run that is being judged used the last of a budget."""
    events = story.state.events
    return attempts_used(budget, events) + 1 >= attempts_allowed(budget, limit_of(story, budget), events)


def message_values(story: StorySession, evidence: Evidence, budget: str) -> dict[str, object]:
    """Return what a reason may quote, with the attempts charged to a budget, this run included."""
    joined = "; ".join(evidence.findings) or "no findings"
    return {**evidence.values, "attempts": attempts_used(budget, story.state.events) + 1, "findings": joined}


def note_missing(story: StorySession, evidence: Evidence, kind: str) -> None:
    """Add to the findings that an artifact is missing, or why what was handed in of it was refused."""
    path = story.folder.relative_to_root(story.folder.artifact(kind))
    evidence.findings += evidence.rejected or [f"{path} is missing"]


def check_conflict(story: StorySession, run: Run) -> str:
    """Hold a run's work against what the story branch has since; say in which files they conflict, or nothing.

    What a call that was cut short committed of it is settled first.
    """
    work = work_to_merge(run)
    if not work or tip_of(story) in ("", run.dispatched.head) or settle_commit(story, run):
        return ""
    names = join_words([writable_name(name) for name in merge_trees(story.git, tip_of(story), work).conflicts])
    conflict = f"it conflicts with what others committed on {story.branch} since it began, in {names}"
    return f"{conflict}; the next run's tree has the merge begun, to be resolved" if names else ""


def work_to_merge(run: Run) -> str:
    """Return the commit of a run's work, if nothing keeps it from the branch."""
    return run.kept.commit if run.kept and not run.is_withheld else ""


def settle_commit(story: StorySession, run: Run) -> str:
    """Journal, and return, the commit that a call cut short put on the branch for this run's last judgment."""
    for event in reversed(story.state.events):
        if isinstance(event, EffectDone) and event.effect == "branch":
            return event.commit
        if (
            isinstance(event, EffectIntended)
            and event.effect == "branch"
            and story.git.contains(event.about, tip_of(story))
        ):
            if not story.read_only:
                story.note(EffectDone("branch", event.about, event.about))
            return event.about
        if isinstance(event, Judged | Dispatched) and event.run == run.id:
            break
    return ""


def passed_by(story: StorySession) -> str:
    """Name the kind of report that passed the work: QA's, or that of a small story's own run."""
    passed = (run for run in reversed(story.state.runs) if run.judged and run.judged.then == "integrate")
    return ROLES[next(passed).role].artifact


def passing_run(story: StorySession) -> Run:
    """Return the run whose verdict passed the work: not one that only fixed a memory delta since."""
    kind = passed_by(story)
    return next(run for run in reversed(story.state.runs) if kind in run.handed_in)
