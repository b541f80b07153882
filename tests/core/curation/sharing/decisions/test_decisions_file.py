"""Decisions files as text: read as they were written, refused as a whole where a line is bad."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.curated import FOOD, MONEY, WEATHER, curated_workspace

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Describe, Rename
from toolplanner_core.curation.edits.move import Move
from toolplanner_core.curation.sharing.decisions.collecting import collect
from toolplanner_core.curation.sharing.decisions.file import read_decisions, write_decisions
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with one edit."""
    with curated_workspace(tmp_path) as workspace:
        history.do(workspace, Rename(toolkit=FOOD, name="Dishes"), who="ann")
        yield workspace


def lines_of(here: Workspace, place: Path) -> list[str]:
    """The lines of a file of three decisions."""
    history.do(here, Rename(toolkit=WEATHER, name="Sky"), who="ann")
    history.do(here, Move(rowids=(7,), to=MONEY), who="ann")
    write_decisions(collect(here, who="ann"), place)
    return place.read_text(encoding="utf-8").splitlines()


def changed(line: str, **values: Any) -> str:
    return json.dumps(json.loads(line) | values)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda lines: [], "The file is empty"),
        (lambda lines: ["{}", *lines[1:]], "This is no decisions file"),
        (lambda lines: ["[1]"], "This is no decisions file"),
        (lambda lines: ["\x00\x01 PNG"], "line 1: This line is no JSON"),
        (lambda lines: [changed(lines[0], version=2), *lines[1:]], "version 2, this program"),
        (lambda lines: [changed(lines[0], who=7), *lines[1:]], "line 1: who: 7 is not of type"),
        (lambda lines: lines[:-1], "2 of 3 decisions"),
        (lambda lines: [*lines[:3], lines[3][:-5]], "line 4: This line is no JSON"),
        (lambda lines: [*lines[:3], "[" * 100_000], "line 4: This line is no JSON"),
        (lambda lines: [*lines[:3], "7"], "line 4: 7 is not of type"),
        (lambda lines: [*lines, lines[3]], "line 5: This decision is there twice"),
        (lambda lines: [*lines[:3], changed(lines[3], kind="explode")], "line 4: kind:"),
        (lambda lines: [*lines[:3], changed(lines[3], asked={"apis": [1]})], "line 4: asked"),
        (
            lambda lines: [*lines[:3], changed(lines[3], asked={"apis": ["x"], "to": 99})],
            "line 4: Toolkit 99 is not described",
        ),
        (
            lambda lines: [
                *lines[:3],
                changed(lines[3], after={"members": {"apis": ["x"], "toolkits": [], "pinned": []}}),
            ],
            "line 4: The lists of members have different lengths",
        ),
        (
            lambda lines: [*lines[:3], changed(lines[3], asked={"apis": ["x"] * 99 + [""]})],
            "line 4: asked.apis",
        ),
        (
            lambda lines: [*lines[:3], changed(lines[3], asked={"apis": ["x"] * 99 + [1]})],
            "line 4: asked.apis.99: 1 is not of type 'string'",
        ),
        (
            lambda lines: [*lines[:3], changed(lines[3], makes=[*range(99), -1])],
            "line 4: makes.0: -1 is less than the minimum",
        ),
        (
            lambda lines: [*lines[:3], changed(lines[3], before={"toolkits": {"x": {}}})],
            "line 4: before.toolkits",
        ),
    ],
)
def test_file_when_broken_then_the_line_is_named(
    here: Workspace, tmp_path: Path, spoil: Any, why: str
) -> None:
    place = tmp_path / "decisions.jsonl"
    place.write_text("\n".join(spoil(lines_of(here, place))), encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_decisions(place)
    assert why in caught.value.sentence
    assert str(place) in caught.value.sentence


def test_file_when_it_cannot_be_read_or_written_then_says_so(
    here: Workspace, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_decisions(tmp_path / "missing.jsonl")
    with pytest.raises(BadInput, match="cannot be read"):
        read_decisions(tmp_path)
    with pytest.raises(BadInput, match="would replace a workspace"):
        write_decisions(collect(here, who=""), here.path)
    with pytest.raises(BadInput, match="cannot be written"):
        write_decisions(collect(here, who=""), tmp_path / "no" / "folder.jsonl")


def test_file_when_texts_hold_line_separators_and_marks_then_it_is_read_as_written(
    here: Workspace, tmp_path: Path
) -> None:
    history.do(here, Describe(toolkit=WEATHER, description='one\u2028two\x85three\n"four" \ufeff'))
    file = collect(here, who="Ann\u2029")
    place = tmp_path / "decisions.jsonl"
    write_decisions(file, place)
    assert read_decisions(place) == file
