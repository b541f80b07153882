"""What people decide about toolkits: one file per kind of edit.

`edit.py` is the shape of all of them, `kinds.py` their list; `curation/history.py` makes,
undoes and redoes them.
"""
