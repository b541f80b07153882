"""Breakpoints and faults: two lists of rules."""
