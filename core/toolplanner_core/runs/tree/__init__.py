"""The tree of a run: a fold of its events, and what is said and counted of it.

A node says why it is there by itself: its cause is an event, and the words come from what that
event, or the node around it, came to ("because branch 1 was pruned: ..."). No strategy writes
such sentences.
"""
