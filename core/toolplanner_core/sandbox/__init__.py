"""Where programs written by a model run.

    monty.py             the one sandbox: pydantic-monty in a process of its own
    instrumentation.py   a program with marks before its statements and its call stack: lines and
                         values at stops

Source: design/security.md, "Programs". There is no switch to run a program anywhere else.

A program is run again in a replay or fork, not read from the tape: its clock, chance and input
are the run's, so only what its calls return can change it, and that is on the tape. Monty's own
worker is the process of a program, killed afterwards; one of ours around it would hold nothing
more. A program's own time between two calls is 1.2 s beside the 5 s in all, so that endless loops
end within 2 s. Lines and values come from marks before its statements, since the interpreter
pauses at calls only; a line without a call is marked in its first 20 passes. `try` or `with`
around functions would cut Monty's tracebacks, so what an exception left on the call stack is
taken off by the next statement of whoever goes on.
"""
