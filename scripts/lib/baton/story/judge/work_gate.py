"""Hold what ends a run against the run's work, as its gate will: its claims are checked, the work is taken."""

from typing import NamedTuple

from baton.artifacts.findings import Finding, faults, writable_name
from baton.artifacts.metadata import Metadata
from baton.artifacts.report import IMPL, MICRO, RunReport
from baton.git.command import git_works
from baton.git.git_refusals import GitRefused, ask_twice
from baton.journal.events import HandedIn
from baton.journal.run import RETURN, Run
from baton.story.begin.origin import broken_files
from baton.story.checks.gate import RUNS_FAULTS
from baton.story.judge.cross_checks import Claims
from baton.story.judge.judge import judge_run
from baton.story.judge.refusals import (
    HONEST,
    MISSING,
    MOST_REFUSALS,
    REFUSED,
    TAKE_OUT,
    THROWN_BACK,
    WAYS_OUT,
    count_refusals,
)
from baton.story.judge.run_facts import declared_files_of
from baton.story.run.run_work import concerns_in, keep_work
from baton.story.session.session import StorySession

HOOK = "git, or its commit hook, refuses this work; fix what it names, or end with `partial` and say so"
TAKEN = "this is taken, and the user is asked: {}"


class WorkGate(NamedTuple):
    """Holds what ends a run of a story against its work; findings name `source`."""

    story: StorySession
    run: Run
    source: str

    def _claims(self) -> Claims:
        return Claims(self.story, self.run, self.source)

    def check_metadata(self, metadata: Metadata) -> list[Finding]:
        """Find what in a run's metadata is not so and, where they end it, what its work is sent back for."""
        findings = self._claims().check(metadata)
        if not metadata.final:
            return findings
        handed = HandedIn(self.run.id, RETURN, "", "", True)
        return findings + self.check_work(handed, metadata, metadata.status not in HONEST)

    def check_report(self, kind: str, report: RunReport) -> list[Finding]:
        """Find what in a run's report is not so; after some refusals, which checks fail is left to its gate."""
        claimed = self._claims()
        findings = claimed.check_report(kind, report)
        if count_refusals(self.story, self.run, REFUSED) < MOST_REFUSALS:
            findings += claimed.check_failures(kind, report)
        return findings

    def check_work(self, handed: HandedIn, metadata: Metadata, claims: bool) -> list[Finding]:
        """Take the run's work, and find what its gate would send it back for; after some refusals it is taken so.

        `claims`: whether the run says that its work is done; one that says otherwise is taken at once.
        """
        story, run, source = self
        claims = claims and count_refusals(story, run, REFUSED) < MOST_REFUSALS
        try:
            findings = ask_twice(lambda: self._keep_work(metadata, claims))
        except GitRefused as refused:  # which no run can help: its work is taken once the user has
            if not git_works(story.project.root):
                raise
            return [Finding(source, "$", "git-refused", TAKEN.format(refused.what), "warning")]
        if not claims:
            return findings
        if handed.artifact in (IMPL, MICRO):
            findings += self._claims().check_changes(metadata.files_changed)
            findings += broken_files(story, story.state.run or run)
        trial = story.as_if(handed)
        assert trial.state.run is not None
        kept = trial.state.run.kept
        if faults(findings) and kept:  # said already: judged is what is wrong besides
            trial.state.run.kept = kept._replace(refused="", risky="")
        judged = judge_run(trial, trial.state.run, metadata=metadata)
        enough = judged.rule in MISSING and count_refusals(story, run, MISSING) >= MOST_REFUSALS
        if judged.rule in THROWN_BACK and not enough:
            more = [finding for finding in judged.findings if finding not in judged.reason]
            message = "; ".join([judged.reason, *more, WAYS_OUT[run.role]])
            findings.append(Finding(source, "$", judged.rule, message))
        return findings

    def _keep_work(self, metadata: Metadata, claims: bool) -> list[Finding]:
        """Take the run's work from its tree, under the user's hooks; return what refuses it, or stays out."""
        story, run, source = self
        kept = keep_work(story, run, declared_files_of(story, metadata.files_changed), metadata.summary)
        if kept is None:
            return []
        findings = [
            Finding(writable_name(path), "file", "left-out", "not committed: no part of the work", "warning")
            for path in kept.left
        ]
        if missing := TAKEN.format(kept.broken) if kept.broken else kept.unhooked:
            findings.append(Finding(source, "$", "hooks-missing", missing, "warning"))
        if claims:
            if kept.refused:
                findings.append(Finding(source, "$.status", "commit-hook", f"{HOOK}:\n{kept.refused}"))
            concerns = concerns_in(story, run, kept) if kept.risky else []
            findings += [
                Finding(source, "$.status", concern.sort, f"{concern.told}: {TAKE_OUT}")
                for concern in concerns
                if concern.sort in RUNS_FAULTS
            ]
        return findings
