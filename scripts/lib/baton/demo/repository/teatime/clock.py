"""A time as a clock shows it."""


def face(seconds: int) -> str:
    """Return `seconds` as 3:30, or as 1:05:00 from an hour on."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
