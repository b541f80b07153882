"""Plans compared and put in order: which finished steps a revised plan takes over, so that nothing
is executed twice; which needs it leaves open, so that the answer says so; what can run next. Pure.

Tool-Planner goes on at the lowest common ancestor of the old and the new plan: the end of their
longest common prefix (Source: arXiv 2406.03807, algorithm 1). With independent steps in parallel,
finished steps may stand behind that prefix; those that the new plan repeats are kept as well.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from toolplanner_core.domain.plan import Plan, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryOver:
    """What is kept.

    Attributes:
        keeps: length of the common prefix of finished steps.
        old_numbers: number in the old plan of every kept step, by its number in the new plan.
    """

    keeps: int = 0
    old_numbers: dict[int, int] = field(default_factory=dict[int, int])

    @property
    def also_kept(self) -> tuple[int, ...]:
        """Numbers (in the new plan) of kept steps behind the prefix."""
        return tuple(sorted(number for number in self.old_numbers if number > self.keeps))


def carry_over(old: Plan, new: Plan, finished: Collection[int]) -> CarryOver:
    """Match the steps of `new` with finished steps of `old`.

    A step is kept if a finished step of the old plan has the same goal and toolkit and needs the
    results of the same, also kept, steps. Each old step is taken over once.

    Args:
        finished: numbers of the old plan's steps that have a result.
    """
    old_numbers: dict[int, int] = {}
    for step in new.steps:
        match = next(
            (
                candidate.number
                for candidate in old.steps
                if candidate.number in finished
                and candidate.number not in old_numbers.values()
                and _is_same(candidate, step, old_numbers)
            ),
            None,
        )
        if match is not None:
            old_numbers[step.number] = match
    keeps = 0
    for step, before in zip(new.steps, old.steps, strict=False):
        if old_numbers.get(step.number) != before.number or step.number != before.number:
            break
        keeps += 1
    return CarryOver(keeps=keeps, old_numbers=old_numbers)


def _is_same(old: Step, new: Step, old_numbers: dict[int, int]) -> bool:
    if any(need not in old_numbers for need in new.needs):
        return False
    needs = tuple(old_numbers[need] for need in new.needs)
    return (old.goal, old.toolkit, sorted(old.needs)) == (new.goal, new.toolkit, sorted(needs))


def dropped_goals(old: Plan, new: Plan, finished: Collection[int]) -> list[str]:
    """Goals of unfinished steps of `old` that `new` does not take up, in plan order.

    A need counts as taken up again if the new plan has a step with its goal, or a step that is new:
    a replan may reach a goal in another way.
    """
    goals = {step.goal for step in new.steps}
    known = {step.goal for step in old.steps}
    new_ways = sum(step.goal not in known for step in new.steps)
    missing = [
        step.goal for step in old.steps if step.number not in finished and step.goal not in goals
    ]
    return missing[new_ways:]


def next_wave(
    plan: Plan, done: Collection[int], failed: Collection[int] = (), *, parallel: bool
) -> list[Step]:
    """The steps that can run now, in plan order; one at most if not `parallel`.

    A step runs when all steps whose results it needs are done (Source: LLMCompiler, arXiv
    2312.04511). Empty when the plan is finished, or what is left needs a step that failed.

    Args:
        done: numbers of the steps that have a result.
        failed: numbers of the steps that cannot be done.
    """
    ready = [
        step
        for step in plan.steps
        if step.number not in done
        and step.number not in failed
        and all(need in done for need in step.needs)
    ]
    return ready if parallel else ready[:1]
