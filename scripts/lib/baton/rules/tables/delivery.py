"""How a story gets from its branch to a merged pull request on GitHub, and what its checks there come to."""

from baton.rules.engine import Action, Answer, Row, RowQuestion, Table
from baton.rules.facts import CheckFacts, DeliveryFacts

STAYS = {"abandon": Answer("abandon", "closes the story; its branch and files stay, and an open pull request")}
MERGED = {"abandon": Answer("abandon", "closes the story as abandoned; it stays merged")}
OPTIONS = {"retry": Answer("integrate", "looks again, and goes on from what it finds"), **STAYS}
WAIT = {"retry": Answer("integrate", "looks again, and waits as long once more"), **STAYS}
FIX = {"fix": Answer("fixer", "starts a run that fixes it, with this log in its brief; then all is judged anew")}

PAST_RULES = "goes on to the merge past all of {base}'s rules, if gh's account may bypass them"


def _accept(does: str, others: dict[str, Answer]) -> dict[str, Answer]:
    return {"accept": Answer("integrate", does), **others}


def _outcome(
    rule: str, when: str, action: Action, reason: str, question: str = "", options: dict[str, Answer] = OPTIONS,
    closes: bool = False,
) -> Row:  # fmt: skip
    """Return the row of a step's outcome of the same name; a question with options that need not be given."""
    stop = RowQuestion("act", "manual fix", options, question, closes) if question else None
    return Row(rule, when, {"outcome": (rule,)}, action, reason, stop=stop)


