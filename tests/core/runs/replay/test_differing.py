"""What a form of a run changes of it becomes the changes of a fork."""

import dataclasses

import pytest

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.replay.fork import ForkChanges, changes_between

BEFORE = RunSpec(
    query="q",
    provider="simulated",
    roles={"planning": "openai:p"},
    options={"max_replans": 1, "member_order": "random"},
    provider_options={"seed": 4},
)


def test_changes_when_nothing_differs_then_none() -> None:
    same = dataclasses.replace(BEFORE, options={**BEFORE.options, "max_steps": 8})
    assert changes_between(BEFORE, same) == ForkChanges()


def test_changes_when_things_differ_then_each_is_named_alone() -> None:
    after = dataclasses.replace(
        BEFORE,
        roles={"judging": "openai:j"},
        model="openai:a",
        options={"max_replans": 2},
        provider_options={"failure_rate": 0.5},
        limits=Limits(max_api_calls=3),
        faults=("slow:all",),
    )
    assert changes_between(BEFORE, after) == ForkChanges(
        roles={"planning": "", "judging": "openai:j"},
        model="openai:a",
        options={"max_replans": 2, "member_order": "similarity"},
        provider_options={"seed": 0, "failure_rate": 0.5},
        limits=Limits(max_api_calls=3),
        faults=("slow:all",),
    )


def test_changes_when_the_provider_is_another_then_with_its_own_options() -> None:
    after = dataclasses.replace(BEFORE, provider="recorded", provider_options={"exact_only": False})
    assert changes_between(BEFORE, after) == ForkChanges(
        provider="recorded", provider_options={"exact_only": False}
    )


def test_changes_when_an_option_does_not_fit_then_refused() -> None:
    with pytest.raises(BadInput, match="max_steps of strategy tool-planner"):
        changes_between(BEFORE, dataclasses.replace(BEFORE, options={"max_steps": 0}))
