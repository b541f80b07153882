"""What people decide about toolkits: one file per kind of edit, and their history.

`edit.py` is the shape of all kinds, `kinds.py` their list; `history.py` makes, undoes and redoes
them on the state of `curated_state.py`.
"""
