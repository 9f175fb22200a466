"""How long tea steeps."""
