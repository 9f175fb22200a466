"""One step of a story: facts, decision, journal, brief, out."""
