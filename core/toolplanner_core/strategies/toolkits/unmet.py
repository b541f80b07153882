"""Which needs a revised plan leaves open, so that the final answer says so.

A need counts as taken up again if the new plan has a step with its goal, or a step that is new:
a replan may reach a goal in another way. Pure.
"""

from collections.abc import Collection

from toolplanner_core.domain.plan import Plan


def dropped_goals(old: Plan, new: Plan, finished: Collection[int]) -> list[str]:
    """Goals of unfinished steps of `old` that `new` does not take up, in plan order."""
    goals = {step.goal for step in new.steps}
    known = {step.goal for step in old.steps}
    new_ways = sum(step.goal not in known for step in new.steps)
    missing = [
        step.goal for step in old.steps if step.number not in finished and step.goal not in goals
    ]
    return missing[new_ways:]
