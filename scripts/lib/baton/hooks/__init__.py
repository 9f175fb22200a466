"""The client's hooks: one module per event."""
