"""Resolver results as agents write them, brought into the one form the program reads; every change is told."""

import copy
from typing import Any

from baton.artifacts.file_name import told
from baton.artifacts.normalize import Normalized, drop_nulls

FIXING = ("fixed", "fixed-differently")
ASKS_NOTHING = "asks-nothing"
NULLS = ("files_changed", "decision_context", "change")
SHOWN = 60


def normalize_result(value: dict[str, Any]) -> Normalized:
    """Bring a resolver result into one form. What fits nowhere stays."""
    made = copy.deepcopy(value)
    notes: list[str] = []
    drop_nulls(made, ("cluster_assessment",), "", notes)
    if isinstance(made.get("results"), dict):
        made["results"] = [made["results"]]
        notes.append("`results` not a list: read as one")
    results = made.get("results")
    for index, one in enumerate(results if isinstance(results, list) else ()):
        if isinstance(one, dict):
            _normalize_one(one, f"results[{index}].", notes)
    assessment = made.get("cluster_assessment")
    if isinstance(assessment, dict):
        drop_nulls(assessment, ("files_investigated",), "cluster_assessment.", notes)
        _spell(assessment, "mode", "-", "cluster_assessment.", notes)
        _list_names(assessment, "files_investigated", "cluster_assessment.", notes)
    return Normalized(made, tuple(notes))


def _normalize_one(one: dict[str, Any], where: str, notes: list[str]) -> None:
    drop_nulls(one, NULLS, where, notes)
    _spell(one, "verdict", "-", where, notes)
    _spell(one, "feedback_type", "_", where, notes)
    _list_names(one, "files_changed", where, notes)
    verdict = one.get("verdict")
    if verdict == ASKS_NOTHING and one.pop("reply_text", None):
        notes.append(f"`{where}reply_text` of `{ASKS_NOTHING}`: left out, none is posted")
    if verdict not in FIXING and one.pop("change", None):
        notes.append(f"`{where}change`: left out, nothing was fixed")


def _spell(holder: dict[str, Any], key: str, joint: str, where: str, notes: list[str]) -> None:
    """Write a word of ours as we do: small letters, its parts joined in one way."""
    said = holder.get(key)
    if not isinstance(said, str):
        return
    word = joint.join(said.lower().replace("-", " ").replace("_", " ").split())
    if word != said:
        holder[key] = word
        notes.append(f"`{where}{key}` {_shown(said)}: read as {_shown(word)}")


def _list_names(holder: dict[str, Any], key: str, where: str, notes: list[str]) -> None:
    """Make a list of one name, and take the `./` off its beginning."""
    if isinstance(holder.get(key), str):
        holder[key] = [holder[key]]
        notes.append(f"`{where}{key}` as text: read as a list of one")
    names = holder.get(key)
    if not isinstance(names, list):
        return
    for index, name in enumerate(names):
        if isinstance(name, str) and name.startswith("./") and len(name) > 2:
            names[index] = name[2:]
            notes.append(f"`{where}{key}[{index}]` {_shown(name)}: read as {_shown(name[2:])}")


def _shown(value: str) -> str:
    words = " ".join(value.split())
    return told(words if len(words) <= SHOWN else words[: SHOWN - 1] + "…")
