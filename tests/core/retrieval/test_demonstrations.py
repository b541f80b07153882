"""Which demonstrations a query is shown: similar tasks first, then examples of APIs in order."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from fixtures.small_catalogue import import_small_catalogue

from toolplanner_core.domain.demonstration import (
    Demonstration,
    DemonstrationRequest,
    DemonstrationStep,
)
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.embedding.static_words import StaticWords
from toolplanner_core.errors import NotFound
from toolplanner_core.retrieval.demonstrations import DemonstrationIndex
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.demonstrations import (
    add_demonstration,
    change_demonstration,
    get_demonstration,
    list_demonstrations,
    remove_demonstration,
)
from toolplanner_core.workspace.recordings import Recording, store_recordings


def demonstration(query: str, api: str = "", goal: str = "do it") -> Demonstration:
    step = DemonstrationStep(goal=goal, api=api, title="T", arguments={"q": "Oslo"}, result="{}")
    return Demonstration(id=0, query=query, steps=(step,), answer="done", tags=("x",), run=3)


def wanted(text: str, k: int, *apis: ApiId, **more: Any) -> DemonstrationRequest:
    return DemonstrationRequest(text=text, k=k, apis=apis, **{"above": 0.8, **more})


@pytest.fixture
def index(workspace: Workspace, tmp_path: Path) -> DemonstrationIndex:
    import_small_catalogue(workspace, tmp_path)
    return DemonstrationIndex(workspace, StaticWords)


def test_demonstration_when_stored_changed_and_removed_then_reads_back(
    workspace: Workspace,
) -> None:
    made = add_demonstration(workspace, demonstration("What is the weather?"))
    assert made.id == 1
    assert list_demonstrations(workspace) == [made]
    other = Demonstration(id=1, query="Otherwise", steps=(), tags=())
    change_demonstration(workspace, other)
    assert get_demonstration(workspace, 1) == other
    remove_demonstration(workspace, 1)
    with pytest.raises(NotFound, match="no demonstration 1"):
        remove_demonstration(workspace, 1)
    assert add_demonstration(workspace, other).id == 2  # numbers are never used again


def test_selector_when_queries_are_similar_then_those_come_first_best_first(
    workspace: Workspace, index: DemonstrationIndex
) -> None:
    add_demonstration(workspace, demonstration("weather in Rome tomorrow please"))
    add_demonstration(workspace, demonstration("weather in Rome tomorrow"))
    add_demonstration(workspace, demonstration("convert dollars to euros"))
    found = index.choose(wanted("weather in Rome tomorrow", 5))
    assert [each.shown.id for each in found] == [2, 1]
    assert found[0].score == pytest.approx(1, abs=1e-5)
    [best] = index.choose(wanted("weather in Rome tomorrow", 1))
    assert best.shown.id == 2


def test_selector_when_places_are_free_then_examples_of_apis_fill_them_in_their_order(
    workspace: Workspace, index: DemonstrationIndex
) -> None:
    first, second, third = [ApiId(each.id) for each in api_names(workspace)[:3]]
    key = next(each.key for each in api_names(workspace) if each.id == third)
    store_recordings(
        workspace,
        [
            Recording(key, '{"text": "a"}', "text", "", "", False),
            Recording(key, '{"text": "b"}', "text", '{"fine": 1}', "", False),
        ],
    )
    add_demonstration(workspace, demonstration("track my parcel", api=second, goal="track it"))
    found = index.choose(wanted("cook with tomatoes", 3, first, second, third))
    assert (found[0].level, found[0].shown.query) == ("api", "track it")
    assert found[1].shown.steps[0].arguments == {"text": "b"}
    assert found[1].shown.steps[0].result == '{"fine": 1}'
    assert len(index.choose(wanted("cook", 1, first, second, third))) == 1


def test_selector_when_a_demonstration_is_shown_whole_then_no_step_of_it_is_an_example(
    workspace: Workspace, index: DemonstrationIndex
) -> None:
    api = ApiId(api_names(workspace)[0].id)
    add_demonstration(workspace, demonstration("weather in Rome", api=api))
    found = index.choose(wanted("weather in Rome", 5, api))
    assert [each.level for each in found] == ["task"]


def test_examples_when_wanted_for_one_api_then_those_for_goals_like_it_first_then_recorded_calls(
    workspace: Workspace, index: DemonstrationIndex
) -> None:
    first, *_ = api_names(workspace)
    api = ApiId(first.id)
    store_recordings(
        workspace, [Recording(first.key, '{"text": "a"}', "text", '{"fine": 1}', "", False)]
    )
    for goal in ("track a parcel", "weather in Rome", "weather in Oslo"):
        add_demonstration(workspace, demonstration("tested", api=api, goal=goal))
    found = index.choose(wanted("weather in Rome", 4, api, above=None, per_api=4))
    goals = [each.shown.query for each in found]
    assert (goals[0], goals[-2]) == ("weather in Rome", "track a parcel")
    assert found[-1].shown.steps[0].arguments == {"text": "a"}
    assert {each.level for each in found} == {"api"}
    [best] = index.choose(wanted("weather in Rome", 1, api, above=None, per_api=4))
    assert best.shown.query == "weather in Rome"


@pytest.mark.parametrize(
    ("query", "is_own"),
    [
        ("weather, in rome TOMORROW", True),
        ("tell me the weather in Rome tomorrow", True),
        ("weather in Oslo tomorrow", False),
    ],
)
def test_selector_when_a_query_is_tested_then_nothing_of_its_own_demonstration_is_shown(
    workspace: Workspace, index: DemonstrationIndex, query: str, *, is_own: bool
) -> None:
    api = ApiId(api_names(workspace)[0].id)
    add_demonstration(workspace, demonstration(query, api=api))
    asked = wanted("weather in Rome tomorrow", 5, api, above=0.0)
    tested = dataclasses.replace(asked, tested=asked.text)
    assert len(index.choose(asked)) == 1
    assert len(index.choose(tested)) == (not is_own)
    examples = dataclasses.replace(tested, above=None)
    assert len(index.choose(examples)) == (not is_own)
