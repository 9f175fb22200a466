"""Scripted stand-ins for the resolvers. What they write is prepared; what they hand in is really checked."""

import json
from pathlib import Path
from typing import Any

from baton.artifacts.document import read_document
from baton.artifacts.resolver_result import KIND
from baton.demo.program import Program, fault
from baton.demo.stand_ins import edit
from baton.demo.telling import tell_item

RESOLVED = Path(__file__).parent / "said" / "resolved.json"


class Resolvers:
    """The resolvers of one pull request, and how many rounds they have worked on."""

    def __init__(self, program: Program, number: int) -> None:
        self._program = program
        self._owner = f"pr-{number}"
        self._prepared: list[dict[str, Any]] = json.loads(RESOLVED.read_text(encoding="utf-8"))

    def settle(self, cycle: int, unit: dict[str, Any]) -> None:
        """Settle a unit in its work tree: edit the files, hand in; at first without what is to be forgotten."""
        made = self._prepared[cycle].get(unit["items"][0])
        if made is None or [one["feedback_id"] for one in made["results"]] != unit["items"]:
            raise fault(f"no resolver has prepared {', '.join(unit['items'])}")
        if unit["id"] not in read_document(Path(unit["brief"])):
            raise fault(f"the brief is not that of {unit['id']}")
        tree = self._program.begin(unit["id"])
        if "edits" in made:
            edit(tree.root, made["edits"])
        results = [{"feedback_type": "review_thread", **one} for one in made["results"]]
        if forgotten := made.get("forgets"):
            less = [{name: value for name, value in one.items() if name != forgotten} for one in results]
            if self._hand_in(tree, unit, less, made):
                raise fault(f"a result without {forgotten} was accepted")
        if not self._hand_in(tree, unit, results, made):
            raise fault(f"the result of {unit['id']} was rejected")

    def _hand_in(
        self, tree: Program, unit: dict[str, Any], results: list[dict[str, Any]], made: dict[str, Any]
    ) -> bool:
        value = {"unit": unit["id"], "results": results}
        if "assessment" in made:
            value["cluster_assessment"] = made["assessment"]
        findings = tree.hand_in_as(self._owner, KIND, unit["id"], json.dumps(value))
        said = f"rejected, {'; '.join(findings)}" if findings else "accepted"
        verdicts = ", ".join(one["verdict"] for one in results)
        tell_item("hand-in", f"{unit['id'].rpartition('-')[2]} ({verdicts}): {said}", 2)
        return not findings
