"""The panels of the layout Lab: experiments, their figures, their trials, and their log.

Each figure is a page (`figure_page.py`): a picture with its intervals, the same as a table, and a
line that says what it means.
"""
