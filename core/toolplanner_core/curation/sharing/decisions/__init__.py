"""Decisions files: what people decided about toolkits, to be made again elsewhere.

`collecting.py` takes the edits of a workspace, `file.py` writes and reads them as JSON lines,
`applying.py` makes them in another workspace and reports conflicts, `merging.py` joins the files
of two people.
"""
