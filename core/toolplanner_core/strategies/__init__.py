"""How a task is solved: one file for each strategy; `scope.py` is all that it can do to the world.

`RunScope.toolkits.shortlist` is a coroutine: it embeds a text (milliseconds, a second at first
use), and its answer is an event, so that a replay sees the same shortlist after toolkits were
edited. Plans name what nobody can do (`Plan.unmet`): a planner that refuses honestly is worth
more than one that always plans.
"""
