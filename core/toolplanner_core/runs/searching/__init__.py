"""Search over all runs of a workspace."""
