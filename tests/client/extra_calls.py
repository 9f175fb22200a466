"""How many calls of the model each misbehaviour cost beyond those of a story that goes well."""

EXTRA: dict[str, tuple[int, str]] = {}


def table() -> list[str]:
    """Return the lines of the table; none while nothing was counted."""
    return [f"{extra:+4} calls  {name}: {ended}" for name, (extra, ended) in EXTRA.items()]
