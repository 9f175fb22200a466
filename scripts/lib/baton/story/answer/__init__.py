"""The user's answer, taken; how they hear of a question."""
