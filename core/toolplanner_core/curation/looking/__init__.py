"""What can be seen of a curated catalogue at one moment, and found in it."""
