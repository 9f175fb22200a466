"""Return metadata as agents write it, brought into the one form the program reads; every change is told."""

import copy
import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from baton.text import clip

SUCCESS = {
    "planner": "planned",
    "implementer": "implemented",
    "qa": "implemented",
    "micro-delivery": "implemented",
}
RESEARCHED_WORDS = (
    "research_done", "research_complete", "research_completed", "research_ready", "report_written", "report_ready",
)  # fmt: skip
# They say that a run succeeded, but not at what: the role tells.
FINISHED_WORDS = ("done", "completed", "complete", "finished", "success", "ready", "ready_for_postflight")
COUNTERS = ("phases_completed", "phases_total")
FLATTENED = ("session_id", "agent_type", *COUNTERS)
MAY_BE_NULL = (
    "metadata", "partial_progress", "artifacts", "errors", "files_changed", "requires_user_review"
)  # fmt: skip
# What stands in one place of the form, and where else agents put it.
PLACES = ("metadata", "partial_progress", "completion_data")
REVIEW = ("requires_user_review", "review_reason")
YES, NO = ("yes", "true", "y"), ("no", "false", "n", "")
ARTIFACT_WORDS = {"description": "summary", "artifact_path": "path", "artifact_type": "type"}
ARTIFACT_TYPES = ((re.compile(r"research"), "report"), (re.compile(r"lean.*|source|code"), "implementation"))
WHOLE_NUMBER = re.compile(r"[0-9]{1,6}")
SHOWN = 60


class Normalized(NamedTuple):
    """Return metadata in the program's own form, and one line for each thing that was not in it."""

    value: dict[str, Any]
    notes: tuple[str, ...]


def normalize(value: dict[str, Any], role: str = "") -> Normalized:
    """Bring return metadata into one form; `role` is that of the run, if it is known. What fits nowhere stays."""
    data = copy.deepcopy(value)
    notes: list[str] = []
    drop_nulls(data, MAY_BE_NULL, "", notes)
    for step in (
        _progress, _moved, _review, _flattened, _artifacts, _counters, _session, normalize_errors, _steps
    ):  # fmt: skip
        step(data, notes)
    _status(data, role, notes)
    return Normalized(data, tuple(notes))


def cut_words(value: Any) -> str:
    """Return what was given, on one line and cut, for a note."""
    return clip(" ".join(str(value).split()), SHOWN)


def drop_nulls(holder: dict[str, Any], keys: Iterable[str], where: str, notes: list[str]) -> None:
    """Leave out keys that say nothing, and note it."""
    for key in keys:
        if key in holder and holder[key] is None:
            del holder[key]
            notes.append(f"`{where}{key}` null: read as absent")


def list_one(holder: dict[str, Any], key: str, where: str, notes: list[str]) -> None:
    """Make a list of one text that stands in place of several, and note it."""
    if isinstance(holder.get(key), str):
        holder[key] = [holder[key]]
        notes.append(f"`{where}{key}` as text: read as a list of one")


def _progress(data: dict[str, Any], notes: list[str]) -> None:
    if isinstance(data.get("partial_progress"), str):
        data["partial_progress"] = {"details": data["partial_progress"]}
        notes.append("`partial_progress` as text: read as its `details`")


def _moved(data: dict[str, Any], notes: list[str]) -> None:
    """Put what the program acts on where the form has it, unless that place has it, too."""
    held = [("", data), *((place, data[place]) for place in PLACES if isinstance(data.get(place), dict))]
    progress = data.get("partial_progress", {})
    for place, holder in held:
        for key in ("handoff_path", *REVIEW):
            target, home = (data, "") if key in REVIEW else (progress, "partial_progress")
            if place != home and isinstance(target, dict) and holder.get(key) and not target.get(key):
                target[key] = holder.pop(key)
                notes.append(f"`{place or 'top'}.{key}`: read as `{home or 'top'}.{key}`")
    if progress:
        data["partial_progress"] = progress


def _review(data: dict[str, Any], notes: list[str]) -> None:
    given = data.get("requires_user_review")
    word = given.strip().lower() if isinstance(given, str) else None
    if word in (*YES, *NO):
        data["requires_user_review"] = word in YES
        notes.append(f"`requires_user_review` {cut_words(given)}: read as {json.dumps(word in YES)}")


def _flattened(data: dict[str, Any], notes: list[str]) -> None:
    """Move what belongs in `metadata` there, unless it is said in its own place as well."""
    metadata = data.get("metadata", {})
    if not isinstance(metadata, dict):
        return
    progress = data.get("partial_progress")
    for key in FLATTENED:
        inner = key in COUNTERS and isinstance(progress, dict) and progress.get(key) is not None
        if data.get(key) is not None and metadata.get(key) is None and not inner:
            metadata[key] = data.pop(key)
            data["metadata"] = metadata
            notes.append(f"`{key}` at the top: read as `metadata.{key}`")


