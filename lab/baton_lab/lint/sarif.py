"""Findings in SARIF 2.1.0, the form in which code scanning takes them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from baton import __version__
from baton.artifacts.findings import Finding
from baton_lab.lint.check import RULES

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = "https://github.com/baton-plugin/baton"
GUIDE = f"{HOME}/blob/main/docs/sub-agents.md"


def to_sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return a SARIF log with one run; results of `claude plugin validate` are rules of that name."""
    levels = {rule.id: rule.severity for rule in RULES}
    names = sorted({*levels, *(finding.rule for finding in findings)})
    rules = [{"id": name, "shortDescription": {"text": name.replace("-", " ")}, "helpUri": GUIDE,
              "defaultConfiguration": {"level": levels.get(name, "error")}} for name in names]  # fmt: skip
    driver = {"name": "lab lint", "version": __version__, "informationUri": HOME, "rules": rules}
    results = [_result(finding, names.index(finding.rule)) for finding in findings]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _result(one: Finding, index: int) -> dict[str, Any]:
    path = Path(one.path)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    # The client's own validation names a key, no line.
    line = int(one.where) if one.where.isdigit() else 1
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    return {
        "ruleId": one.rule, "ruleIndex": index, "level": one.severity, "message": {"text": one.message},
        "locations": [{"physicalLocation": place}],
    }  # fmt: skip
