"""Which finished steps a revised plan takes over, so that nothing is executed twice.

Tool-Planner goes on at the lowest common ancestor of the old and the new plan: the end of their
longest common prefix (Source: arXiv 2406.03807, algorithm 1). With independent steps in parallel,
finished steps may stand behind that prefix; those that the new plan repeats are kept as well. Pure.
"""

from collections.abc import Collection
from dataclasses import dataclass

from toolplanner_core.domain.plan import Plan, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryOver:
    """What is kept.

    Attributes:
        keeps: length of the common prefix of finished steps.
        old_numbers: number in the old plan of every kept step, by its number in the new plan.
    """

    keeps: int
    old_numbers: dict[int, int]

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
