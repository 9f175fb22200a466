"""The project's own build and test commands: run in a check tree, their results read and compared."""
