"""The workflow by which stories run on GitHub Actions."""

import re

from baton import __version__
from baton.errors import BatonError
from baton.templates.render import render

WORKFLOW = ".github/workflows/baton.yml"
PLUGIN = "baton-plugin/baton"
CLIENT = "2.1.330"  # of Claude Code, that whole stories were run in
LABEL, BUDGET, CRON = "baton", "25", "17 * * * *"
# What git may check out by, and no more: it is written into a file that GitHub runs.
REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")


def workflow_text(ref: str = "") -> str:
    """Return the workflow, which takes the plugin at a ref: a full commit is best, its own version by default."""
    if ref and not REF.fullmatch(ref):
        raise BatonError(f"{ref!r} is no tag and no commit", "--plugin-ref", "give a commit of the plugin's")
    named = {"plugin": PLUGIN, "ref": ref or f"v{__version__}", "client": CLIENT}
    text = render("workflow.yml.j2", **named, label=LABEL, budget=BUDGET, cron=CRON)
    return re.sub(r"\n\n+(?= {4})", "\n", text)  # what the template's own marks leave
