"""What GitHub knows of a commit and its pull request, read by the commit's id, and what is changed there."""
