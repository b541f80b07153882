"""Functions of installed packages as tools: found by entry point, described and called elsewhere.

packages.py           which packages offer functions, and what a person consents to
function_schemas.py   a function as documentation and schema: type hints and docstring
workers.py            the processes that describe and call, with deadlines; they can be killed
"""
