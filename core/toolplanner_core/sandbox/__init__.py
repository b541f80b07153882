"""Where programs written by a model run.

    marking.py   a program with marks before its statements: lines and values at stops
    framing.py   a program that keeps its call stack, which marks and calls take along
    monty.py     the one sandbox: pydantic-monty in a process of its own

Source: design/security.md, "Programs". There is no switch to run a program anywhere else.
"""
