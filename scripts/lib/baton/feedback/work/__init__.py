"""The pull request's head on this machine: its tree, and the commands that judge it."""
