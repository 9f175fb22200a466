"""Questions to the user: how they are put, and whose answer counts."""
