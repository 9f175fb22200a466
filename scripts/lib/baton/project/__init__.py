"""What holds for a whole project: its settings, its commands, its protected files."""
