"""The pure parts of tool-planner: what a revised plan keeps, waves, bindings, open needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, ResultRef, Step
from toolplanner_core.prompts.fill_arguments import Arguments
from toolplanner_core.strategies.toolkits.attempts import Unresolved, resolve_arguments
from toolplanner_core.strategies.toolkits.planning import carry_over, dropped_goals, next_wave


def plan(*steps: tuple[str, int, tuple[int, ...]]) -> Plan:
    return Plan(
        steps=tuple(
            Step(number=i, goal=goal, toolkit=ToolkitId(toolkit), needs=needs)
            for i, (goal, toolkit, needs) in enumerate(steps, start=1)
        )
    )


@st.composite
def drawn_plans(draw: st.DrawFn) -> Plan:
    return plan(
        *(
            (
                draw(st.sampled_from("abc")),
                draw(st.integers(1, 3)),
                tuple(sorted(draw(st.sets(st.integers(1, i), max_size=2)))) if i else (),
            )
            for i in range(draw(st.integers(0, 6)))
        )
    )


@given(old=drawn_plans(), new=drawn_plans(), finished=st.sets(st.integers(1, 6)))
def test_carry_over_when_any_two_plans_then_only_finished_equal_work_is_kept_once(
    old: Plan, new: Plan, finished: set[int]
) -> None:
    kept = carry_over(old, new, finished)
    before = {step.number: step for step in old.steps}
    assert len(set(kept.old_numbers.values())) == len(kept.old_numbers)
    for step in new.steps:
        if step.number not in kept.old_numbers:
            continue
        same = before[kept.old_numbers[step.number]]
        assert same.number in finished
        assert (same.goal, same.toolkit) == (step.goal, step.toolkit)
        assert {kept.old_numbers[need] for need in step.needs} == set(same.needs)
    assert all(kept.old_numbers[n] == n for n in range(1, kept.keeps + 1))
    assert set(range(1, kept.keeps + 1)) | set(kept.also_kept) == set(kept.old_numbers)


@given(any_plan=drawn_plans())
def test_carry_over_when_the_plan_is_unchanged_and_done_then_all_of_it_is_the_prefix(
    any_plan: Plan,
) -> None:
    done = {step.number for step in any_plan.steps}
    assert carry_over(any_plan, any_plan, done).keeps >= 0
    kept = carry_over(any_plan, any_plan, done)
    assert len(kept.old_numbers) == len(any_plan.steps)


@given(any_plan=drawn_plans(), parallel=st.booleans())
def test_waves_when_run_to_the_end_then_every_step_once_and_after_its_needs(
    any_plan: Plan, parallel: bool
) -> None:
    done: list[int] = []
    while wave := next_wave(any_plan, done, parallel=parallel):
        assert parallel or len(wave) == 1
        assert all(need in done for step in wave for need in step.needs)
        done += [step.number for step in wave]
    assert sorted(done) == [step.number for step in any_plan.steps]


def test_wave_when_a_needed_step_failed_then_its_dependents_never_come() -> None:
    chain = plan(("a", 1, ()), ("b", 1, (1,)), ("c", 1, ()))
    assert [s.number for s in next_wave(chain, [], [1], parallel=True)] == [3]
    assert next_wave(chain, [3], [1], parallel=True) == []


def test_arguments_when_bound_then_the_value_with_its_type() -> None:
    arguments = Arguments(
        values={"unit": "km"},
        refs={
            "lat": ResultRef(step=1, path=("places", 0, "lat")),
            "all": ResultRef(step=2, path=()),
        },
    )
    values = {1: {"places": [{"lat": 45.8}]}, 2: "text"}
    assert resolve_arguments(arguments, values) == {"unit": "km", "lat": 45.8, "all": "text"}


@pytest.mark.parametrize(
    ("path", "step"), [(("x",), 1), (("list", 9), 1), (("text", 0), 1), ((), 7), (("list", "a"), 1)]
)
def test_arguments_when_a_reference_leads_nowhere_then_it_is_said(
    path: tuple[str | int, ...], step: int
) -> None:
    arguments = Arguments(values={}, refs={"lat": ResultRef(step=step, path=path)})
    with pytest.raises(Unresolved, match='"lat" refers to'):
        resolve_arguments(arguments, {1: {"list": [1], "text": "abc"}})


def test_dropped_goals_when_a_need_is_reached_another_way_then_it_is_not_open() -> None:
    old = plan(("a", 1, ()), ("b", 2, ()), ("c", 3, (2,)))
    assert dropped_goals(old, plan(("a", 1, ()), ("b", 4, ()), ("c", 3, (2,))), {1}) == []
    assert dropped_goals(old, plan(("a", 1, ())), {1}) == ["b", "c"]
    assert dropped_goals(old, plan(("a", 1, ()), ("b by other means", 4, ())), {1}) == ["c"]
