"""How a story begins: what it is made of, its criteria, whether it may start."""
