"""The report of a story or a round, as data: its work, decisions, spending, checks, and what nobody verified."""
