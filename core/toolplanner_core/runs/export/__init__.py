"""A run as a file for others: one module per format."""
