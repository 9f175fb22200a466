"""A story's journal: its events, its state, its paths and its lock."""
