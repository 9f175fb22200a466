"""The only modules that start a process."""
