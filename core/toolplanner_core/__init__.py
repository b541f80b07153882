"""ToolPlanner's library: import tools, cluster them into toolkits, plan over toolkits, debug the
runs.

Knows no screen. Usable from a script, from the command line (`toolplanner`) and from the Qt program
(`toolplanner_gui`), which adds windows over it and nothing else.
"""

__version__ = "0.1.0"
