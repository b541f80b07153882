"""Replays and forks: a run again from its own log, whole or from one of its nodes on.

Going on after a crash makes a new run that forks the interrupted one: what was written stays as
it was.
"""
