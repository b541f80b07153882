"""Texts of APIs, names and descriptions of toolkits by a language model, as proposals that people
answer.

`estimate.py` finds what it is about and what it will take; `job.py` asks a model and gives accepted
texts their vectors; `proposing.py` makes the proposals.
Source: Tool-Planner, arXiv 2406.03807, section 3.1: a functionality text per API and toolkit.
"""
