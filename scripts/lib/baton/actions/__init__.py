"""Stories on GitHub Actions: the steps of the jobs that claim a story, work on it, and land it."""
