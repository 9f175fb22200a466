"""From a passed QA to the end its mode asks for: what is merged is the tree that was checked."""

from collections.abc import Sequence
from typing import NamedTuple

from baton.artifacts.findings import writable_name
from baton.errors import BatonError
from baton.git.branches import advance_branch
from baton.git.objects import commit_to_look_at, commit_tree, merge_trees, parents_of, tree_of
from baton.git.paper_trees import with_papers, without_papers
from baton.journal.events import IntegrationStepDone
from baton.story.ask.question import was_accepted
from baton.story.ask.step import Step
from baton.story.begin.preflight import find_problem
from baton.story.begin.start import ask_unless_settled
from baton.story.checks.compare_checks import STEPS, Running, Weighed, subject_of, tries, weigh
from baton.story.checks.gate import texts_of_commits
from baton.story.checks.merge_conflicts import conflict_instructions, has_submodule, show_conflict
from baton.story.integrate.complete import await_turn, close_files, finish_branch, finish_merge, wait_for_commands
from baton.story.integrate.completion_report import result_text
from baton.story.integrate.integration_steps import (
    ask_unless_base_kept,
    ask_unless_landable,
    choose_fixer,
    decide_step,
    record_or_ask,
    send_to_fix,
    skipped_prepush,
    stop_unless_passed,
)
from baton.story.judge.run_facts import passing_run
from baton.story.run.commit_message import story_message
from baton.story.session.session import (
    StorySession,
    base_commit_of,
    is_delivered,
    mode_of,
    papers_of,
    tip_of,
    to_production,
)
from baton.story.session.story_branch import move_branch, text_changed
from baton.story.session.story_files import edited_since
from baton.text import join_words

SETTING = (
    "these commands ran in the story's check tree, on the merge with base (`git diff {0}...{1}` shows what your "
    "tree lacks of it); `baton check` runs them there on your tree as it is"
)
NO_PREPUSH = "no prepush command is configured"
# Of several commands of a step, the worst counts.
WORST_FIRST = ("credential", "introduced", "unclear", "flaky", "preexisting", "pass")
# How often base may move while the commands run.
MOST_LOST = 2


class Candidate(NamedTuple):
    """A merge to be checked: the story's tip, base, and the tree of their merge with the closing papers."""

    tip: str
    base: str
    tree: str
    parents: list[str]


def integrate_story(story: StorySession) -> Step | None:
    """Take the integration as far as it goes now; a step to wait for, or None when it completed or stopped."""
    if is_delivered(story):
        # A door: where nothing is delivered, GitHub is not loaded.
        from baton.delivery.deliver import deliver_story

        return deliver_story(story, _integrate)
    if merge := _prepared_merge(story):
        before = parents_of(story.git, merge)[0]
        texts = texts_of_commits(story, before, merge)
        if not ask_unless_landable(story, before, merge, texts) or _land(story, merge):
            return None
    return _integrate(story)


def _integrate(story: StorySession) -> Step | None:
    if _is_merged(story):
        record_or_ask(story, decide_step(story, "merge/already"), tip_of(story))
        finish_merge(story, base_commit_of(story), ours=False)
        return None
    if not (stop_unless_passed(story) and _ask_unless_allowed(story) and ask_unless_base_kept(story)):
        return None
    if mode_of(story) == "local" and (waits := await_turn(story)):
        return waits
    if (candidate := _sync(story)) is None:
        return None
    commit = commit_to_look_at(story.git, candidate.tree, candidate.parents)
    weighed = weigh(subject_of(story), commit)
    if isinstance(weighed, Running):
        return wait_for_commands(story, weighed)
    if _judge_commands(story, candidate, commit, weighed):
        _end(story, candidate, weighed)
    return None


def _is_merged(story: StorySession) -> bool:
    """Whether base has the story's tip already, and the story something that base did not have before it."""
    begun_from = story.state.started.base_commit if story.state.started else ""
    base = base_commit_of(story)
    return tip_of(story) != begun_from and story.git.contains(tip_of(story), base)


def _ask_unless_allowed(story: StorySession) -> bool:
    """Return True where the story may go to its base by confirmed commands; else ask the user."""
    base = story.settings().base
    what, remedy = find_problem(story.git, base, story.branch)
    if what:
        raise BatonError(what, str(story.project.root), remedy)
    about = f"a merge into {base}"
    production = to_production(story) and mode_of(story) in ("local", "merge")  # the others merge nothing
    outcome = "integrate/production" if production and not was_accepted(story, about) else "integrate/base"
    if not record_or_ask(story, decide_step(story, outcome), base, about=about):
        return False
    return ask_unless_settled(story)


def _sync(story: StorySession) -> Candidate | None:
    """Merge base and the story in git's store; where that conflicts, start a run to resolve it."""
    git, tip, base = story.git, tip_of(story), base_commit_of(story)
    contained = git.contains(base, tip)
    merged = None if contained else merge_trees(git, tip, base)
    if merged and merged.conflicts:
        _resolve(story, base, merged.conflicts)
        return None
    if not _note_moved_base(story, base):
        return None
    record_or_ask(story, decide_step(story, "sync/clean"), base)
    tree = merged.tree if merged else tree_of(git, tip)
    if story.settings().config.artifacts == "commit":
        tree = with_papers(git, tree, story.folder.papers, close_files(story, tree))
    return Candidate(tip, base, tree, [tip] if contained else [tip, base])


def _note_moved_base(story: StorySession, base: str) -> bool:
    """Journal that base moved while the commands ran; False where it did so before, and the user is asked."""
    earlier = [step.commit for step in story.state.checked if step.rule == "sync/clean" and step.commit != base]
    if not earlier:
        return True
    evidence = f"it was at {earlier[-1][:12]} and is now at {base[:12]}"
    outcome = "merge/lost" if len(earlier) < MOST_LOST else "merge/lost-again"
    return record_or_ask(story, decide_step(story, outcome, evidence), base, evidence)


