"""The tree of a run: a fold of its events, and what is said and counted of it."""
