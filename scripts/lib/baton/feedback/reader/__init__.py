"""A model reads what was said; this is what it gets, what of its reading is taken, and what comes of it."""
