"""Holding a run: stop points, steps, breakpoints, and faults that are put in on purpose."""
