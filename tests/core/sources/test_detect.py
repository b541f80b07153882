"""Formats are told by content; what is no catalogue is named for what it is."""

import gzip
import json
import sqlite3
from contextlib import closing

import pytest

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.format_detection import detect
from toolplanner_core.sources.location import Location

FUNCTION = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


def sentence(location) -> str:
    with pytest.raises(BadInput) as caught:
        detect(Location.of(location))
    assert str(location) in caught.value.where
    return caught.value.sentence


def test_zip_and_folder_of_tools_when_detected_then_toolbench(make_zip, tool, tmp_path):
    path = make_zip(("a/broken.json", b"{"), ("a/W/b.json", tool()), ("picture.png", b"\x89PNG"))
    assert detect(Location.of(path)).id == "toolbench"
    renamed = tmp_path / "tools.json"
    path.rename(renamed)
    assert detect(Location.of(renamed)).id == "toolbench"
    folder = tmp_path / "folder" / "W"
    folder.mkdir(parents=True)
    (folder / "b.json").write_text(json.dumps(tool()))
    assert detect(Location.of(tmp_path / "folder")).id == "toolbench"


def test_functions_in_files_of_any_name_when_detected_then_functions(tmp_path, make_zip):
    for name, text in {
        "a.txt": json.dumps(FUNCTION),
        "b.json": json.dumps({"tools": [FUNCTION]}),
        "c.jsonl": "{broken\n" + json.dumps(FUNCTION),
        "d.json": json.dumps([FUNCTION, FUNCTION])[:-5],
    }.items():
        (tmp_path / name).write_text(text)
        assert detect(Location.of(tmp_path / name)).id == "functions"
    assert detect(Location.of(make_zip(("tools/a.json", FUNCTION)))).id == "functions"


