"""The graph of tools: which API comes after which, how much is known to speak for it, and who
changed that.

Source: Liu et al., ToolNet, arXiv 2403.00839, section 3; used by `strategies/toolnet.py`, the
command line and the window.
"""
