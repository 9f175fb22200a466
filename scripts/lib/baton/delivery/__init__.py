"""A commit and its pull request on GitHub: read by the commit's id, and changed."""
