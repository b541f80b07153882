"""Data sets: their JSON lines, importers of public and own ones (one file each), duplicates."""
