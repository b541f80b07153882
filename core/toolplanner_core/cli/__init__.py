"""The command line: one file per command group over the same library that the window uses.

`app.py` puts the groups together, `terminal.py` prints, `progress.py` shows where long work stands.
"""
