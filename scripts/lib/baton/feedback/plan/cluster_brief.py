"""The block that tells a resolver of a cluster: what is shared, where, and what was resolved there before.

Every text is written as `text.visible` shows it, and a comma in a path or an id as `[U+002C]`, so that a
list can be split at its commas; `text.restored` gives both back.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.plan.cluster import Cluster
from baton.text import join_words, plural, visible

ROOT, PRIOR = "cluster-brief", "prior-resolutions"
# A line end or a tab is written by its number too: an element stays on its line, an attribute keeps it.
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;"})
# What a cluster's record holds as JSON, and of which sort it is.
RECORD = {"theme": str, "area": str, "files": list, "threads": list, "hypothesis": str}
COMMA, SEPARATOR = "[U+002C]", ", "


class Prior(NamedTuple):
    """A thread that was resolved before."""

    id: str
    path: str
    category: str


class ClusterBrief(NamedTuple):
    """The contents of the block; `threads` are the new ones."""

    theme: str
    area: str
    files: tuple[str, ...]
    threads: tuple[str, ...]
    hypothesis: str
    prior: tuple[Prior, ...] = ()


def brief_of(cluster: Cluster) -> ClusterBrief:
    """Return a cluster's brief for its resolver."""
    prior = tuple(Prior(thread.id, thread.path or "", thread.category) for thread in cluster.resolved)
    before = f" with {len(prior)} resolved here before" if prior else ""
    findings, theme, area = plural(len(cluster.new), "finding"), cluster.theme, cluster.area
    of = "" if theme == "other" else f" of {theme}"
    hypothesis = f"{findings}{of} in {area} may have one cause{before}."
    return ClusterBrief(theme, area, cluster.files, tuple(item.id for item in cluster.new), hypothesis, prior)


def block_in(brief: str) -> str:
    """Return the block that a resolver's brief holds; empty for a text without one."""
    block = re.search(rf"^<{ROOT}>\n(?: .*\n)*</{ROOT}>$", brief, re.MULTILINE)
    return block[0] if block else ""


def brief_from_data(data: Mapping[str, Any]) -> ClusterBrief:
    """Return a record's brief; a BatonError names what is missing, empty or not of its sort, or named twice."""
    prior = data.get("prior_resolutions", [])
    wrong = [f"`{name}`" for name, sort in RECORD.items() if not _is_full(data.get(name), sort)]
    if not isinstance(prior, list) or not all(_is_thread(thread) for thread in prior):
        wrong.append("`prior_resolutions`")
    if wrong:
        remedy = f"write {', '.join(RECORD)}; prior_resolutions, if any: a list of {', '.join(Prior._fields)}"
        raise BatonError(f"missing, empty or not readable: {', '.join(wrong)}", "the cluster's record", remedy)
    files, threads = (tuple(map(str, data[name])) for name in ("files", "threads"))
    before = tuple(Prior(*(str(thread[name]) for name in Prior._fields)) for thread in prior)
    ids = Counter([*threads, *(thread.id for thread in before)])
    if twice := [visible(name) for name, times in ids.items() if times > 1]:
        remedy = "name each once: as new in `threads`, or as resolved before in `prior_resolutions`"
        raise BatonError(f"named twice: {join_words(twice)}", "the cluster's record", remedy)
    return ClusterBrief(data["theme"], data["area"], files, threads, data["hypothesis"], before)


def _is_full(value: object, sort: type) -> bool:
    """Whether a value is of its sort and says something, in a list each entry."""
    parts = value if isinstance(value, list) else [value]
    return isinstance(value, sort) and bool(parts) and all(str(part).strip() for part in parts)


def _is_thread(value: object) -> bool:
    return isinstance(value, dict) and value.keys() >= set(Prior._fields)


def cluster_brief(brief: ClusterBrief) -> str:
    """Write the block, so that it reads back as what it was made from."""
    lines = [
        f"<theme>{_escaped(brief.theme)}</theme>",
        f"<area>{_escaped(brief.area)}</area>",
        f"<files>{_listed(brief.files)}</files>",
        f"<threads>{_listed(brief.threads)}</threads>",
        f"<hypothesis>{_escaped(brief.hypothesis)}</hypothesis>",
    ]
    if brief.prior:
        lines += [f"<{PRIOR}>", *(f"  <thread {_attributes(thread)}/>" for thread in brief.prior), f"</{PRIOR}>"]
    return "\n".join([f"<{ROOT}>", *(f"  {line}" for line in lines), f"</{ROOT}>"])


def _attributes(prior: Prior) -> str:
    return " ".join(f'{name}="{_escaped(text)}"' for name, text in prior._asdict().items())


def _escaped(text: str) -> str:
    return visible(text).translate(ESCAPES)


def _listed(texts: tuple[str, ...]) -> str:
    return SEPARATOR.join(_escaped(text).replace(",", COMMA) for text in texts)
