"""A whole project's settings, commands and protected files."""
