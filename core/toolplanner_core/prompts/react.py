"""What ReAct tells a model: think, act, look at what came back, and think again.

Source: Yao et al., arXiv 2210.03629.
"""

from toolplanner_core.prompts.texts import prompt

SYSTEM = prompt("react")
