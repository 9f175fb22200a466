"""What reviewers said, read by a model: the texts it gets, how its reading is checked, the items made of it."""