def _resolve(story: StorySession, base: str, names: Sequence[str]) -> None:
    conflict = decide_step(story, "sync/conflict", join_words([writable_name(name) for name in names]))
    if has_submodule(story.git, names, tip_of(story), base):
        evidence = f"a submodule conflicts: {', '.join(map(writable_name, names))}"
        record_or_ask(story, decide_step(story, "sync/refused", evidence), base, evidence)
        return
    instructions, fixer = conflict_instructions(story.settings().base, base, names), choose_fixer(story, conflict)
    more = show_conflict(story, tip_of(story), base) if fixer.row.asks else {}
    send_to_fix(story, conflict, fixer, base, [instructions], more=more)


def _judge_commands(story: StorySession, candidate: Candidate, commit: str, weighed: list[Weighed]) -> bool:
    """Journal how each step went; one that is not through stops the story, or sends it to be fixed."""
    code = without_papers(story.git, candidate.tree, papers_of(story))
    skipped = skipped_prepush(story, [check.command for check in weighed])
    for step in STEPS:
        of_step = [check for check in weighed if check.command.step == step]
        result, lines, about = _result(of_step)
        about = f"{about} on {code}, try {tries(story)}"
        if step == "prepush" and result == "unset":
            lines = [skipped or NO_PREPUSH]
        if result in ("unclear", "credential") and was_accepted(story, about):
            continue
        log = next((str(check.outcome.log) for check in of_step if check.result == result), "")
        decision = decide_step(story, f"{step}/{result}", "\n".join(lines), commit)
        if decision.action == "goto":
            findings = [check.told for check in weighed if check.triage.provenance == "introduced"]
            findings += [SETTING.format(candidate.tip[:12], candidate.base[:12])]
            send_to_fix(story, decision, choose_fixer(story, decision), commit, findings, log)
            return False
        if not record_or_ask(story, decision, candidate.tree, "\n".join(lines), about, log):
            return False
    if skipped:  # also beside those that ran
        record_or_ask(story, decide_step(story, "prepush/unset", skipped), candidate.tree, skipped)
    return True


def _result(weighed: Sequence[Weighed]) -> tuple[str, list[str], str]:
    """Return the result of a step's commands together, what those with that result say, and their names."""
    result = next((word for word in WORST_FIRST if any(word == other.result for other in weighed)), "unset")
    those = [check for check in weighed if check.result == result]
    names = ", ".join(dict.fromkeys(check.outcome.name for check in those))
    return result, [check.told for check in those if result != "pass"], names


def _end(story: StorySession, candidate: Candidate, weighed: Sequence[Weighed]) -> None:
    """Commit the tree that was checked, if all of it may land, and bring it where the mode says."""
    git, title = story.git, story.state.created.title
    closed = candidate.tip
    merging = story_message(story, title, result_text(story, weighed)).text
    texts = {"the merge's message": merging, **texts_of_commits(story, candidate.base, candidate.tip)}
    if not ask_unless_landable(story, candidate.base, candidate.tree, texts):
        return
    if candidate.tree != tree_of(git, candidate.tip) or len(candidate.parents) > 1:
        message = story_message(story, "complete", f"{title}\n\n{result_text(story, weighed)}").text
        closed = commit_tree(git, candidate.tree, candidate.parents, message)
    record_or_ask(story, decide_step(story, "close/written", commit=closed), closed, candidate.tip)
    if mode_of(story) != "local":
        if closed != tip_of(story):
            move_branch(story, candidate.tip, closed)
        if mode_of(story) == "branch":
            finish_branch(story, weighed)
        return
    if git.contains(closed, candidate.base):  # the story changed nothing
        record_or_ask(story, decide_step(story, "merge/already"), closed)
        finish_merge(story, candidate.base, ours=False)
        return
    base, config = story.settings()
    parents = [candidate.base] if config.squash else [candidate.base, closed]
    merge = commit_tree(git, candidate.tree, parents, merging)
    story.note(IntegrationStepDone("merge/made", merge, f"the merge of {closed[:12]} into {base}"))
    _land(story, merge)


def _prepared_merge(story: StorySession) -> str:
    """Return the merge that was made of the story as it is now, unless base moved past it; empty for none."""
    merge = next((step.commit for step in reversed(story.state.checked) if step.rule == "merge/made"), "")
    if not merge:
        return ""
    base, before = base_commit_of(story), parents_of(story.git, merge)[0]
    if story.git.contains(merge, base):
        return merge
    closed = next(step.commit for step in reversed(story.state.checked) if step.rule == "close/written")
    fits = base == before and tip_of(story) in (closed, parents_of(story.git, closed)[0])
    changed = text_changed(story) or edited_since(story, passing_run(story), "story")
    return merge if fits and not changed else ""


def _land(story: StorySession, merge: str) -> bool:
    """Move base to the merge; returns True when it moved or the user is asked, False when base moved on."""
    git = story.git
    is_there = git.contains(merge, base_commit_of(story))
    moved = None if is_there else advance_branch(git, story.settings().base, parents_of(git, merge)[0], merge)
    if moved is None or moved.how == "moved":
        record_or_ask(story, decide_step(story, "merge/done"), merge)
        finish_merge(story, merge)
        return True
    if moved.how == "lost":
        return False
    evidence = "; ".join(part for part in (moved.said, moved.remedy) if part)
    record_or_ask(story, decide_step(story, "merge/in-the-way", evidence), merge, evidence)
    return True
