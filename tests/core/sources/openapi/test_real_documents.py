"""Real documents: all operations come in, and people's questions find theirs."""

import json
import re
import zipfile
from collections import Counter
from contextlib import closing

import jsonschema

from toolplanner_core.domain.api import Api
from toolplanner_core.sources.documents import parse_any
from toolplanner_core.sources.format_detection import detect
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import Rejected, sources

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


def as_asked(step):
    """Without blanks and names of variables, which questions write as they like."""
    return re.sub(r"{[^}]*}", "{}", step.strip())


def read_all(path):
    plugin = sources.get("openapi")
    location = Location.of(path)
    assert detect(location) is plugin
    with closing(plugin.read(location, plugin.options(), source="openapi")) as records:
        return list(records)


def test_documents_when_read_then_every_operation_comes_in(shared_data):
    path = shared_data / "openapi" / "documents.zip"
    records = read_all(path)
    apis = [record for record in records if isinstance(record, Api)]
    assert not [record for record in records if isinstance(record, Rejected)]
    expected: Counter[str] = Counter()
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            document = parse_any(archive.read(name).decode(), name=name)
            if isinstance(document, dict) and {"openapi", "swagger"} & set(document):
                for path_name, item in document["paths"].items():
                    # One path of all is a reference; its file has one operation.
                    if path_name.startswith("/"):
                        expected[name] += len({"$ref", *METHODS} & set(item))
    assert len(expected) == 29
    assert len(apis) == sum(expected.values()) == 800
    assert len({api.id for api in apis}) == len(apis)
    for api in apis[::5]:
        jsonschema.Draft202012Validator.check_schema(api.parameters)
        jsonschema.Draft202012Validator.check_schema(api.response_schema or {})
        assert set(api.operation.places) == set(api.parameters["properties"])


def test_paths_of_questions_when_looked_up_then_all_name_operations(shared_data, tmp_path):
    folder = shared_data / "restbench"
    apis = [each for each in read_all(folder / "tmdb_oas.json.gz") if isinstance(each, Api)]
    assert len(apis) == 54
    known = {as_asked(f"{api.method} {api.operation.path}") for api in apis}
    questions = json.loads((folder / "tmdb_queries.json").read_text())
    assert len(questions) == 100
    assert {as_asked(step) for question in questions for step in question["solution"]} <= known
