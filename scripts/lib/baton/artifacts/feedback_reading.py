"""The form of what a reader hands in; its words are held against texts in `feedback/reader/check_reading.py`."""

from typing import Any

from baton.artifacts.data import load_object
from baton.artifacts.findings import Finding
from baton.artifacts.front_matter import YamlFault
from baton.artifacts.schema import check_schema
from baton.artifacts.strict_json import JsonFault

KIND = "feedback-reading"


def check_reading(text: str, path: str) -> list[Finding]:
    """Find every fault of form in a reading."""
    try:
        value = read_reading(text)
    except (JsonFault, YamlFault) as fault:
        form = "JSON" if isinstance(fault, JsonFault) else "YAML"
        return [Finding(path, "$", f"{KIND}/{form.lower()}", f"not readable as {form}: {fault}")]
    return check_schema(value, KIND, path)


def read_reading(text: str) -> dict[str, Any]:
    """Read a reading that `check_reading` found no fault in; JsonFault or YamlFault for what is no data."""
    return load_object(text, KIND)
