"""What runs and conversations use: read from the client's transcripts, priced, added up, held against budgets."""
