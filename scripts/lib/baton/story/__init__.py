"""A story on disk: where its files are, its journal, its lock."""
