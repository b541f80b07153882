"""Questions for a person: what to look at next, with its evidence, and what an answer does."""