DELIVERY_ROWS = (
    _outcome("github/limit", "GitHub wants to be left alone for a while", "wait", "{evidence}"),
    _outcome("push/elsewhere", "nothing can be pushed from here: in GitHub Actions another job delivers",
        "wait", "{commit} is checked and closed; the job that may push delivers it"),
    _outcome("push/renamed", "the repository has another name on GitHub",
        "escalate", "{evidence}", "Call the command above; then retry."),
    _outcome("push/archived", "the repository is archived",
        "escalate", "nothing can be pushed: {evidence}", "Have it taken out of the archive; then retry."),
    _outcome("push/rights", "gh's account may not push there, and no fork is pushed to or the mode is `merge`",
        "escalate", "{evidence}",
        "Have somebody grant it; or set `integrate: {{mode: pr}}` and `git config remote.pushDefault FORK`, the "
        "remote of your fork (`gh repo fork --remote`). Then retry."),
    _outcome("integrate/issue-closed",
        "the story's issue is closed or gone, before the pull request is opened or merged",
        "ask", "{evidence}", "Is the story to be delivered all the same? It is asked once.",
        _accept("delivers it all the same: goes on to {end}", STAYS)),
    _outcome("push/unpublished", "the remote's base lacks, or has lost, commits of base the story builds on",
        "escalate", "the story builds on commits that {base} does not have there: {evidence}",
        "Push {base}, or put it back; then retry. Or abandon the story, where they were taken out for good."),
    _outcome("push/base-renamed", "base has another name on GitHub now, as it says for the old one",
        "next-check", "{base} is {evidence} there now, and is followed"),
    _outcome("push/done", "the remote branch is exactly the head that was checked here",
        "next-check", "{branch} is pushed at {commit}"),
    _outcome("push/moved", "the remote branch has commits the story does not have",
        "escalate", "{branch} was changed on the remote: {evidence}",
        "Fetch them with the command above, or put the branch back; then retry: QA looks again."),
    _outcome("push/refused", "the remote refuses the push",
        "escalate", "{branch} cannot be pushed: {evidence}", "Settle what it names; then retry."),
    _outcome("pr/open", "the branch's pull request exists or was opened", "next-check", "{evidence} is open"),
    _outcome("pr/refused", "GitHub refuses to open one",
        "escalate", "no pull request can be opened: {evidence}", "Settle what GitHub names; then retry."),
    _outcome("pr/closed-by-hand", "somebody closed it without merging it",
        "escalate", "the pull request was closed by hand: {evidence}",
        "Reopen it and retry; or abandon the story.", closes=True),
    _outcome("pr/retargeted", "its base is no longer the story's",
        "escalate", "the pull request has another base now: {evidence}",
        "Set it back to {base} and retry; or abandon the story.", closes=True),
    _outcome("pr/elsewhere", "the remote names another repository than the one it was opened in",
        "escalate", "the story's pull request is {evidence}",
        "Point the remote back (`git remote set-url`) and retry; or abandon the story."),
    _outcome("pr/ready", "it was a draft, and was made ready for review", "wait", "{evidence}"),
    _outcome("pr/merged-other", "somebody merged it with another head than the one that was checked",
        "escalate", "the pull request was merged by hand, and not at the commit that was checked: {evidence}",
        "Is the story done with what was merged?",
        _accept("looks at what was merged as after every merge, then ends the story", MERGED)),
    _outcome("ci/standing", "the checks of exactly this head are known", "next-check", "{evidence}"),
    _outcome("review/wait", "a reviewer, a bot, or the quiet time is waited for", "wait", "{evidence}"),
    _outcome("review/late", "they were waited for, for `integrate.review_wait_s`",
        "ask", "nobody answers: {evidence}", "Merge without it, or wait once more (retry)?",
        _accept("goes on to {end} without it", WAIT), closes=True),
    _outcome("review/changes", "somebody who may push wants changes, and said it in no thread that is open",
        "wait", "{evidence}"),
    _outcome("review/open", "what reviewers or bots said is not settled", "feedback", "{evidence}"),
    _outcome("review/rounds", "three rounds of feedback were made, and there is more",
        "ask", "{evidence}",
        "Settle there what is open, then retry, which also allows more rounds; or accept to merge with it open.",
        _accept("goes on to {end} with it open", OPTIONS)),
    _outcome("review/settled", "nothing that was said is open", "next-check", "{evidence}"),
    _outcome("merge/production", "what is merged into base is deployed to a production environment",
        "ask", "{evidence}", "May it be merged, and so deployed?",
        _accept("allows it for the story, and goes on to {end}", STAYS)),
    _outcome("merge/wait", "GitHub does not show yet what it was asked for", "wait", "{evidence}"),
    _outcome("merge/late", "the same, for an hour",
        "escalate", "GitHub has not changed this for an hour: {evidence}", "Look at it there; then retry.", WAIT,
        closes=True),
    _outcome("merge/queued", "it is in base's merge queue", "wait", "{evidence}"),
    _outcome("merge/dequeued", "the merge queue gave it back",
        "escalate", "the merge queue took the pull request out: {evidence}",
        "Look why; then retry: it is checked and queued again.", closes=True),
    _outcome("merge/rejected", "GitHub refuses the merge",
        "escalate", "GitHub does not merge it: {evidence}", "Settle what it names; then retry.",
        closes=True),
    _outcome("merge/held", "base's rules do not allow it yet", "wait", "{base}'s rules hold it back: {evidence}"),
    _outcome("merge/blocked", "the same, for `integrate.checks_wait_s`, with nothing known that is due",
        "ask", "{base}'s rules still hold it back: {evidence}",
        "Settle what it names there, then retry. Accept merges it past {base}'s rules, if this account may bypass "
        "them.", _accept(PAST_RULES, WAIT), closes=True),
    _outcome("merge/by-hand", "somebody merged it, at exactly the head that was checked",
        "next-check", "somebody else merged it: {evidence}"),
    _outcome("merge/checked-again", "base moved in between: the commands pass on what was merged",
        "next-check", "{base} moved before the merge; what was merged was looked at again: {evidence}"),
    _outcome("merge/broken", "base moved in between, and a command fails on what was merged",
        "escalate", "merged as {commit}, on a {base} that had moved, and there: {evidence}",
        "It is merged. `baton undo` opens a pull request that takes it back; accept ends the story as it is.",
        _accept("leaves it merged, and ends the story once what runs for it there has ended", MERGED)),
    _outcome("deploy/wait", "runs or deployments of the merge commit go on", "wait", "{evidence}"),
    _outcome("deploy/pass", "they have ended well", "next-check", "{evidence}"),
    _outcome("deploy/none", "there are none", "next-check", "nothing was run or deployed for the merge commit"),
    _outcome("deploy/late", "they have not ended in time",
        "ask", "after the merge: {evidence}", "Wait once more (retry), or end the story as it is (accept)?",
        _accept("ends the story without waiting for them", {**WAIT, **MERGED}), closes=True),
    _outcome("deploy/fail", "one of them failed",
        "escalate", "merged as {commit}, and then: {evidence}",
        "Nothing is repaired. Look into it; then accept ends the story, retry looks again.",
        _accept("ends the story as it is", {**OPTIONS, **MERGED}), closes=True),
    _outcome("integrate/pr", "the mode is `pr`, and the checks of its head are known",
        "complete", "{evidence}"),
)  # fmt: skip
DELIVERY = Table("delivery", DeliveryFacts, DELIVERY_ROWS, stage="integrate")


def _check(rule: str, when: str, facts: dict[str, tuple[str | bool, ...]], action: Action, reason: str,
           question: str = "", options: dict[str, Answer] = OPTIONS) -> Row:  # fmt: skip
    stop = RowQuestion("act", "manual fix", options, question, closes=True) if question else None
    return Row(rule, when, facts, action, reason, "fix" if action == "goto" else "", stop=stop)


