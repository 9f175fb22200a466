"""A pull request's feedback: read, judged who is trusted, sorted, shown."""
