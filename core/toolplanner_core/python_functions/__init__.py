"""Functions of installed packages as tools: found by entry point, described and called elsewhere.

package.py      which packages offer functions, and what a person consents to
describing.py   a function as documentation and schema: type hints and docstring (in the worker)
calling.py      one call, and what is made of its result or exception (in the worker)
workers.py      the processes that do both, with deadlines; they can be killed
"""
