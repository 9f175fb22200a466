"""Many stories taken to their end without a person at the keyboard."""
