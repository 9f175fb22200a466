"""Probes tried in a client, and what is seen held against what was seen before."""

import json
import os
import re
import tempfile
import time
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.process import run
from baton_lab.probes.probe import TERMINAL, Lab, Probe

OBSERVED = Path(__file__).parent / "observed"
VERSION = re.compile(r"(\d+\.\d+\.\d+) ")
MOST_AT_ONCE = 4
FAILED = "the probe failed: "
FAILURES = (AssertionError, BatonError, OSError, LookupError, ValueError)


class Observation(NamedTuple):
    """What a probe saw in a client; `left_out` says why it was not tried."""

    probe: Probe
    version: str
    observed: str
    left_out: str = ""
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether the claim holds in this client."""
        return self.observed == self.probe.expected

    @property
    def failed(self) -> bool:
        """Whether it could not be carried out to its end, which says nothing yet of the claim."""
        return self.observed.startswith(FAILED)


Tables = Mapping[str, Mapping[str, str]]


def version_of(client: Path) -> str:
    """Return a client's version; a BatonError where it is no client."""
    try:
        said = run([str(client), "--version"], Path.cwd()).out
    except BatonError as error:
        raise BatonError(error.what, str(client), "`--client PATH` names another") from None
    if found := VERSION.match(said):
        return found[1]
    raise BatonError("it is no Claude Code client", str(client), "`--client PATH` names another")


def try_probe(one: Probe, client: Path, version: str) -> Observation:
    """Try one probe in a lab of its own."""
    if one.scope == TERMINAL and not (find_spec("pexpect") and find_spec("pyte")):
        return Observation(one, version, "", "it needs a terminal, and the packages pexpect and pyte")
    begun = time.monotonic()
    # A client's sockets lie in its temporary folder, and a socket's path must be short.
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="probe-", ignore_cleanup_errors=True))
        )
        try:
            observed = one.try_out(Lab(client, folder, stack))
        except FAILURES as error:
            observed = f"{FAILED}{_reason(error)}"
    return Observation(one, version, observed, seconds=time.monotonic() - begun)


def _reason(error: Exception) -> str:
    """Return why a probe failed, in a line; what it looked for in vain was done otherwise by the client."""
    if isinstance(error, LookupError | ValueError):
        return "the client did something else on the way"
    told = " ".join(str(error).split()).partition("; on the screen")[0]
    return told[:200] or type(error).__name__


def try_probes(probes: Iterable[Probe], client: Path) -> Generator[Observation, None, None]:
    """Try probes, some at once; yields each as it ends."""
    version = version_of(client)
    with ThreadPoolExecutor(min(MOST_AT_ONCE, os.cpu_count() or 1)) as pool:
        futures = [pool.submit(try_probe, probe, client, version) for probe in probes]
        try:
            for one in as_completed(futures):
                yield one.result()
        finally:
            pool.shutdown(cancel_futures=True)


def read_tables() -> Tables:
    """Return what was observed, by version, oldest first, and by the probe's name."""
    tables = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in OBSERVED.glob("*.json")}
    return {version: tables[version] for version in sorted(tables, key=order_of)}


def order_of(version: str) -> tuple[int, ...]:
    """Return what versions are sorted by."""
    return tuple(int(part) for part in version.split("."))


def holds_since(name: str, version: str, observed: str, tables: Tables) -> str:
    """Return the oldest version from which on, up to this one, the same was seen."""
    since = version
    for earlier in reversed([table for table in tables if order_of(table) < order_of(version)]):
        if tables[earlier].get(name) != observed:
            break
        since = earlier
    return since


def seen_before(name: str, version: str, tables: Tables) -> tuple[str, str] | None:
    """Return the newest version up to this one in which a probe was tried, and what it saw; None for none."""
    known = [table for table in tables if order_of(table) <= order_of(version) and name in tables[table]]
    return (known[-1], tables[known[-1]][name]) if known else None
