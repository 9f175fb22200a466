"""What the project's commands say of a tree, and what would land with it."""
