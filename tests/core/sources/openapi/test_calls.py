"""How operations are called: servers, places, styles, bodies, security."""

import json

import pytest
from jsonschema import Draft202012Validator

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.operation import ArgumentPlace, RequestPart, SchemeKind
from toolplanner_core.providers.http_request import http_call

QUERY, PATH, HEADER, BODY = (
    RequestPart.QUERY,
    RequestPart.PATH,
    RequestPart.HEADER,
    RequestPart.BODY,
)


def test_operation_when_read_then_names_tags_and_risk_place_it(read_one):
    api = read_one(
        "delete", "/items/{id}",
        {
            "operationId": "items.delete", "summary": "Delete an item", "description": "For ever.",
            "tags": ["Items", "Admin"], "deprecated": True,
            "parameters": [{"name": "id", "in": "path", "schema": {"type": "integer"}}],
        },
        info={"title": "Shop", "description": "Sells things."},
    )  # fmt: skip
    assert (api.category, api.tool, api.name) == ("Items", "Shop", "items.delete")
    assert api.key == "Items/Shop/items.delete"
    assert api.description == "Delete an item\n\nFor ever."
    assert api.tool_description == "Sells things."
    assert (api.method, api.url) == ("DELETE", "https://shop.example/items/{id}")
    assert api.risk is Risk.DESTRUCTIVE
    assert api.operation.is_deprecated


def test_operation_when_tags_names_and_servers_change_then_it_keeps_its_id(read_one):
    first = read_one("get", "/items", {"operationId": "a", "tags": ["x"]})
    second = read_one("get", "/items", {"tags": ["y"]}, servers=[{"url": "https://other.example"}])
    assert first.id == second.id
    assert first.doc_hash != second.doc_hash
    assert second.name == "GET /items"


def test_parameters_when_of_path_and_operation_then_merged_and_same_names_kept_apart(
    read_document,
):
    common = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "limit", "in": "query", "schema": {"type": "integer"}},
    ]
    own = [
        {"name": "limit", "in": "query", "required": True, "schema": {"maximum": 5}},
        {"name": "id", "in": "query", "schema": {"type": "string"}},
        {"name": "Accept", "in": "header", "schema": {"type": "string"}},
        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
    ]  # fmt: skip
    paths = {"/a/{id}/{undeclared}": {"parameters": common, "get": {"parameters": own}}}
    records = read_document(paths)
    (api,) = records.apis
    assert dict(api.operation.places) == {
        "id": ArgumentPlace(within=PATH),
        "limit": ArgumentPlace(within=QUERY),
        "query_id": ArgumentPlace(within=QUERY, name="id"),
        "X-Trace": ArgumentPlace(within=HEADER),
        "undeclared": ArgumentPlace(within=PATH),
    }
    assert api.parameters["properties"]["limit"] == {"maximum": 5}
    assert api.parameters["required"] == ["id", "limit", "undeclared"]
    assert "'undeclared' of the path is not declared" in records.mended[0].why


def test_styles_when_not_the_usual_ones_then_kept(read_one):
    def parameter(name, where="query", **fields):
        return {"name": name, "in": where, "schema": {"type": "array"}, **fields}

    api = read_one("get", "/a/{m}", {"parameters": [
        parameter("usual", style="form", explode=True),
        parameter("deep", style="deepObject", explode=True),
        parameter("pipes", style="pipeDelimited", explode=False),
        parameter("m", "path", style="matrix"),
        {"name": "json", "in": "query", "content": {"a/json": {"schema": {"type": "object"}}}},
    ]})  # fmt: skip
    places = api.operation.places
    assert (places["usual"].style, places["usual"].explode) == ("", True)
    assert (places["deep"].style, places["deep"].explode) == ("deepObject", True)
    assert (places["pipes"].style, places["pipes"].explode) == ("pipeDelimited", False)
    assert (places["m"].style, places["m"].explode) == ("matrix", None)
    assert places["json"].style == "json"
    assert api.parameters["properties"]["json"] == {"type": "object"}


def test_old_document_when_read_then_fields_and_collections_are_placed(read_one):
    operation = {
        "consumes": ["multipart/form-data"],
        "parameters": [
            {"name": "ids", "in": "query", "type": "array", "items": {"type": "integer"}},
            {"name": "tags", "in": "query", "type": "array", "collectionFormat": "multi"},
            {"name": "photo", "in": "formData", "type": "file", "required": True},
        ],
        "responses": {200: {"schema": {"type": "string"}}},
    }
    more = {
        "swagger": "2.0",
        "host": "old.example",
        "basePath": "/v1/",
        "schemes": ["http", "https"],
    }
    api = read_one("post", "/a", operation, **more)
    operation = api.operation
    assert operation.servers == ("https://old.example/v1", "http://old.example/v1")
    assert operation.content_type == "multipart/form-data"
    assert operation.places["ids"].explode is False
    assert operation.places["tags"].explode is True
    assert operation.places["photo"] == ArgumentPlace(within=BODY)
    assert api.parameters["properties"]["photo"] == {"type": "string", "format": "binary"}
    assert api.parameters["required"] == ["photo"]
    assert api.response_schema == {"type": "string"}


