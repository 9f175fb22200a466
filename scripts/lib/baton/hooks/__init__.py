"""What the client calls: one module per event."""
