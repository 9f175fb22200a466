"""Drive the real Claude Code client, offline, against a scripted model."""