CHECKS = Table("checks", CheckFacts, (
    _check("ci/approval", "a run waits until somebody approves it", {"approval": (True,)},
        "ask", "GitHub runs nothing before somebody approves it: {approval}",
        "Approve it there; then retry."),
    _check("ci/wait", "checks are running", {"pending": (True,), "overdue": (False,)},
        "wait", "waiting for {pending}"),
    _check("ci/unknown", "a check has a state that baton does not know", {"unknown": (True,)},
        "ask", "GitHub says of a check what baton does not know: {unknown}",
        "Look at it there. Accept takes these checks as good, for this commit.",
        _accept("takes them as good for this commit, and goes on to {end}", OPTIONS)),
    _check("ci/infra", "a check failed for want of a runner, a secret or its start", {"red": ("infra",)},
        "escalate", "CI itself failed: {red}",
        "Put CI right, have it run again there, then retry; fix starts a run with this log, if it is the story's.",
        {**FIX, **OPTIONS}),
    _check("ci/unclear", "a check fails, and base has nothing to hold it against", {"red": ("unclear",)},
        "escalate", "a check fails, and it is unclear why: {red}",
        "Is it the story's? fix starts a run with this log; accept takes it as no reason to stop.",
        {**FIX, **_accept("takes it as no reason to stop for this commit, and goes on to {end}", OPTIONS)}),
    _check("ci/introduced", "a check fails that passes on base", {"red": ("introduced",)},
        "goto", "a check fails that passes on {base}: {red}"),
    _check("ci/required", "a check that base requires fails, not or not surely by the story",
        {"red": ("required",)},
        "escalate", "a check fails that {base} requires: {red}",
        "Have it pass, then retry; fix starts a run with this log; accept merges it past {base}'s rules, if this "
        "account may bypass them.", {**FIX, **_accept(PAST_RULES, OPTIONS)}),
    _check("ci/cancelled", "a check was cancelled", {"cancelled": (True,)},
        "ask", "cancelled: {cancelled}", "Have it run again there; then retry."),
    _check("ci/late", "checks have not ended in six hours", {"pending": (True,), "overdue": (True,)},
        "ask", "still not ended: {pending}", "Look why it hangs; then retry.", WAIT),
    _check("ci/expected", "a required check has not been reported", {"missing": (True,), "late": (False,)},
        "wait", "waiting for {missing}, which {base} requires"),
    _check("ci/missing", "the same, for `integrate.checks_wait_s`", {"missing": (True,), "late": (True,)},
        "ask", "{base} requires {missing}, and nothing reported it: a filter by path, a workflow that is off, a "
        "name that changed, or another app than the rule names", "Have it run, or change the rule; then retry.",
        WAIT),
    _check("ci/preexisting", "a check fails, and the same job at the same step on base",
        {"red": ("old",), "ran": ("passed",)}, "next-check", "{beside}fails as on {base}: {red}"),
    _check("ci/unset", "nothing was reported, nothing is set up, and `integrate.checks` is `none`",
        {"ran": ("nothing",), "cause": ("none",), "checks_needed": (False,)},
        "next-check", "no check is set up for this repository, and none is wanted"),
    _check("ci/unreported", "nothing was reported yet, or workflows are set up and none has begun yet",
        {"ran": ("nothing",), "late": (False,)},
        "wait", "what checks this commit has not begun yet"),
    _check("ci/suppressed", "nothing was reported, and a bot's token opened it",
        {"ran": ("nothing",), "cause": ("token",)},
        "ask", "no check ran: GitHub starts no workflow for what its Actions token does ({workflows} are set up)",
        "Start them there, or sign gh in as a user; then retry.", WAIT),
    _check("ci/filtered", "nothing was reported, and there are workflows",
        {"ran": ("nothing",), "cause": ("filtered",)},
        "ask", "no check ran on this commit, though {workflows} are set up: their filters leave it out, or they "
        "are not for pull requests", "Start one there and retry; or accept that nothing ran.",
        _accept("goes on to {end} on what was run here", WAIT)),
    _check("ci/none", "nothing was reported, nothing is set up, and `integrate.checks` is not `none`",
        {"ran": ("nothing",)},
        "ask", "no check is set up for this repository, as far as GitHub tells",
        "Merge on what was run here? `integrate: {{checks: none}}` in .baton.yaml settles it for good.",
        _accept("goes on to {end} on what was run here", WAIT)),
    _check("ci/skipped", "every check was skipped, or every one that base requires", {"ran": ("skipped",)},
        "ask", "every check that counts was skipped, so nothing was looked at: {passed}",
        "Start one there and retry; or accept that nothing ran.",
        _accept("goes on to {end} on what was run here", OPTIONS)),
    _check("ci/pass", "every check of exactly this commit has passed, with all that base requires",
        {"ran": ("passed",)},
        "next-check", "{passed}"),
), stage="integrate")  # fmt: skip
# The questions that close themselves, each as its row is.
CLOSES = {one.rule: one for one in (*DELIVERY_ROWS, *CHECKS.rows) if one.stop and one.stop.closes}
# What merges past base's rules is not accepted on GitHub: who writes there may have less rights than gh has.
HERE_ALONE = frozenset(
    (row.rule, name) for row in (*DELIVERY_ROWS, *CHECKS.rows) if row.stop
    for name, one in row.stop.options.items() if one.does == PAST_RULES
)  # fmt: skip
# By these rules a story waits for GitHub, until somebody looks again.
WAITS = frozenset(one.rule for one in (*DELIVERY_ROWS, *CHECKS.rows) if one.action == "wait")
