"""The usage of runs and conversations: read from the client's transcripts, priced, summed, and budgeted."""
