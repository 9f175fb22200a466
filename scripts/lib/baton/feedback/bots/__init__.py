"""What review bots write, read: their findings, what is left, and what says nothing."""

from baton.feedback.bots.body import BOTS, read_bot
from baton.feedback.bots.reading import Finding, Reading

__all__ = ["BOTS", "Finding", "Reading", "read_bot"]
