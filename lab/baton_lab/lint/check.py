"""All rules, what they find in a set of definitions, and what the client's own validation finds there."""

import json
import shutil
from pathlib import Path
from typing import Any

from baton.artifacts.findings import Finding
from baton.errors import BatonError
from baton.process import run
from baton_lab.lint.agent_rules import AGENT_RULES
from baton_lab.lint.definition import LintRule
from baton_lab.lint.find_definitions import Found
from baton_lab.lint.hook_rules import HOOK_RULES
from baton_lab.lint.text_rules import TEXT_RULES

RULES: tuple[LintRule, ...] = (*AGENT_RULES, *TEXT_RULES, *HOOK_RULES)
UNREADABLE = "unreadable"
VALIDATE = "claude plugin validate"


def check_definitions(found: Found, start: Path) -> list[Finding]:
    """Return what the rules find, in the order of the files; paths are shown from `start`."""
    spots = [(rule, spot) for rule in RULES for spot in rule.find(found.whole)]
    unread = [Finding(_shown(error.where, start), "1", UNREADABLE, f"{error.what}: {error.remedy}")
              for error in found.unreadable]  # fmt: skip
    findings = [
        Finding(_shown(spot.path, start), str(spot.line), rule.id, _message(rule, spot.values), rule.severity)
        for rule, spot in sorted(spots, key=lambda pair: (pair[1].path, pair[1].line, pair[0].id))
        if found.only in (None, spot.path)
    ]
    return unread + list(dict.fromkeys(findings))


def _message(rule: LintRule, values: Any) -> str:
    return f"{rule.message.format(**values)} (probe {rule.probe}): {rule.remedy.format(**values)}"


def _shown(path: Path | str, start: Path) -> str:
    whole = Path(path)
    base = next((one for one in (start, start.resolve()) if whole.is_relative_to(one)), None)
    return str(whole.relative_to(base) if base else whole)


def validate_by_client(found: Found, start: Path) -> list[Finding]:
    """Return what the client's own validation says; a BatonError where it was not run."""
    client = shutil.which("claude")
    if client is None:
        raise BatonError("no `claude` on PATH", VALIDATE, "install Claude Code")
    done = run([client, "plugin", "validate", "--json", str(found.whole.root)], found.whole.root)
    try:
        said = json.loads(done.out)
        parts = [part for part in (said["manifest"], *said["contents"]) if part]
        return [
            Finding(_shown(part["file"], start), one["path"], VALIDATE, one["message"], severity)
            for part in parts for key, severity in (("errors", "error"), ("warnings", "warning"))
            for one in part[key] if not found.only or found.only.resolve() == Path(part["file"]).resolve()
        ]  # fmt: skip
    except (ValueError, LookupError, TypeError) as error:
        raise BatonError("it gave no report that can be read", VALIDATE, "update Claude Code") from error
