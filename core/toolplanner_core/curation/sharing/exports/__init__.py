"""Curated toolkits as files for others: one file per form.

`contents.py` reads what is exported, `writing.py` lists the forms.
"""
