"""Techniques of several strategies: the ReAct loop, tree search, programs, the tool graph."""
