"""The workspace: one SQLite file, and the only package that knows SQL.

`workspace.py` opens, checks and closes the file, `schema.py` holds its migrations, `connections.py`
the one writing thread; every subject (catalogue, search index, vectors, point sets, toolkits, runs,
cases, settings) has one file of functions that take a `Workspace`.
"""

from sqlite_utils import Database

from toolplanner_core.workspace.workspace import Workspace

__all__ = ["Database", "Workspace"]
"""`Database` is passed on by those who put several writing functions into one transaction
(`curation/edits/history.py`); they never look into it."""
