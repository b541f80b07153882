"""Item models and view state of the Debug layout."""