def test_body_when_a_plain_object_then_its_fields_are_arguments(read_one):
    schema = {
        "type": "object",
        "required": ["name", "id"],
        "properties": {"name": {"type": "string"}, "id": {"type": "string", "readOnly": True}},
    }
    media = {"schema": schema, "example": {"name": "Ann"}}
    body = {"required": True, "content": {"text/xml": {}, "application/json; charset=utf-8": media}}
    api = read_one("post", "/a", {"requestBody": body})
    assert api.operation.content_type == "application/json; charset=utf-8"
    assert dict(api.operation.places) == {"name": ArgumentPlace(within=BODY)}
    assert api.parameters["properties"] == {"name": {"type": "string", "examples": ["Ann"]}}
    assert api.parameters["required"] == ["name"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"oneOf": [{"type": "object", "properties": {"a": {}}}, {"type": "string"}]},
        {"type": "object", "properties": {"a": {}, "b": {}}, "minProperties": 1},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {"a": {}}, "required": ["b"]},
    ],
)
def test_body_when_its_fields_say_too_little_then_it_is_one_argument(read_one, schema):
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    query = {"name": "body", "in": "query", "schema": {}}
    api = read_one("post", "/a", {"requestBody": body, "parameters": [query]})
    assert api.operation.places["body_body"] == ArgumentPlace(
        within=BODY, name="body", is_whole_body=True
    )
    assert api.parameters["required"] == ["body_body"]


def test_body_when_it_may_be_missing_then_its_required_field_cannot_be_required(read_one):
    schema = {"type": "object", "properties": {"a": {}}, "required": ["a"]}
    content = {"application/json": {"schema": schema}}
    optional = read_one("post", "/a", {"requestBody": {"required": False, "content": content}})
    assert "required" not in optional.parameters
    assert optional.operation.places["body"].is_whole_body
    forgotten = read_one("post", "/a", {"requestBody": {"content": content}})
    assert forgotten.parameters["required"] == ["a"]


def test_form_when_its_encoding_says_so_then_styles_of_fields_are_kept(read_one):
    schema = {"type": "object", "properties": {"filter": {"type": "object"}, "n": {}}}
    media = {"schema": schema, "encoding": {"filter": {"style": "deepObject", "explode": True}}}
    body = {"content": {"application/x-www-form-urlencoded": media}}
    operation = read_one("post", "/a", {"requestBody": body}).operation
    assert operation.content_type == "application/x-www-form-urlencoded"
    assert operation.places["filter"] == ArgumentPlace(
        within=BODY, style="deepObject", explode=True
    )


def test_servers_when_they_have_variables_then_all_values_are_offered_the_default_first(read_one):
    server = {
        "url": "https://{region}.shop.example:{port}/v1/",
        "variables": {
            "region": {"default": "eu", "enum": ["us", "eu"]},
            "port": {"default": "443"},
        },
    }
    servers = read_one("get", "/a", {}, servers=[server]).operation.servers
    assert servers == ("https://eu.shop.example:443/v1", "https://us.shop.example:443/v1")


def test_servers_when_nearer_ones_are_named_then_these_count(read_document):
    item = {
        "servers": [{"url": "https://path.example"}],
        "get": {},
        "post": {"servers": [{"url": "https://own.example"}, {"url": "wss://x.example"}]},
    }
    records = read_document({"/a": item})
    found = [api.operation.servers for api in records.apis]
    assert sorted(found) == [("https://own.example",), ("https://path.example",)]
    assert "not reached by http" in records.mended[0].why


def test_server_when_relative_then_the_option_says_where_it_is(read, tmp_path):
    path = tmp_path / "api.yaml"
    path.write_text("openapi: 3.0.1\nservers: [{url: /v1}]\npaths: {/a: {get: {}}}\n")
    records = read("openapi", path)
    assert records.apis[0].operation.servers == ("/v1",)
    assert "relative to an address that nobody knows" in records.mended[0].why
    (api,) = read("openapi", path, server="http://localhost:8080/docs/").apis
    assert api.operation.servers == ("http://localhost:8080/v1",)


