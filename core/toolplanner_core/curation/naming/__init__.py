"""Names and descriptions of toolkits by rule, from the words of their APIs.

Rules were chosen by people who saw both names: old and new rule over the same drawn toolkits,
side by side and blind (`tests/benchmarks/name_sheets.py` draws the sheets); three of five rules
that looked better in examples lost and were left out.
"""
