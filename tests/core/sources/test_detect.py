"""Formats are told by content; what is no catalogue is named for what it is."""

import gzip
import json
import sqlite3
from contextlib import closing

import pytest

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.detect import detect
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
