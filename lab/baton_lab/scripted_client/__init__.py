"""The real Claude Code client, offline, against a scripted model: for probes of the client, and for tests."""
