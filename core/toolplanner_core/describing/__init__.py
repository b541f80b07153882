"""Texts of APIs, names and descriptions of toolkits by a language model, as proposals that people
answer.

`scope.py` finds what it is about; `estimate.py` says first what it will take; `job.py` asks;
`proposing.py` makes the proposals; `embedding_again.py` gives accepted texts their vectors.
Source: Tool-Planner, arXiv 2406.03807, section 3.1: a functionality text per API and toolkit.
"""
