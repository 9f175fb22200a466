"""Return metadata as agents write it, brought into the one form the program reads; every change is told."""

import copy
import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

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
    made = copy.deepcopy(value)
    notes: list[str] = []
    drop_nulls(made, MAY_BE_NULL, "", notes)
    for step in (
        _progress, _moved, _review, _flattened, _artifacts, _counters, _session, normalize_errors, _steps
    ):  # fmt: skip
        step(made, notes)
    _status(made, role, notes)
    return Normalized(made, tuple(notes))


def _shown(value: Any) -> str:
    words = " ".join(str(value).split())
    return words if len(words) <= SHOWN else words[: SHOWN - 1] + "…"


def drop_nulls(holder: dict[str, Any], keys: Iterable[str], where: str, notes: list[str]) -> None:
    """Leave out keys that say nothing, and note it."""
    for key in keys:
        if key in holder and holder[key] is None:
            del holder[key]
            notes.append(f"`{where}{key}` null: read as absent")


def _progress(made: dict[str, Any], notes: list[str]) -> None:
    if isinstance(made.get("partial_progress"), str):
        made["partial_progress"] = {"details": made["partial_progress"]}
        notes.append("`partial_progress` as text: read as its `details`")


def _moved(made: dict[str, Any], notes: list[str]) -> None:
    """Put what the program acts on where the form has it, unless that place has it, too."""
    held = [("", made), *((place, made[place]) for place in PLACES if isinstance(made.get(place), dict))]
    progress = made.get("partial_progress", {})
    for place, holder in held:
        for key in ("handoff_path", *REVIEW):
            target, home = (made, "") if key in REVIEW else (progress, "partial_progress")
            if place != home and isinstance(target, dict) and holder.get(key) and not target.get(key):
                target[key] = holder.pop(key)
                notes.append(f"`{place or 'top'}.{key}`: read as `{home or 'top'}.{key}`")
    if progress:
        made["partial_progress"] = progress


def _review(made: dict[str, Any], notes: list[str]) -> None:
    said = made.get("requires_user_review")
    word = said.strip().lower() if isinstance(said, str) else None
    if word in (*YES, *NO):
        made["requires_user_review"] = word in YES
        notes.append(f"`requires_user_review` {_shown(said)}: read as {json.dumps(word in YES)}")


def _flattened(made: dict[str, Any], notes: list[str]) -> None:
    """Move what belongs in `metadata` there, unless it is said in its own place as well."""
    metadata = made.get("metadata", {})
    if not isinstance(metadata, dict):
        return
    progress = made.get("partial_progress")
    for key in FLATTENED:
        inner = key in COUNTERS and isinstance(progress, dict) and progress.get(key) is not None
        if made.get(key) is not None and metadata.get(key) is None and not inner:
            metadata[key] = made.pop(key)
            made["metadata"] = metadata
            notes.append(f"`{key}` at the top: read as `metadata.{key}`")


def _artifacts(made: dict[str, Any], notes: list[str]) -> None:
    given = made.get("artifacts")
    listed = _as_list(given)
    if listed is not None and not isinstance(given, list):
        notes.append("`artifacts` not a list: read as one")
    if listed == [] or given is None:
        listed = _one_at_the_top(made, notes) or listed
    if listed is not None:
        made["artifacts"] = [_artifact(one, f"artifacts[{index}]", notes) for index, one in enumerate(listed)]


def _one_at_the_top(made: dict[str, Any], notes: list[str]) -> list[Any]:
    """Take the one artifact that is spelled out beside the status, if there is one."""
    names = [name for name in ("artifact_path", "artifact_type") if isinstance(made.get(name), str)]
    if "artifact_path" not in names:
        return []
    notes.append("`artifact_path` at the top: read as one of `artifacts`")
    return [{name: made.pop(name) for name in names}]


def _as_list(given: Any) -> list[Any] | None:
    """Return artifacts as a list: one alone, or paths by their kind; None for what is neither."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, dict):
        return given if isinstance(given, list) else None
    if {"path", "artifact_path"} & given.keys():
        return [given]
    pairs = [
        (kind, one) for kind, paths in given.items() for one in (paths if isinstance(paths, list) else [paths])
    ]
    if not all(isinstance(one, str) for _, one in pairs):
        return None
    return [{"type": kind, "path": one} for kind, one in pairs]


def _artifact(one: Any, where: str, notes: list[str]) -> Any:
    if isinstance(one, str):
        notes.append(f"`{where}` as text: read as its `path`")
        return {"path": one}
    if not isinstance(one, dict):
        return one
    for old, new in ARTIFACT_WORDS.items():
        if one.get(old) is not None and one.get(new) is None:
            one[new] = one.pop(old)
            notes.append(f"`{where}.{old}`: read as `{new}`")
    kind = one.get("type")
    words = kind.strip().lower() if isinstance(kind, str) else ""
    known = next((name for pattern, name in ARTIFACT_TYPES if pattern.fullmatch(words)), None)
    if known:
        one["type"] = known
        notes.append(f"`{where}.type` {_shown(kind)}: read as {known}")
    return one


def _counters(made: dict[str, Any], notes: list[str]) -> None:
    for place in ("metadata", "partial_progress"):
        holder = made.get(place)
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


def _session(made: dict[str, Any], notes: list[str]) -> None:
    metadata = made.get("metadata")
    named = metadata.get("session_id") if isinstance(metadata, dict) else None
    if isinstance(named, int | float) and not isinstance(named, bool):
        made["metadata"]["session_id"] = str(named)
        notes.append(f"`metadata.session_id` {_shown(named)}: a number read as text")


def normalize_errors(made: dict[str, Any], notes: list[str]) -> None:
    given = made.get("errors")
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list):
        return
    for index, one in enumerate(listed):
        if isinstance(one, str):
            notes.append(f"`errors[{index}]` as text: read as its `message`")
    made["errors"] = [{"message": one} if isinstance(one, str) else one for one in listed]


def _steps(made: dict[str, Any], notes: list[str]) -> None:
    if isinstance(files := made.get("files_changed"), str):
        made["files_changed"] = [files]
        notes.append("`files_changed` as text: read as a list of one")
    steps = made.get("next_steps")
    if isinstance(steps, list) and all(isinstance(one, str) for one in steps):
        made["next_steps"] = "; ".join(steps)
        notes.append("`next_steps` as a list: joined")


def _status(made: dict[str, Any], role: str, notes: list[str]) -> None:
    said = made.get("status")
    if not isinstance(said, str):
        return
    word = said.strip().lower()
    if word in RESEARCHED_WORDS:
        word = "researched"
    elif word in FINISHED_WORDS:
        word = SUCCESS.get(role or _own_role(made), word)
    if word != said:
        made["status"] = word
        notes.append(f"`status` {_shown(said)}: read as {_shown(word)}")


def _own_role(made: dict[str, Any]) -> str:
    """Return the role the metadata itself names, in the plugin's own words for it."""
    metadata = made.get("metadata")
    named = metadata.get("agent_type") if isinstance(metadata, dict) else None
    return named.strip().lower().removeprefix("baton:") if isinstance(named, str) else ""
