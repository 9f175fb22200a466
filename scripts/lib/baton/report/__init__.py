"""The report of a story or a round, as data: what was built, decided, spent, seen, and what nobody verified."""
