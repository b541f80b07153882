"""The demo fills a workspace with APIs, toolkits and cases, and its data hold together."""

from dataclasses import replace

import pytest

from toolplanner_core.domain.cases import Expectation
from toolplanner_core.domain.plain_data import from_plain, without_defaults
from toolplanner_core.domain.plan import Status
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.providers.demo.filling import (
    demo_cases,
    demo_toolkits,
    fill_demo_workspace,
)
from toolplanner_core.providers.demo.world.endpoint import endpoints
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import (
    case_from_json,
    get_case,
    list_cases,
    save_cases,
)
from toolplanner_core.workspace.catalogue import api_count
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import labels_by_rowid, list_toolkits


def test_fill_when_workspace_is_new_then_apis_toolkits_cases_and_settings_are_there(
    workspace: Workspace,
) -> None:
    fill_demo_workspace(workspace, progress=Progress())
    assert api_count(workspace) == len(endpoints()) >= 150
    toolkits = list_toolkits(workspace)
    assert len(toolkits) >= 22
    assert min(toolkit.size for toolkit in toolkits) >= 3
    assert {toolkit.name_author for toolkit in toolkits} == {Author.PERSON}
    assert not any(toolkit.pinned for toolkit in toolkits)
    assert len(labels_by_rowid(workspace)) == api_count(workspace)
    assert list_cases(workspace) == demo_cases()
    assert get_setting(workspace, "default_provider") == "demo"
    assert get_setting(workspace, "title") == "Demo workspace"


def test_fill_when_done_twice_then_nothing_changes(workspace: Workspace) -> None:
    fill_demo_workspace(workspace, progress=Progress())
    before = (list_toolkits(workspace), list_cases(workspace), api_count(workspace))
    fill_demo_workspace(workspace, progress=Progress())
    assert (list_toolkits(workspace), list_cases(workspace), api_count(workspace)) == before


def test_toolkits_when_read_then_every_api_is_in_exactly_one() -> None:
    members = [key for toolkit in demo_toolkits() for key in toolkit["members"]]
    assert len(members) == len(set(members))
    assert set(members) == set(endpoints())


def test_cases_when_read_then_what_they_expect_exists() -> None:
    cases = demo_cases()
    assert len(cases) >= 10
    assert len({case.id for case in cases}) == len(cases)
    names = {toolkit["name"] for toolkit in demo_toolkits()}
    for case in cases:
        e = case.expected
        Status(e.status)
        named = {*e.toolkits, *e.toolkits_in_order, *e.exhausted_toolkits, *e.avoided_toolkits}
        assert named <= names, case.id
        assert {*e.failed_apis, *e.succeeded_apis} <= set(endpoints()), case.id
        assert e.causes_point_at_failures


def test_cases_when_read_then_the_six_of_the_paper_are_covered() -> None:
    expected = [case.expected for case in demo_cases()]
    assert any(e.toolkits_in_order and e.data_flow for e in expected)
    assert any(e.parallel for e in expected)
    assert any(e.min_fallbacks == 1 and e.max_replans == 0 for e in expected)
    assert any(e.failed_then_ok == 2 for e in expected)
    assert any(e.exhausted_toolkits and e.min_replans for e in expected)
    assert any(e.max_fallbacks == 0 and e.max_replans == 0 for e in expected)
    assert any(e.status == "unsolved" and e.reason_given for e in expected)


def test_expectation_when_written_and_read_then_the_same() -> None:
    for case in demo_cases():
        assert from_plain(Expectation, without_defaults(case.expected)) == case.expected
    assert without_defaults(Expectation()) == {}


def test_expectation_when_a_word_is_unknown_then_bad_input() -> None:
    case = {"id": "a", "title": "A", "query": "Do it"}
    with pytest.raises(BadInput, match="min_fallback"):
        case_from_json(case | {"expected": {"min_fallback": 1}})
    with pytest.raises(BadInput, match="ErrorClass"):
        case_from_json(case | {"expected": {"error_classes": ["strange"]}})
    with pytest.raises(BadInput, match="query"):
        case_from_json({"id": "a", "title": "A"})


def test_case_when_saved_again_then_it_keeps_its_place(workspace: Workspace) -> None:
    first, second = demo_cases()[:2]
    save_cases(workspace, [first, second])
    save_cases(workspace, [replace(first, title="Changed")])
    assert [case.title for case in list_cases(workspace)] == ["Changed", second.title]
    assert get_case(workspace, first.id).query == first.query
    with pytest.raises(NotFound, match="no case"):
        get_case(workspace, "nothing")
