"""What people decide about toolkits: one file per kind of edit, and their history.

`edit.py` is the shape of all kinds, `kinds.py` their list; `history.py` makes, undoes and redoes
them on the state of `curated_state.py`.

Edits are written as values, not as operations: replaying operations would give other toolkits
once the code of an operation changes; values give the same state for ever, and their inverse
needs no code of its own. What a person moves is pinned there, and toolkits that a person put
together are fixed for every later clustering: nobody has to remember to pin. Excluded APIs keep
their toolkit: they stay on the map and in lists, only plans are not offered them. Changed
documentation blocks by state, not by an edit: an import writes down what counted before in its
own transaction, and the API waits as long as its hash is neither that one nor one that a person
accepted, so that a crash, an undo or the next import cannot open a gap. New texts alone block
too: models read them. Category, spaces, punctuation and case do not.
"""
