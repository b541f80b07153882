"""Vectors to the plane: one file for each layout."""
