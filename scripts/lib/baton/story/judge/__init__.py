"""What a run hands in, checked; how it is judged."""
