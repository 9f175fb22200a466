"""What is kept of a pull request: its files, its journal, its questions, what was sent."""
