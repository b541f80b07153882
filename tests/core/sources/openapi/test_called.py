"""From an address to an answer: a document is imported, and its operations are really called."""

import json
from collections.abc import Iterator
from urllib.parse import unquote

import pytest
from fixtures.rough_site import HttpSite, WebAnswer

from toolplanner_core.domain.operation import Origin
from toolplanner_core.net.addresses import allow_origin, forbid_origin
from toolplanner_core.runs.preview.single_call import CallTrial
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid


@pytest.fixture
def site() -> Iterator[HttpSite]:
    with HttpSite() as made:
        allow_origin(Origin.of(made.origin))
        yield made
        forbid_origin(Origin.of(made.origin))


def parameter(name, where, schema, **fields):
    return {"name": name, "in": where, "required": True, "schema": schema, **fields}


def test_operations_when_imported_by_address_then_called_as_documented(workspace, site):
    body = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    filter_ = {"type": "object", "properties": {"min": {"type": "integer"}}}
    parameters = [
        parameter("id", "path", {"type": "integer"}),
        parameter("filter", "query", filter_, style="deepObject", explode=True),
        parameter("tags", "query", {"type": "array"}, explode=False),
        parameter("X-Trace", "header", {"type": "string"}),
    ]
    document = {
        "openapi": "3.0.3",
        "info": {"title": "Notes", "version": "1"},
        "servers": [{"url": "/v1"}],
        "paths": {
            "/notes/{id}": {
                "put": {
                    "parameters": parameters,
                    "requestBody": {"content": {"application/json": {"schema": body}}},
                    "responses": {"200": {"content": {"application/json": {"schema": {}}}}},
                }
            }
        },
    }
    site.on("/docs/notes.json", WebAnswer(document))
    site.on("/v1/notes/7", WebAnswer({"saved": True}))
    assert import_source(workspace, f"{site.origin}/docs/notes.json").added == 1
    (api,) = apis_by_rowid(workspace, all_rowids(workspace)).values()
    given = {"id": 7, "filter": {"min": 3}, "tags": ["a", "b"], "X-Trace": "t", "text": "Hello"}
    done = CallTrial(workspace, api, given).run()
    assert (done.provider, done.observation.ok) == ("http", True)
    sent = site.asked[-1]
    assert (sent.method, unquote(sent.target)) == ("PUT", "/v1/notes/7?filter[min]=3&tags=a,b")
    assert sent.headers["x-trace"] == "t"
    assert sent.headers["accept"] == "application/json"
    assert json.loads(sent.body) == {"text": "Hello"}
