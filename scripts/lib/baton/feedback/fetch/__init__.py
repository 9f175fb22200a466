"""Fetch a pull request, decide who is trusted, and sort what was said into items; no model is asked."""
