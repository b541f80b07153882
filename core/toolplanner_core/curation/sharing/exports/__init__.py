"""Curated toolkits as files for others: one file per form in `forms/`, and the dialects of tools.

`contents.py` reads what is exported, `export_forms.py` lists the forms, `tools.py` makes one of
each dialect.
"""
