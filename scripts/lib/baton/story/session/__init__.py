"""What a story is while it is driven: its journal and state, its papers, its branch."""
