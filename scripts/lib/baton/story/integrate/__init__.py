"""A story that passed is merged or made ready; its report, and what it taught."""
