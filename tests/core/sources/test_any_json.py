"""Whatever stands in a tool or functions file: records come out, exceptions never do."""

import json
import tempfile
from contextlib import closing
from pathlib import Path

import jsonschema
import pytest
from fixtures.source_documents import DOCUMENTS, values
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.domain.api import Api
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import parse_any
from toolplanner_core.sources.format_detection import read_sample
from toolplanner_core.sources.functionality import CAP, functionality_of
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources

FORMATS = [name for name in DOCUMENTS if name not in ("mcp", "python")]
"""Servers and packages have to be allowed before anything comes out of them; the fuzz of
tests/benchmarks has all sources."""


def read_bytes(format_id: str, data: bytes) -> list[object]:
    plugin = sources.get(format_id)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tool.json")
        path.write_bytes(data)
        location = Location.of(path)
        assert 0 <= plugin.recognises(read_sample(location)) <= 1
        with closing(plugin.read(location, plugin.options(), source="any")) as records:
            return list(records)


def check(records: list[object]) -> None:
    assert len(records) >= 1
    for record in records:
        if isinstance(record, Api):
            assert record.name.strip()
            json.dumps([record.key, record.parameters, record.response_schema], allow_nan=False)
            "".join([record.key, record.name, record.description, record.tool]).encode()
            jsonschema.Draft202012Validator.check_schema(record.parameters)
            assert 0 < len(functionality_of(record)) <= CAP
            functionality_of(record).encode()
            assert record.parameter_list is not None


@pytest.mark.parametrize("format_id", FORMATS)
@given(data=st.data())
def test_any_json_when_read_then_only_records_come_out(format_id, data):
    document = data.draw(DOCUMENTS[format_id] | values)
    check(read_bytes(format_id, json.dumps(document).encode()))


@pytest.mark.parametrize("format_id", FORMATS)
@given(data=st.binary(min_size=1, max_size=200))
def test_any_bytes_when_read_then_only_records_or_one_sentence_come_out(format_id, data):
    try:
        check(read_bytes(format_id, data))
    except BadInput as error:
        assert "the zip archive is damaged" in error.sentence


@pytest.mark.parametrize("format_id", FORMATS)
@given(data=st.data())
def test_json_cut_anywhere_when_read_then_only_records_come_out(format_id, data):
    text = json.dumps(data.draw(DOCUMENTS[format_id]), indent=data.draw(st.sampled_from([None, 1])))
    cut = data.draw(st.integers(1, len(text)))
    check(read_bytes(format_id, text[:cut].encode()))


@given(text=st.text(alphabet="ab:-[]{},&*!<|>'\"#? \n\t%~0123.e", max_size=80))
def test_any_text_when_read_as_yaml_then_a_json_value_or_one_sentence_comes_out(text):
    try:
        json.dumps(parse_any(text, name="a.yaml"), allow_nan=False)
    except BadInput as error:
        assert error.what


@pytest.mark.parametrize("format_id", FORMATS)
def test_import_when_all_is_rejected_then_nothing_is_in_the_catalogue(
    format_id, workspace, tmp_path
):
    path = tmp_path / "tools.json"
    path.write_text('{"openapi": "3.1.0", "paths": {"/a": {"get": 5}}}')
    import_source(workspace, path, format_id=format_id)
    reader = workspace.reader()
    for table in ("apis", "apis_fts", "tools", "import_staging"):
        assert reader.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
