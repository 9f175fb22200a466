"""A story on GitHub: its push, pull request, checks, reviews and merge, all read by the commit's id."""
