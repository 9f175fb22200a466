"""A run of a sub-agent: sent out, briefed, its work taken."""
