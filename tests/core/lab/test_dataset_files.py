"""Data sets as JSON lines: what is written is read again, and what cannot be read is named."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from toolplanner_core.domain.cases import Expectation
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.lab import DataSet, GoldCall, Query, Solvable, row_of_query
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.jsonl import query_of_row, read_data_set, write_data_set

HEADER = {"format": "toolplanner-dataset", "version": 1, "name": "few", "licence": "MIT"}
FULL = Query(
    id="7",
    text="Wie wird das Wetter in 東京?",
    gold=(frozenset({"w/now", "geo/find"}), frozenset({"w/all"})),
    path=(GoldCall(api="geo/find", arguments={"q": "東京"}), GoldCall(api="w/now")),
    expected=Expectation(
        answer_contains=("°C",), max_replans=0, error_classes=(ErrorClass.SERVER_ERROR,)
    ),
    solvable=Solvable.YES,
    split="test",
    cluster="7",
    source="hand",
    licence="CC0-1.0",
    candidates=("w/now", "w/all"),
)


def write_lines(path: Path, rows: list[Any]) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_data_set_when_written_and_read_then_is_the_same(tmp_path: Path) -> None:
    made = DataSet(
        name="few",
        queries=(FULL, Query(id="8", text="?", expected=Expectation())),
        source="hand",
        licence="MIT",
        is_held_out=True,
    )
    path = tmp_path / "few.jsonl"
    write_data_set(made, path)
    packed = tmp_path / "few.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for each in (path, packed):
        assert read_data_set(each) == type(read_data_set(each))(data_set=made, rejected=[])
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".part"] == []


def test_version_when_rows_say_the_same_then_is_equal() -> None:
    row = row_of_query(FULL)
    shuffled = {key: row[key] for key in sorted(row, reverse=True)}
    shuffled["gold"] = [list(reversed(keys)) for keys in reversed(row["gold"])]
    one = DataSet(name="a", queries=(FULL,))
    other = DataSet(name="b", queries=(query_of_row(shuffled | {"unknown": 1}),), licence="MIT")
    assert one.version == other.version
    assert one.reference == f"a@{one.version[:8]}"


@pytest.mark.parametrize(
    "change",
    [
        {"query": "?"},
        {"id": "9"},
        {"gold": [["w/now"]]},
        {"path": ["geo/find", "w/now"]},
        {"expected": {}},
        {"solvable": "no"},
        {"cluster": "8"},
        {"candidates": ["w/all", "w/now"]},
    ],
)
def test_version_when_a_row_says_something_else_then_is_another(change: dict[str, Any]) -> None:
    other = query_of_row(row_of_query(FULL) | change)
    assert DataSet(name="a", queries=(other,)).version != DataSet(name="a", queries=(FULL,)).version


BAD_ROWS: list[tuple[Any, str]] = [
    ("{broken", "not valid JSON"),
    ("[1]", "not a JSON object"),
    ('{"id": "1", "query": "?", "path": [{"api": "k", "arguments": {"x": NaN}}]}', "NaN"),
    ('{"id": "1", "query": "?", "expected": ' + "[" * 300 + "]" * 300 + "}", "200 levels"),
    ({"query": "?"}, "id is missing"),
    ({"id": 3, "query": "?"}, "id is no text"),
    ({"id": "1", "query": "  "}, "query is missing"),
    ({"id": "1", "query": "?", "gold": "k"}, "gold is no list"),
    ({"id": "1", "query": "?", "gold": ["k"]}, "an item of gold is no list of keys"),
    ({"id": "1", "query": "?", "gold": [[]]}, "names no API"),
    ({"id": "1", "query": "?", "path": [1]}, "an item of path"),
    ({"id": "1", "query": "?", "path": [{"api": "k", "arguments": 1}]}, "an item of path"),
    ({"id": "1", "query": "?", "solvable": "maybe"}, "solvable is none of"),
    ({"id": "1", "query": "?", "expected": 1}, "expected is no object"),
    ({"id": "1", "query": "?", "expected": {"colour": 1}}, "'colour'"),
    ({"id": "1", "query": "?", "expected": {"answer_contains": "abc"}}, "answer_contains"),
    ({"id": "1", "query": "?", "expected": {"answer_contains": [1]}}, "answer_contains"),
    ({"id": "1", "query": "?", "expected": {"max_replans": "1"}}, "max_replans"),
    ({"id": "1", "query": "?", "expected": {"error_classes": ["odd"]}}, "'odd'"),
    ({"id": "1", "query": "?", "split": 1}, "split is no text"),
    ({"id": "1", "query": "?", "candidates": [""]}, "candidates is no list of keys"),
    ('{"id": "1", "query": "\\ud83d"}', "half a character"),
    ({"id": "good", "query": "again"}, "stands in a line before"),
]


@pytest.mark.parametrize(("row", "why"), BAD_ROWS)
def test_line_when_it_cannot_be_read_then_is_named_and_the_others_are_read(
    tmp_path: Path, row: Any, why: str
) -> None:
    good = {"id": "good", "query": "Is it?"}
    last = {"id": "last", "query": "It is?"}
    found = read_data_set(write_lines(tmp_path / "few.jsonl", [HEADER, good, "", row, last]))
    assert [query.id for query in found.data_set] == ["good", "last"]
    assert [each.where for each in found.rejected] == ["few.jsonl line 4"]
    assert why in found.rejected[0].why


@pytest.mark.parametrize(
    ("header", "why"),
    [
        (None, "it is empty"),
        ({"id": "1", "query": "?"}, "no header"),
        ("{", "not valid JSON"),
        (HEADER | {"version": 2}, "version 2"),
        (HEADER | {"name": ""}, "no usable name"),
        (HEADER | {"held_out": "yes"}, "no usable held_out"),
    ],
)
def test_file_when_its_header_is_unknown_then_is_refused(
    tmp_path: Path, header: Any, why: str
) -> None:
    path = write_lines(tmp_path / "few.jsonl", [] if header is None else [header])
    with pytest.raises(BadInput, match=why):
        read_data_set(path)
