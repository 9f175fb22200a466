"""Where every story stands, and what is wrong with a set-up."""
