"""GitHub through the user's `gh`: requests, queries, and what an answer means."""
