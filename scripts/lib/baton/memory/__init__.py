"""The project's memory: what stories learned goes into it entry by entry, as the user decides."""
