"""Experiments over many queries: data sets, statistics, and what both say of toolkits.

Stands above `runs` and `training`, below `cli`. A trial is a run: nothing in here calls an API.
"""
