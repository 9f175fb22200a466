"""Lists in sentences."""


def shortened(names: list[str], most: int = 10) -> str:
    """Join names for a person: the first few, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
