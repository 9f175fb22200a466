"""Work on many stories without a person at the keyboard."""
