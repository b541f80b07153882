"""Item models and view state of the Curate layout."""
