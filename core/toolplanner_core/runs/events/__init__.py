"""The closed list of event types of a run, one file per family.

An event is a small frozen dataclass; `record.py` puts it in its place in the log. Texts over 1 KB
are stored as
content-addressed blobs by the log, not here.
"""
