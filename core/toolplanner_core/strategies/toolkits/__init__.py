"""Plans over toolkits: plan, step, attempt, fallback and replan, for the strategies that have them.

`kinds.py` and `points.py` declare them; `opening.py` opens their nodes; `choosing.py` makes their
choices; `steps.py` and `attempts.py` do a step.
"""
