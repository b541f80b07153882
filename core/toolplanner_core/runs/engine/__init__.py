"""The run engine: prepares a run, executes its strategy behind the gate, and ends it.

What streams is not an event: pieces go from the model, and the progress that MCP servers tell of
a call, past the log to whoever watches, ten times a second, without secrets; the whole reply is
the event. A log stays short, and a replay does not stream. Arguments are checked before the
budget: a misfit makes no call, so it costs none.
"""
