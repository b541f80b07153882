"""Reusable widgets that know nothing of tools, toolkits or runs."""
