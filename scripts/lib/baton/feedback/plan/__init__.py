"""Plan a round: clusters, units, which begin when, and a brief for each resolver."""