def _artifacts(data: dict[str, Any], notes: list[str]) -> None:
    given = data.get("artifacts")
    listed = _as_list(given)
    if listed is not None and not isinstance(given, list):
        notes.append("`artifacts` not a list: read as one")
    if listed == [] or given is None:
        listed = _one_at_the_top(data, notes) or listed
    if listed is not None:
        data["artifacts"] = [_artifact(item, f"artifacts[{index}]", notes) for index, item in enumerate(listed)]


def _one_at_the_top(data: dict[str, Any], notes: list[str]) -> list[Any]:
    """Take the one artifact that is spelled out beside the status, if there is one."""
    names = [name for name in ("artifact_path", "artifact_type") if isinstance(data.get(name), str)]
    if "artifact_path" not in names:
        return []
    notes.append("`artifact_path` at the top: read as one of `artifacts`")
    return [{name: data.pop(name) for name in names}]


def _as_list(given: Any) -> list[Any] | None:
    """Return artifacts as a list: one alone, or paths by their kind; None for what is neither."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, dict):
        return given if isinstance(given, list) else None
    if {"path", "artifact_path"} & given.keys():
        return [given]
    pairs = [
        (kind, path) for kind, paths in given.items() for path in (paths if isinstance(paths, list) else [paths])
    ]
    if not all(isinstance(path, str) for _, path in pairs):
        return None
    return [{"type": kind, "path": path} for kind, path in pairs]


def _artifact(artifact: Any, where: str, notes: list[str]) -> Any:
    if isinstance(artifact, str):
        notes.append(f"`{where}` as text: read as its `path`")
        return {"path": artifact}
    if not isinstance(artifact, dict):
        return artifact
    for old, new in ARTIFACT_WORDS.items():
        if artifact.get(old) is not None and artifact.get(new) is None:
            artifact[new] = artifact.pop(old)
            notes.append(f"`{where}.{old}`: read as `{new}`")
    kind = artifact.get("type")
    words = kind.strip().lower() if isinstance(kind, str) else ""
    known = next((name for pattern, name in ARTIFACT_TYPES if pattern.fullmatch(words)), None)
    if known:
        artifact["type"] = known
        notes.append(f"`{where}.type` {cut_words(kind)}: read as {known}")
    return artifact


def _counters(data: dict[str, Any], notes: list[str]) -> None:
    for place in ("metadata", "partial_progress"):
        holder = data.get(place)
        if not isinstance(holder, dict):
            continue
        for key in COUNTERS:
            value = holder.get(key)
            number = _count(value)
            if number is not None:
                holder[key] = number
                as_what = "a list" if isinstance(value, list) else "text"
                notes.append(f"`{place}.{key}` as {as_what}: read as {number}")


def _count(value: Any) -> int | None:
    if isinstance(value, list):
        return len(value)
    if isinstance(value, str) and WHOLE_NUMBER.fullmatch(value.strip()):
        return int(value)
    return None


def _session(data: dict[str, Any], notes: list[str]) -> None:
    metadata = data.get("metadata")
    named = metadata.get("session_id") if isinstance(metadata, dict) else None
    if isinstance(named, int | float) and not isinstance(named, bool):
        data["metadata"]["session_id"] = str(named)
        notes.append(f"`metadata.session_id` {cut_words(named)}: a number read as text")


def normalize_errors(data: dict[str, Any], notes: list[str]) -> None:
    given = data.get("errors")
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list):
        return
    for index, error in enumerate(listed):
        if isinstance(error, str):
            notes.append(f"`errors[{index}]` as text: read as its `message`")
    data["errors"] = [{"message": error} if isinstance(error, str) else error for error in listed]


def _steps(data: dict[str, Any], notes: list[str]) -> None:
    list_one(data, "files_changed", "", notes)
    steps = data.get("next_steps")
    if isinstance(steps, list) and all(isinstance(step, str) for step in steps):
        data["next_steps"] = "; ".join(steps)
        notes.append("`next_steps` as a list: joined")


def _status(data: dict[str, Any], role: str, notes: list[str]) -> None:
    given = data.get("status")
    if not isinstance(given, str):
        return
    word = given.strip().lower()
    if word in RESEARCHED_WORDS:
        word = "researched"
    elif word in FINISHED_WORDS:
        word = SUCCESS.get(role or _own_role(data), word)
    if word != given:
        data["status"] = word
        notes.append(f"`status` {cut_words(given)}: read as {cut_words(word)}")


def _own_role(data: dict[str, Any]) -> str:
    """Return the role the metadata itself names, in the plugin's own words for it."""
    metadata = data.get("metadata")
    named = metadata.get("agent_type") if isinstance(metadata, dict) else None
    return named.strip().lower().removeprefix("baton:") if isinstance(named, str) else ""
