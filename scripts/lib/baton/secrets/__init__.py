"""Find credentials: variables that hold one, by name or by value, and texts with one in them."""
