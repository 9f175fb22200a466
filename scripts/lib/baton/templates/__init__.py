"""Templates for the texts that runs and users read."""
