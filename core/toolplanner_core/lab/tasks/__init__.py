"""Data sets made of the user's own catalogue: drafted, solved, judged, kept where verified."""
