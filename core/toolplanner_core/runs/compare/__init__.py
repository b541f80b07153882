"""Two runs as one aligned tree, and where they part."""
