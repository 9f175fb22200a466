"""Resolver results as agents write them, brought into the one form the program reads; every change is told."""

import copy
from typing import Any

from baton.artifacts.file_name import quote_name
from baton.artifacts.normalize import Normalized, cut_words, drop_nulls, list_one

FIXING = ("fixed", "fixed-differently")
ASKS_NOTHING = "asks-nothing"
NULLS = ("files_changed", "decision_context", "change")


def normalize_result(value: dict[str, Any]) -> Normalized:
    """Bring a resolver result into one form. What fits nowhere stays."""
    result = copy.deepcopy(value)
    notes: list[str] = []
    drop_nulls(result, ("cluster_assessment",), "", notes)
    if isinstance(result.get("results"), dict):
        result["results"] = [result["results"]]
        notes.append("`results` not a list: read as one")
    results = result.get("results")
    for index, item in enumerate(results if isinstance(results, list) else ()):
        if isinstance(item, dict):
            _normalize_one(item, f"results[{index}].", notes)
    assessment = result.get("cluster_assessment")
    if isinstance(assessment, dict):
        drop_nulls(assessment, ("files_investigated",), "cluster_assessment.", notes)
        _spell(assessment, "mode", "-", "cluster_assessment.", notes)
        _list_names(assessment, "files_investigated", "cluster_assessment.", notes)
    return Normalized(result, tuple(notes))


def _normalize_one(item: dict[str, Any], where: str, notes: list[str]) -> None:
    drop_nulls(item, NULLS, where, notes)
    _spell(item, "verdict", "-", where, notes)
    _spell(item, "feedback_type", "_", where, notes)
    _list_names(item, "files_changed", where, notes)
    verdict = item.get("verdict")
    if verdict == ASKS_NOTHING and item.pop("reply_text", None):
        notes.append(f"`{where}reply_text` of `{ASKS_NOTHING}`: left out, none is posted")
    if verdict not in FIXING and item.pop("change", None):
        notes.append(f"`{where}change`: left out, nothing was fixed")


def _spell(holder: dict[str, Any], key: str, joint: str, where: str, notes: list[str]) -> None:
    """Write a word of ours as we do: small letters, its parts joined in one way."""
    given = holder.get(key)
    if not isinstance(given, str):
        return
    word = joint.join(given.lower().replace("-", " ").replace("_", " ").split())
    if word != given:
        holder[key] = word
        notes.append(f"`{where}{key}` {quote_name(cut_words(given))}: read as {quote_name(cut_words(word))}")


def _list_names(holder: dict[str, Any], key: str, where: str, notes: list[str]) -> None:
    """Make a list of one name, and take the `./` off its beginning."""
    list_one(holder, key, where, notes)
    names = holder.get(key)
    if not isinstance(names, list):
        return
    for index, name in enumerate(names):
        if isinstance(name, str) and name.startswith("./") and len(name) > 2:
            names[index] = name[2:]
            given, plain = quote_name(cut_words(name)), quote_name(cut_words(name[2:]))
            notes.append(f"`{where}{key}[{index}]` {given}: read as {plain}")
