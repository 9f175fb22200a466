"""Read a pull request: fetch it, decide who is trusted, sort it into items."""
