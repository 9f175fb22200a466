"""A pull request's feedback: read, judged who may steer, sorted, shown."""
