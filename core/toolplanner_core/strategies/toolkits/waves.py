"""Order the steps of a plan into waves: what can run at the same time.

A step runs when all steps whose results it needs are done (Source: LLMCompiler, arXiv 2312.04511).
Pure.
"""

from collections.abc import Collection

from toolplanner_core.domain.plan import Plan, Step


def next_wave(
    plan: Plan, done: Collection[int], failed: Collection[int] = (), *, parallel: bool
) -> list[Step]:
    """The steps that can run now, in plan order; one at most if not `parallel`.

    Empty when the plan is finished, or what is left needs a step that failed.

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
