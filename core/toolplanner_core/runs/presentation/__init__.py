"""What people read of a run: the same texts for window, terminal and exports; nothing knows Qt."""
