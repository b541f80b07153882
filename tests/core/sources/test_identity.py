"""Ids stay for ever; documentation hashes follow the documentation."""

import pytest

from toolplanner_core.sources.identity import ApiIds, doc_hash, make_api_id

NAMES = {
    "source": "toolbench",
    "category": "Weather",
    "tool": "meteo",
    "name": "Get weather",
    "method": "GET",
    "url": "https://example.com/w",
}
DOCUMENTATION = {
    "tool": "Meteo",
    "name": "Get weather",
    "description": "Now",
    "tool_description": "World",
    "parameters": {"type": "object", "properties": {"a": {}, "b": {}}},
    "response_schema": None,
}


def test_id_when_made_then_it_is_the_one_that_workspaces_already_hold():
    # If this fails, every workspace, edit and export out there points at nothing.
    assert make_api_id(**NAMES) == "3472a7e881eea9a9"
    assert make_api_id(**NAMES, position=1) == "e547709cb641a4e8"


@pytest.mark.parametrize("field", list(NAMES))
def test_id_when_any_name_differs_then_it_differs(field):
    assert make_api_id(**{**NAMES, field: "other"}) != make_api_id(**NAMES)


def test_id_when_letters_move_between_names_then_it_differs():
    moved = {**NAMES, "category": "Weathe", "tool": "rmeteo"}
    assert make_api_id(**moved) != make_api_id(**NAMES)


def test_id_when_the_method_is_written_small_then_it_is_the_same():
    assert make_api_id(**{**NAMES, "method": "get"}) == make_api_id(**NAMES)


def test_identical_names_when_handed_out_then_positions_tell_them_apart():
    names = {key: value for key, value in NAMES.items() if key != "source"}
    ids = ApiIds("toolbench")
    assert ids.next(**names) == make_api_id(**NAMES)
    assert ids.next(**names) == make_api_id(**NAMES, position=1)
    assert ids.next(**{**names, "name": "x"}) == make_api_id(**{**NAMES, "name": "x"})


def test_doc_hash_when_keys_are_reordered_then_it_stays_and_else_changes():
    same = {"properties": {"b": {}, "a": {}}, "type": "object"}
    assert doc_hash(**{**DOCUMENTATION, "parameters": same}) == doc_hash(**DOCUMENTATION)
    for field in DOCUMENTATION:
        changed = {**DOCUMENTATION, field: {"other": 1}}
        assert doc_hash(**changed) != doc_hash(**DOCUMENTATION)
