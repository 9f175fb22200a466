"""Git through the user's own `git`: work trees, commits, branches, objects."""
