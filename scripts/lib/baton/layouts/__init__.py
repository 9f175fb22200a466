"""Trees of specs that other tools keep, read where they are by a table for each layout."""
