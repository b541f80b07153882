"""What is told of a run: the same words for window, terminal and exports; nothing knows Qt."""
