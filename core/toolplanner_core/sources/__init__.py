"""Readers of catalogues, one file for each format, and the import of what they read.

Imports are staged in a table and merged in one transaction at the end: rows arrive in groups, but
a cancel or a kill leaves nothing, and the window never sees half a catalogue. The source's name,
not its path, is part of an API's id ("toolbench" by default): next month's crawl, on another
machine, gives the same ids.
"""
