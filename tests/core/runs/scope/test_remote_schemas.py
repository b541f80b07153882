"""A schema that refers elsewhere is data of a stranger: checking arguments fetches nothing."""

import dataclasses
from pathlib import Path

import pytest
from fixtures.exchange_server import exchange_server
from fixtures.scripted_run import make_api

from toolplanner_core.runs.stages.arguments import ArgumentCheck, value_misfit


def test_schema_that_refers_elsewhere_when_arguments_are_checked_then_nothing_is_fetched() -> None:
    with exchange_server() as elsewhere:
        schema = {
            "type": "object",
            "properties": {"x": {"$ref": f"{elsewhere.url}/prices"}, "n": {"type": "integer"}},
        }
        api = make_api("remote", parameters=schema)
        check = ArgumentCheck()
        assert check.check(api, {"x": 1}) is None
        assert check.check(api, {"unknown": 1}) is not None
        assert value_misfit(schema, {"x": 1}) == ""
        assert not elsewhere.asked


@pytest.mark.parametrize("where", ["file://{}", "{}"])
def test_schema_that_refers_to_a_file_when_checked_then_it_is_not_read(
    tmp_path: Path, where: str
) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"type": "string"}')
    schema = {"type": "object", "properties": {"x": {"$ref": where.format(secret)}}}
    api = dataclasses.replace(make_api("file"), parameters=schema)
    # Had it been read, a number would not fit.
    assert ArgumentCheck().check(api, {"x": 1}) is None


def test_value_when_it_fits_no_alternative_then_the_types_that_do_are_named() -> None:
    number = {"anyOf": [{"type": "number"}, {"type": "object"}, {"type": "null"}]}
    schema = {"type": "object", "properties": {"lat": number}}
    assert value_misfit(schema, {"lat": "north"}) == "\"lat\": 'north' is not of type number"
    assert value_misfit(schema, {"lat": 3}) == ""
    nothing = {"type": "object", "properties": {"lat": {"oneOf": [{"type": "null"}]}}}
    assert value_misfit(nothing, {"lat": 3}) == '"lat": 3 is not of type null'
