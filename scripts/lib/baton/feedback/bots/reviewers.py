"""The bots that review, a row each."""

import re

from baton.feedback.bots import forms, qodo, repeated
from baton.feedback.bots.lists import list_reader, loose_reader
from baton.feedback.bots.row import Bot, lines, phrases

LIMIT, FAILED, RUNNING, SKIPPED = "usage limit reached", "review failed", "still running", "review skipped"
# Apostrophes come in many shapes, some of them several characters of a broken encoding.
NOT = r"n.{1,8}t"

CODERABBIT = Bot(
    read=list_reader(forms.CODERABBIT),
    markers=phrases(
        (r"rate limited by coderabbit\.ai|^[> \t]*#{0,3} ?(?:rate limit exceeded"
         r"|review limit reached)", "rate limited"),
        (r"^[> \t]*draft (?:pr )?detected|draft pull requests? (?:are|is) not", "draft"),
        (r"skip review by coderabbit\.ai|^[> \t]*#{0,3} ?reviews? skipped", SKIPPED),
        (r"review in progress by coderabbit\.ai|currently (?:processing|reviewing) new changes", RUNNING),
        (r"review paused by coderabbit\.ai|^[> \t]*#{0,3} ?reviews? paused", "reviews paused"),
        (r"(?:failure|failed) by coderabbit\.ai|^[> \t]*#{0,3} ?review failed", FAILED),
    ),
    boilerplate=phrases(
        (r"summarize by coderabbit\.ai|<!-- walkthrough_start|^## walkthrough\b", "walkthrough"),
        (r"auto-generated reply by coderabbit -->\s{0,9}<details>\s{0,9}<summary>[^<]{0,"
         r"9}actions performed", "command reply"),
    ),
    filler=lines(
        r"\**actionable comments posted: \d+\**", r"[> ]*\[![a-z]+\]",
        r"[> ]*some comments are outside the diff and can[^\n]*",
        r"[> ]*due to the large number of review comments[^\n]*",
        r"[> ]*\*{0,2}(?:caution|note|tip|warning)\*{0,2}",
        r"thanks for using \[?coderabbit[^\n]*", r"[-*] \[[ x]\] [^\n]*", r"-{3,}",
        r"\*\*(?:configuration used|review profile|plan|run id)\*\*: [^\n]*",
    ),
)  # fmt: skip
COPILOT = Bot(
    read=list_reader(forms.COPILOT),
    hints=forms.COPILOT.entry,
    notices=phrases(
        (r"copilot encountered an error", FAILED),
        (rf"copilot (?:was{NOT}|was not) able to review any files", "no file it could review"),
        (rf"copilot (?:was unable|was{NOT} able) to (?:review|run)|you(?: have|.{{1,8}}ve) (?:reached"
         rf"|exceeded) your", LIMIT),
    ),
    boilerplate=phrases(
        (r"^##? *pull request overview|^## copilot review overview"
         r"|copilot reviewed \d+ out of \d+", "review summary"),
        (r"^#{2,3} [^\w\n]*(?:approval recommended|ready to approve|looks good)", "review summary"),
    ),
    # A verdict that holds the pull request up says why, unless threads or findings do.
    unless=re.compile(
        r"\A(?!.*\bopen \([1-9]|.*\b[1-9]\d* open findings?\b)"
        r".*?^#{2,3} [^A-Za-z\n]*(?:not ready to approve|changes recommended"
        r"|needs a closer look)", re.I | re.M | re.S,
    ),
)  # fmt: skip
CODEX = Bot(
    read=loose_reader(forms.CODEX),
    hints=re.compile(r"!\[p\d badge\]", re.I),
    notices=phrases(
        (r"(?:you have reached your )?codex usage limits|you have reached your codex|credits must be used", LIMIT),
        (r"to use codex here|create (?:a codex account|an environment)", "not set up"),
        (rf"codex (?:could{NOT}|was unable|encountered|failed)|something went wrong", FAILED),
    ),
    markers=phrases(
        (r"^\|[^|\n]*\bcode review\*{0,2}[ \t]*\|[^|\n]*\brunning\b", RUNNING),
        (r"^\|[^|\n]*\bcode review\*{0,2}[ \t]*\|[^|\n]*\bfailed\b", FAILED),
    ),
    boilerplate=phrases(
        (r"codex-pull-request-review-summary|here are some automated review suggestions", "review summary"),
        (rf"^codex review: did{NOT} find any", "nothing found"),
    ),
)
CURSOR = Bot(
    notices=phrases(
        (
            r"bugbot (?:hit|reached|has reached) (?:a|its|your|the) |you have (?:used all|reached)"
            r"|bugbot free trial",
            LIMIT,
        ),
        (rf"bugbot (?:could{NOT}|could not|failed|was unable|encountered)", FAILED),
        (r"bugbot is (?:currently )?(?:running|reviewing)", RUNNING),
        (r"skipping bugbot|bugbot skipped", SKIPPED),
    ),
    boilerplate=phrases(
        (r"<!-- bugbot_review|bugbot (?:has )?reviewed your changes|<!-- cursor_summary", "review summary"),
    ),
)
GEMINI = Bot(
    notices=phrases(
        (r"you have reached your daily quota|.{0,60}quota limit", LIMIT),
        (r"gemini is unable to generate|gemini (?:encountered|failed|could not)", FAILED),
    ),
    boilerplate=phrases((r"^## summary of changes|\bi.{1,8}m gemini code assist", "review summary")),
    filler=lines(r"#+ code review", r"#+ using gemini code assist"),
)
GREPTILE = Bot(
    read=list_reader(forms.GREPTILE),
    notices=phrases(
        (r".{0,80}reached the [\d,]+-credit limit|your (?:free )?trial has ended", LIMIT),
        (r"too many files changed|pr author is in the excluded|no reviewable files", SKIPPED),
        (r"greptile (?:encountered|failed|could not|was unable)", FAILED),
    ),
    boilerplate=phrases((r"confidence score: ?5/5", "review summary")),
    filler=lines(
        r"(?:<h\d>)?#* ?greptile summary(?:</h\d>)?", r"<sub>(?:last reviewed commit|reviews? \(\d)[^\n]*",
        r"<sub>[^\n]{0,200}(?:greptile|react with|files? reviewed)[^\n]*",
        r"\[edit code review agent settings\][^\n]*",
    ),
)  # fmt: skip
SOURCERY = Bot(
    read=repeated.read_sourcery,
    notices=phrases(
        (r"sorry @[\w-]+, (?:you|we)(?:.{1,8}ve| have) (?:used|reached|hit|exceeded)", LIMIT),
        (r"sorry @[\w-]+, your pull request is (?:larger|too)", "too large"),
        (rf"sourcery (?:failed|encountered|could{NOT})", FAILED),
    ),
    boilerplate=phrases(
        (r"sourcery-ai\[bot\]: start review_guide|^## reviewer.{1,8}s guide", "review guide"),
        (r"i.{1,8}ve reviewed your changes and they look great", "nothing found"),
    ),
    filler=lines(
        r"(?:hey|hi)\b[^\n]{0,40}? - i.{1,8}ve (?:found|reviewed|left)[^\n]*", r"\*{3,}",
        r"please address the comments from[^\n]*",
    ),
)  # fmt: skip
CUBIC = Bot(
    read=repeated.read_cubic,
    hints=repeated.VIOLATION,
    notices=phrases(
        (r"you(?:.{1,8}ve| have) (?:reached|used|hit)[^\n]{0,60}(?:limit|quota)", LIMIT),
        (rf"cubic (?:failed|encountered|could{NOT}|was unable)", FAILED),
    ),
    boilerplate=phrases(
        (
            r"<!-- cubic:review-summary|^\**(?:no|\d+) issues? found|all reported issues were addressed",
            "review summary",
        ),
    ),
)
ELLIPSIS = Bot(
    read=loose_reader(forms.ELLIPSIS),
    hints=re.compile(r"Draft comment:"),
    notices=phrases(
        (r"your free trial|you.{1,8}ve reached", LIMIT),
        (r".{0,20}(?:this pr|review) (?:was )?(?:skipped|too large|exceeds)", SKIPPED),
    ),
    boilerplate=phrases((r"looks good to me|reviewed everything up to", "review summary")),
)
QODO = Bot(
    read=qodo.read_qodo,
    hints=qodo.HINTS,
    notices=phrases(
        (
            r".{0,20}qodo reviews? (?:are|is) paused|.{0,40}(?:monthly|free)(?:-tier)? (?:usage |review )?limit"
            r"|.{0,40}free-tier limit",
            LIMIT,
        ),
        (r"(?:<h\d>)?preparing (?:pr )?review|.{0,10}looking for bugs|(?:<h\d>)?qodo is busy", RUNNING),
    ),
    boilerplate=phrases(
        (r"great, no issues found|no (?:code suggestions found|major issues detected)", "nothing found"),
        (r"code review by qodo|pr code suggestions|pr reviewer guide", "review summary"),
        (
            r"pr summary by qodo|^#+ (?:pr|user) description|qodo:trial-expiring|<h3>pr type",
            "summary of the change",
        ),
    ),
)
CLAUDE = Bot(
    notices=phrases(
        (
            r"claude (?:code )?(?:is )?working|.{0,40}i.{1,8}ll analyze this and get back|review in progress",
            RUNNING,
        ),
        (r"[^\n]{0,12}?claude encountered an error", FAILED),
    ),
    filler=lines(
        r"\**claude finished [^\n]*", r"[-*] \[[ x]\] [^\n]*", r"-{3,}", r"#+ (?:todo list|tasks?|progress)"
    ),
)
AMAZON_Q = Bot(
    notices=phrases(
        (r"[^\n]{0,12}?(?:i.{1,8}m reviewing this pull request|code review in progress)", RUNNING),
        (r"[^\n]{0,12}?you(?:.{1,8}ve| have) reached", LIMIT),
        (
            rf"[^\n]{{0,12}}?i (?:could{NOT}|was unable)|[^\n]{{0,12}}?an error occurred"
            r"|[^\n]{0,12}?(?::warning: )?review failed",
            FAILED,
        ),
    ),
    boilerplate=phrases((r"i finished the code review", "review summary")),
)
DEVIN = Bot(
    notices=phrases(
        (r".{0,20}devin review (?:was )?(?:skipped|failed|could not)", FAILED),
        (r".{0,20}devin is (?:currently )?(?:unreachable|reviewing)", RUNNING),
    ),
    boilerplate=phrases(
        (r"devin review\W{0,4}(?:found \d+|no issues|analyzed)", "review summary"),
    ),
)
GRAPHITE = Bot(
    boilerplate=phrases((r"merge activity|graphite merge queue|managed by \**\[?graphite", "merge activity")),
    filler=lines(r"<i class=.graphite__hidden.>[^\n]*", r"is this helpful\?[^\n]*"),
)

REVIEWERS: dict[str, Bot] = {
    "coderabbitai": CODERABBIT,
    "copilot-pull-request-reviewer": COPILOT,
    "chatgpt-codex-connector": CODEX,
    "cursor": CURSOR,
    "gemini-code-assist": GEMINI,
    "greptile-apps": GREPTILE,
    "sourcery-ai": SOURCERY,
    "cubic-dev-ai": CUBIC,
    "ellipsis-dev": ELLIPSIS,
    "qodo-merge-pro": QODO,
    "qodo-code-review": QODO,
    "qodo-free-for-open-source-projects": QODO,
    "claude": CLAUDE,
    "amazon-q-developer": AMAZON_Q,
    "devin-ai-integration": DEVIN,
    "graphite-app": GRAPHITE,
}
