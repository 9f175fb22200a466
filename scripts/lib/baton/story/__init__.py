"""`/implement`: the stages of a story, from its first call to its merge."""
