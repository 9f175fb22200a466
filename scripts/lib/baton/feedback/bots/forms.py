"""How bots list their findings, a form each."""

import re

from baton.feedback.bots.lists import BodySection, ListForm

CODERABBIT = ListForm(
    re.compile(r"(?m)^[ \t]*(?:Lines? )?`(\d{1,7})(?:-(\d{1,7}))?`[ \t]*:[ \t]*"),
    (
        BodySection(re.compile(r"additional comments?(?: not posted)?"), "additional", finds=False),
        BodySection(re.compile(r"outside diff range(?: and nitpick)? comments?.*"), "outside diff"),
        BodySection(re.compile(r"(?:.* )?comments? outside (?:of )?the diff"), "outside diff"),
        BodySection(re.compile(r"nitpick comments?"), "nitpick", severity="low", label="nitpick"),
        BodySection(re.compile(r"duplicate comments?"), "duplicate", repeated=True),
        BodySection(re.compile(r"critical comments?"), "critical", severity="critical"),
        BodySection(re.compile(r"major comments?"), "major", severity="high"),
        BodySection(re.compile(r"minor comments?"), "minor", severity="medium"),
        BodySection(re.compile(r"trivial comments?"), "trivial", severity="low"),
        BodySection(re.compile(r"(?:inline )?(?:review )?comments? (?:that )?failed to post"), "failed to post"),
    ),
    by_file=True,
)
COPILOT = ListForm(
    re.compile(
        r"(?m)^[ \t]*(?:\*\*`?|`)([^\s*`:][^*`:\n]{0,300}):(\d{1,7})(?:-(\d{1,7}))?(?:`?\*\*|`)[ \t]*:?[ \t]*$"
    ),
    (
        BodySection(
            re.compile(
                r"comments? suppressed.*|suppressed comments?.*|(?:previously )?missed(?: comments?)?"
                r"|previously missed.*"
            ),
            "suppressed",
        ),
    ),
    blocks=True,
    lead=re.compile(r"\s*[*-][ \t]+"),
)
GREPTILE = ListForm(
    re.compile(
        r"(?m)^[ \t]*(?:\d{1,3}\\?\.[ \t]+|\*\*)`([^`\n:]{1,300})`(?:\*\*)?"
        r"(?:,[ \t]*lines?[ \t]*(\d{1,7})(?:[-:](\d{1,7}))?)?[^\n]*$"
    ),
    (
        BodySection(
            re.compile(r"(?:additional comments?|comments? outside (?:the )?diff)(?: range)?"), "outside diff"
        ),
    ),
    indent="   ",
)
CODEX = ListForm(
    re.compile(
        r"(?m)^[ \t]*https://[^\s/]{1,100}/[^\s/]{1,100}/[^\s/]{1,100}/blob/[0-9a-f]{7,40}/([^\s#]{1,300})"
        r"#L(\d{1,7})(?:-L(\d{1,7}))?[ \t]*$"
    ),
    (BodySection(re.compile(""), "outside diff"),),
)
ELLIPSIS = ListForm(
    re.compile(
        r"(?m)^[ \t]*(?:#+[ \t]*)?\d{1,3}\\?\.[ \t]+\[?`?([^`\]\n:]{1,300}):(\d{1,7})(?:-(\d{1,7}))?`?\]?[^\n]*$"
    ),
    (BodySection(re.compile(""), "draft"),),
    lead=re.compile(r"(?:[^\n]*\n){0,4}?[ \t]*[-*][ \t]+(?:\*\*)?Draft comment:(?:\*\*)?[ \t]*"),
    declared=re.compile(r"Skipped posting `?(\d{1,4})`? draft(?:ed)? comments?"),
)
