"""What stories learned goes into the project's memory: entry by entry, as the user decides."""
