"""APIs as tools that any language model's endpoint accepts: names, schemas, and the way back.

portable.py   a JSON Schema that all endpoints accept, and how arguments find their real names
names.py      names of tools: short, unique, unchanged when others come or go
dialect.py    what an endpoint takes beyond that; dialects/ has one file each
checking.py   which tools of a catalogue each dialect would refuse, and why
"""
