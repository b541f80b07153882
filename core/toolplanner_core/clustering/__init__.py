"""Vectors to groups: one file for each clustering; neighbours and quality beside them."""