def test_wrong_things_when_detected_then_each_gets_its_own_sentence(tmp_path, make_zip):
    empty_folder = tmp_path / "empty"
    empty_folder.mkdir()
    files = {
        "text.txt": b"Hello there,\nnot JSON",
        "picture.json": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        "binary.dat": bytes(range(256)) * 4,
        "table.csv.gz": gzip.compress(b"a,b,c"),
        "list.json": b'[{"id": 1}, {"id": 2}]',
        "broken.json": b'{"tool_name": ',
        "other.json": b'{"asyncapi": "3.1.0", "info": {}}',
        "number.json": b"5",
        "blank.json": b"  \n ",
        "zero.json": b"",
        "cut.zip": b"PK\x03\x04 nothing",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with closing(sqlite3.connect(tmp_path / "w.toolplanner")) as db:
        db.execute("CREATE TABLE t(x)")
    said = {name: sentence(tmp_path / name) for name in files}
    said["missing"] = sentence(tmp_path / "missing.json")
    said["empty"] = sentence(empty_folder)
    said["workspace"] = sentence(tmp_path / "w.toolplanner")
    said["pictures"] = sentence(
        make_zip(("a.png", b"1"), ("b.png", b"2"), ("c.jpg", b"3"), name="pictures.zip")
    )
    said["no tools"] = sentence(make_zip(("a.json", {"x": 1}), ("b.txt", b""), name="x.zip"))
    for name, words in {
        "text.txt": "text file that begins with 'Hello there,'",
        "picture.json": "a picture",
        "binary.dat": "binary file",
        "table.csv.gz": "gzip file, and no JSON",
        "list.json": "a list of 2, the first of them an object with 'id'",
        "broken.json": "begins like JSON",
        "other.json": "an object with 'asyncapi', 'info'",
        "number.json": "holds a number",
        "blank.json": "holds only blanks",
        "zero.json": "The file is empty",
        "cut.zip": "damaged zip archive",
        "missing": "There is no such file or folder",
        "empty": "The folder holds no files",
        "workspace": "is opened, not imported",
        "pictures": "holds 3 files (2 .png, 1 .jpg), none of them JSON",
        "no tools": "an object with 'x'",
    }.items():
        assert words in said[name], said[name]
    assert len(set(said.values())) == len(said)
    assert "What can be imported: " in said["text.txt"]
    assert "api_list" in said["text.txt"]


JUNK = '{"name": "half'


def named(name: str) -> dict:
    return {"type": "function", "function": {**FUNCTION["function"], "name": name}}


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.txt"])
def test_lines_when_the_first_thousands_are_broken_then_the_good_ones_come_in(read, tmp_path, name):
    lines = [JUNK] * 5_000 + [json.dumps(named(f"get_{i}")) for i in range(500)]
    (tmp_path / name).write_text("\n".join(lines))
    assert detect(Location.of(tmp_path / name)).id == "functions"
    records = read("functions", tmp_path / name)
    assert len(records.apis) == 500
    assert len(records.rejected) == 5_000
    assert records.rejected[7].where.endswith("line 8")


def test_list_when_its_first_thousands_are_no_functions_then_the_good_ones_come_in(read, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([None, 5, {}, [], "x"] * 2_000 + [named("get_it")]))
    assert detect(Location.of(path)).id == "functions"
    records = read("functions", path)
    assert (len(records.apis), len(records.rejected)) == (1, 10_000)


@pytest.mark.parametrize(
    ("before", "rejected"),
    [
        ("\n" * 40, 0),
        ("# exported\n;;;\n", 2),
        ("# exported by ada, yesterday\n", 1),
        ("Tools of ours\n\n", 1),
    ],
)
def test_table_when_lines_stand_before_it_then_read_and_they_are_named(
    read, tmp_path, before, rejected
):
    path = tmp_path / "a.csv"
    path.write_text(f"{before}name,description,url\nget_a,Gets a,https://x.org/a\nget_b\nc,d,e,f\n")
    assert detect(Location.of(path)).id == "table"
    records = read("table", path)
    assert [api.name for api in records.apis] == ["get_a", "get_b"]
    assert len(records.rejected) == rejected + 1
    assert records.rejected[-1].where == f"a.csv line {before.count(chr(10)) + 4}"


@pytest.mark.parametrize(
    "text",
    [
        '{"openapi": "3.0.0", "info": {"title": "T"}, "paths": {},}',
        '// mine\n{"openapi": "3.0.0", /* "x" */\n "paths": {"/a": {"get": {"summary": "A"}},},}',
        "{openapi: 3.0.0, paths: {/a: {get: {summary: A}}}}",
        '{"openapi": "3.0.0", # the version\n "paths": {"/a": {"get": {"summary": "A // B"}}}}',
    ],
)
@pytest.mark.parametrize("name", ["api.json", "api.yaml", "api"])
def test_document_when_written_by_hand_then_read(read, tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert detect(Location.of(path)).id == "openapi"
    records = read("openapi", path)
    assert len(records.apis) == ("/a" in text)
    assert not any("broken" in each.why for each in records.rejected)


def test_archive_when_its_first_members_are_empty_or_broken_then_the_good_ones_come_in(
    read, make_zip
):
    bad = [(f"{i:03}.json", b"" if i % 2 else JUNK.encode()) for i in range(300)]
    path = make_zip(*bad, ("z.json", FUNCTION))
    assert detect(Location.of(path)).id == "functions"
    records = read("functions", path)
    assert (len(records.apis), len(records.rejected)) == (1, 300)


@pytest.mark.parametrize("version", ["openapi: 3.0.0", "swagger: '2.0'", '"openapi": "3.1.0"'])
@pytest.mark.parametrize("name", ["api.yaml", "api", "api.txt"])
def test_yaml_when_its_version_stands_far_down_then_it_is_openapi(tmp_path, name, version):
    schemas = "".join(f"    Schema{i}:\n      type: object\n" for i in range(15_000))
    text = f"components:\n  schemas:\n{schemas}info:\n  title: Far\n{version}\npaths: {{}}\n"
    (tmp_path / name).write_text(text)
    assert detect(Location.of(tmp_path / name)).id == "openapi"
    (tmp_path / name).write_text(text.replace(version, f"x: 1\n  {version}"))
    with pytest.raises(BadInput):
        detect(Location.of(tmp_path / name))


def test_document_when_nothing_can_be_read_then_the_true_reason_is_said(tmp_path, make_zip):
    (deep := tmp_path / "deep.json").write_text("[" * 300 + "]" * 300)
    assert "nested deeper than 200 levels" in sentence(deep)
    (cut := tmp_path / "cut.json").write_text('{"paths": {')
    assert "broken JSON at line 1, column 12" in sentence(cut)
    assert "broken JSON at line 1" in sentence(make_zip(("a.json", b'{"a'), ("b.json", b'{"b')))
    with (large := tmp_path / "large.json").open("wb") as file:
        file.write(b'{"openapi": "3.0.0", "paths": {')
        file.truncate(73_000_000)
    assert "73,000,000 bytes" in sentence(large)
    assert "give it in parts" in sentence(large)
