"""Plan a round: clusters, units, waves, and a brief for each resolver."""
