"""Saved cases: a query with what is expected of its run; drafted, run, checked, listed."""
