"""Runs from files: our own export, and traces of other programs. One module per format.

`reading.py` is the door: it finds the format and stores what could be read.
"""
