"""Who executes calls of APIs: recordings, simulation, HTTP, MCP, Python functions, the demo.

Recorded calls live in the workspace: one file can be mailed and still answers.
"""
