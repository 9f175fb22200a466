"""baton: validated handoffs for Claude Code."""

__version__ = "0.1.0"
