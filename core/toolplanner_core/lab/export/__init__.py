"""The results of an experiment for others: its tables as CSV, LaTeX and one HTML page, and the
bundle from which they can all be made again."""