def test_security_when_declared_then_alternatives_name_what_is_asked(read_one):
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "basic": {"type": "http", "scheme": "Basic"},
        "bearer": {"type": "http", "scheme": "bearer"},
        "digest": {"type": "http", "scheme": "digest"},
        "oauth": {"type": "oauth2", "flows": {
            "implicit": {"authorizationUrl": "https://a.example"},
            "clientCredentials": {"tokenUrl": "https://t.example/token"},
        }},
    }  # fmt: skip
    security = [{"key": [], "basic": []}, {"oauth": ["read"]}, {"bearer": []}, {"digest": []}, {}]
    fields = {"components": {"securitySchemes": schemes}, "security": [{"key": []}]}
    asked = read_one("get", "/a", {"security": security}, **fields).operation.security
    assert [[scheme.kind for scheme in all_of] for all_of in asked] == [
        [SchemeKind.KEY, SchemeKind.BASIC], [SchemeKind.OAUTH2], [SchemeKind.BEARER],
        [SchemeKind.KEY], [],
    ]  # fmt: skip
    assert (asked[0][0].within, asked[0][0].parameter) == (HEADER, "X-Key")
    assert (asked[1][0].token_url, asked[1][0].scopes) == ("https://t.example/token", ("read",))
    assert (asked[3][0].within, asked[3][0].parameter) == (HEADER, "Authorization")
    ((common,),) = read_one("get", "/a", {}, **fields).operation.security
    assert common.name == "key"
    assert read_one("get", "/a", {"security": []}, **fields).operation.security == ()


def test_reply_when_documented_then_schema_example_and_media_type_are_known(read_one):
    schema = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "secret": {"type": "string", "writeOnly": True}},
    }
    media = {"schema": schema, "examples": {"one": {"value": {"id": "7"}}}}
    responses = {
        "404": {"content": {"application/json": {"schema": {"type": "string"}}}},
        "201": {"content": {"text/csv": {}, "application/hal+json": media}},
    }
    api = read_one("post", "/a", {"responses": responses})
    assert api.response_schema == {
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "examples": [{"id": "7"}],
    }
    assert api.operation.headers == {"Accept": "application/hal+json"}


PATCHES = [
    "application/json-patch+json", "application/merge-patch+json",
    "application/strategic-merge-patch+json", "application/apply-patch+yaml",
]  # fmt: skip


@pytest.mark.parametrize("is_old", [False, True])
def test_patch_when_it_may_be_of_several_types_then_an_object_is_no_list_of_changes(
    read_one, is_old: bool
):
    schema = {"type": "object", "description": "Patch"}
    if is_old:
        fields = {"swagger": "2.0", "host": "shop.example"}
        body = {"name": "body", "in": "body", "required": True, "schema": schema}
        operation = {"consumes": PATCHES, "parameters": [body]}
    else:
        fields = {}
        content = {kind: {"schema": schema} for kind in PATCHES}
        operation = {"requestBody": {"required": True, "content": content}}
    api = read_one("patch", "/a", operation, **fields)
    assert api.operation.content_type == "application/merge-patch+json"
    sent = {
        name: dict(http_call(api.operation, {"body": value}).headers)["Content-Type"]
        for name, value in (("object", {"a": 1}), ("list", [{"op": "remove", "path": "/a"}]))
    }
    assert sent == {"object": PATCHES[1], "list": PATCHES[0]}
    check = Draft202012Validator(api.parameters)
    fits = [check.is_valid({"body": value}) for value in ({"a": 1}, [{"op": "test"}], "a", 5)]
    assert fits == [True, True, False, False]


def test_patch_when_an_option_says_which_type_then_it_is_sent(read, tmp_path):
    content = {kind: {"schema": {"type": "object"}} for kind in PATCHES}
    document = {
        "openapi": "3.1.0", "info": {"title": "Shop"}, "servers": [{"url": "https://shop.example"}],
        "paths": {"/a": {"patch": {"requestBody": {"content": content}}}},
    }  # fmt: skip
    (path := tmp_path / "a.json").write_text(json.dumps(document))
    (api,) = read("openapi", path, body_type=PATCHES[2]).apis
    sent = http_call(api.operation, {"body": {"a": 1}})
    assert dict(sent.headers)["Content-Type"] == PATCHES[2]


@pytest.mark.parametrize("kind", ["text/json", "application/x-json", "Application/Vnd.a+JSON"])
def test_body_when_json_has_another_name_then_its_fields_are_arguments(read_one, kind: str):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    body = {"required": True, "content": {"application/xml": {}, kind: {"schema": schema}}}
    api = read_one("post", "/a", {"requestBody": body})
    assert api.parameters["properties"]["n"] == {"type": "integer"}


def test_body_when_of_json_lines_then_it_is_a_list(read_one):
    content = {"application/x-ndjson": {"schema": {"type": "object"}}}
    api = read_one("post", "/a", {"requestBody": {"required": True, "content": content}})
    assert api.parameters["properties"]["body"]["type"] == "array"
    sent = http_call(api.operation, {"body": [{"a": 1}, {"a": 2}]})
    assert sent.content == b'{"a": 1}\n{"a": 2}\n'
