"""OpenAPI documents as people have them: JSON, YAML, folders, archives, addresses, broken."""

import json
import os
import re

import pytest
from fixtures.loopback import Answering, serving

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import parse_yaml
from toolplanner_core.sources.format_detection import detect
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.workspace.catalogue import all_rowids

YAML = """\
openapi: 3.0.1
info: {title: Pets, version: "1"}
servers: [{url: "https://pets.example"}]
paths:
  /pets:
    get:
      operationId: list
      parameters:
        - {name: answer, in: query, schema: {type: string, enum: [no, yes, 12:30]}}
      responses:
        200: {content: {application/json: {schema: {$ref: "%s"}}}}
"""
PET = "type: object\nproperties:\n  born: {type: string, example: 2020-01-01}\n"


def test_document_when_yaml_then_recognised_and_read_by_the_rules_of_json(read, tmp_path):
    path = tmp_path / "pets.yml"
    path.write_text(YAML % "#/components/schemas/None")
    assert detect(Location.of(path)).id == "openapi"
    (api,) = read("openapi", path).apis
    assert api.parameters["properties"]["answer"]["enum"] == ["no", "yes", "12:30"]


def test_folder_when_documents_refer_to_other_files_then_these_are_parts_of_them(read, tmp_path):
    folder = tmp_path / "pets"
    (folder / "a b").mkdir(parents=True)
    (folder / "pets.yaml").write_text(YAML % "a%20b/pet.yaml")
    (folder / "a b" / "pet.yaml").write_text(PET)
    (folder / "lost.json").write_text('{"type": "object"}')
    (folder / "notes.md").write_text("# Notes")
    os.mkfifo(folder / "pipe.yaml")
    (tmp_path / "outside.yaml").write_text(PET)
    records = read("openapi", folder)
    assert records.apis[0].response_schema["properties"]["born"]["examples"] == ["2020-01-01"]
    assert records.reasons == {
        "pets/lost.json": "this is no OpenAPI document, and none refers to it",
        "pets/notes.md": "its name does not end in .json, .jsonl, .ndjson, .json.gz, .jsonl.gz,"
        " .ndjson.gz, .yaml, .yml",
        "pets/pipe.yaml": "this is a pipe, not a file",
    }


def test_reference_when_it_leads_out_of_the_folder_then_it_is_not_followed(read, tmp_path):
    folder = tmp_path / "pets"
    folder.mkdir()
    (tmp_path / "outside.yaml").write_text(PET)
    (folder / "pets.yaml").write_text(YAML % "../outside.yaml")
    records = read("openapi", folder)
    assert records.apis[0].response_schema == {}
    assert "leads to a file that is not there" in records.mended[0].why


def test_archive_when_documents_refer_to_other_members_then_they_are_found(read, make_zip):
    path = make_zip(
        ("api/pets.yaml", (YAML % "./sub/pet.yaml").encode()), ("api/sub/pet.yaml", PET.encode())
    )
    records = read("openapi", path)
    assert not records.rejected
    assert not records.mended
    assert records.apis[0].response_schema["type"] == "object"


@pytest.fixture
def server():
    """Serves a document whose parts and server are beside it, and what it was asked for."""
    documents = {"/docs/api.yaml": YAML % "pet.yaml", "/docs/pet.yaml": PET}
    asked: list[str] = []

    class Handler(Answering):
        def do_GET(self) -> None:
            asked.append(self.path)
            text = documents[self.path].replace("https://pets.example", "../v2")
            self.send(200, text.encode())

    with serving(Handler) as origin:
        yield origin, asked


def test_address_when_imported_then_its_parts_and_server_are_near_it(server, workspace):
    origin, asked = server
    report = import_source(workspace, Location.of(f"{origin}/docs/api.yaml"))
    assert (report.format_id, report.added, report.rejected) == ("openapi", 1, [])
    assert not report.mended
    assert asked == ["/docs/api.yaml", "/docs/pet.yaml"]


@pytest.mark.parametrize(
    ("options", "why"),
    [({}, "leads to another server"), ({"remote": True}, "could not be fetched")],
)
def test_reference_when_it_leads_into_the_local_network_then_nobody_is_asked(
    server, read, options, why
):
    origin, asked = server
    document = {
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"parameters": [{"$ref": f"{origin}/docs/pet.yaml"}]}}},
    }
    location = Location(
        kind=Location.of("http://x.example").kind,
        where="http://x.example/api.json",
        content=json.dumps(document).encode(),
    )
    records = read("openapi", location, **options)
    assert len(records.apis) == 1
    assert why in records.mended[0].why
    assert not asked


