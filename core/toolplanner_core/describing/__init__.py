"""Names and descriptions of toolkits by a language model, as a proposal that people answer.

`estimate.py` says first what it will take; `job.py` asks; `proposing.py` makes the proposal.
Source: Tool-Planner, arXiv 2406.03807, section 3.1: a functionality text per toolkit.
"""
