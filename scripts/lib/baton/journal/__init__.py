"""A story's journal: what happened, where it stands, its paths and its lock."""