def test_text_when_pasted_then_it_is_read(read):
    (api,) = read("openapi", Location.of_text(YAML % "#")).apis
    assert api.url == "https://pets.example/pets"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"openapi": "3.1.0", "paths": ', "broken JSON at line 1"),
        ("openapi: 3.1.0\npaths: [", "broken YAML at line"),
        ('{"swagger": "1.2", "apis": []}', "version 1.2 of OpenAPI is not read"),
        ('{"openapi": "4.0"}', "version 4.0 of OpenAPI is not read"),
        ('{"openapi": "3.1.0"}', "the document has no operations"),
        ('{"openapi": "3.1.0", "paths": {"/a": {"get": 5}}}', "an operation is an object"),
        ('{"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}}', "leads back to itself"),
    ],
)
def test_document_when_unusable_then_the_reason_says_why(read, tmp_path, text, why):
    path = tmp_path / "api.json"
    path.write_text(text)
    records = read("openapi", path)
    assert not records.apis
    (rejected,) = records.rejected
    assert why in rejected.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: &a [*a]", "stands for nothing before it"),
        ("[" * 300, "deeper than 200"),
        ("{a: " * 300, "deeper than 200"),
        (
            "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
            + "\n".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)),
            "more than 2,000,000 values",
        ),
        ("- a\n---\n- b", "another document"),
        ("? [a]\n: b", "expected a scalar node"),
    ],
)
def test_yaml_when_it_is_made_to_harm_then_it_is_refused(text, why):
    with pytest.raises(BadInput, match=why):
        parse_yaml(text)


def test_yaml_when_it_names_objects_of_programs_then_none_is_made():
    assert parse_yaml("a: !!python/object/apply:os.system [id]") == {"a": ["id"]}
    assert parse_yaml("a: 010\nb: 1e999\n7: .nan") == {"a": 10, "b": "1e999", "7": ".nan"}


DOCUMENT = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\n"
REFERRING = '{"openapi": "3.1.0", "paths": {"/a": {"$ref": "parts.yaml#/a"}}}'
LAUGHS = "a0: &a0 {x: 1, y: 2}\n" + "\n".join(
    f"a{i}: &a{i} {{{', '.join(f'k{n}: *a{i - 1}' for n in range(9))}}}" for i in range(1, 12)
)
MERGED = "a0: &a0 {x: 1}\n" + "\n".join(
    f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}" for i in range(1, 12)
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LAUGHS, "more than 2,000,000 values"),
        (MERGED, "more than 2,000,000 values"),
        ("paths: " + "{a: " * 100_000, "deeper than 200"),
        ("paths:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 1_000)), "deeper than 200"),
        ("paths: " + "- " * 5_000, "broken YAML|cannot be read|deeper than 200"),
        ("paths: " + "!!map " * 5_000, "broken YAML|cannot be read"),
        (f"paths: {'9' * 100_000}", "cannot be read|no operations"),
        ("paths: &p {'/a': *p}", "stands for nothing before it"),
    ],
)
def test_yaml_when_imported_to_harm_then_rejected_within_limits_and_nothing_is_stored(
    workspace, tmp_path, text, why
):
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "api.yaml").write_text(DOCUMENT + text)
    (folder / "good.yaml").write_text(YAML % "#")
    report = import_source(workspace, folder, format_id="openapi")
    (rejected,) = report.rejected
    assert "api.yaml" in rejected.where
    assert re.search(why, rejected.why), rejected.why
    assert report.added == len(all_rowids(workspace)) == 1


@pytest.mark.parametrize("text", [LAUGHS, MERGED, "a: " + "[" * 100_000])
def test_reference_when_its_file_is_a_yaml_bomb_then_only_what_refers_to_it_is_left_out(
    read, tmp_path, text
):
    (tmp_path / "api.json").write_text(REFERRING)
    (tmp_path / "parts.yaml").write_text(text)
    records = read("openapi", tmp_path)
    assert not records.apis
    reasons = " ".join(each.why for each in records.rejected)
    assert "2,000,000" in reasons or "deeper than 200" in reasons, reasons
