"""What is read and found of a curated catalogue without a window: columns, members, likeness."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.fixtures.curated import FOOD, PARCELS, WEATHER, curated_workspace
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.marks import Exclude, PinApis
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.curation.looking.bars import measure_silhouettes
from toolplanner_core.curation.looking.column_source import Categories, ColumnSource
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue, read_catalogue
from toolplanner_core.curation.looking.details import (
    read_api_details,
    read_members,
    read_toolkit_details,
    why_in_words,
)
from toolplanner_core.curation.looking.map_columns import COLUMNS, column
from toolplanner_core.curation.looking.map_finding import find_pattern, find_similar, find_words
from toolplanner_core.curation.looking.surroundings import read_titles
from toolplanner_core.embedding.embed import embed
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import member_rowids


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with curated_workspace(tmp_path) as opened:
        embed(opened, "lsa", progress=Progress())
        yield opened


@pytest.fixture
def catalogue(workspace: Workspace) -> CuratedCatalogue:
    return read_catalogue(workspace)


def toolkits_of(catalogue: CuratedCatalogue, mask: np.ndarray) -> set[str]:
    points = np.flatnonzero(mask).tolist()
    return {t.name for point in points if (t := catalogue.toolkit_of_point(point)) is not None}


def test_columns_when_read_then_each_says_something_of_every_point(
    workspace: Workspace, catalogue: CuratedCatalogue
) -> None:
    source = ColumnSource(workspace, catalogue)
    for each in COLUMNS:
        values = each.read(source)
        given = values.codes if isinstance(values, Categories) else values.values
        assert len(given) == len(catalogue.rowids), each.id
        if isinstance(values, Categories):
            assert given.max(initial=-1) < len(values.names), each.id
    cohesion = column("cohesion").read(source)
    assert not isinstance(cohesion, Categories)
    known = cohesion.values[catalogue.labels >= 0]
    assert ((known > 0) & (known <= 1.0001)).all()
    with pytest.raises(KeyError):
        column("no such")


def test_members_when_pinned_or_excluded_then_each_says_so(workspace: Workspace) -> None:
    first, second, *_ = member_rowids(workspace, WEATHER)
    history.do(workspace, PinApis(rowids=(first,)))
    history.do(workspace, Exclude(rowids=(second,)))
    members = read_members(workspace, WEATHER)
    assert [member.rowid for member in members] == member_rowids(workspace, WEATHER)
    assert {m.rowid for m in members if m.is_pinned} == {first}
    assert {m.rowid for m in members if m.is_excluded} == {second}
    assert list(read_members(workspace, WEATHER, 1, 1)) == list(members[1:2])
    assert members[0].centrality >= members[-1].centrality


def test_finding_when_words_pattern_or_likeness_then_the_points_that_fit(
    workspace: Workspace, catalogue: CuratedCatalogue
) -> None:
    weather = catalogue.mask_of_toolkit(WEATHER)
    assert find_words(workspace, catalogue, "what is the forecast").any()
    assert (find_pattern(workspace, catalogue, ".") == np.ones(len(weather), bool)).all()
    assert not (find_similar(workspace, catalogue, weather) & weather).any()
    with pytest.raises(BadInput, match="no regular expression"):
        find_pattern(workspace, catalogue, "(")


def test_details_when_read_then_history_and_reason_are_told(
    workspace: Workspace, catalogue: CuratedCatalogue
) -> None:
    history.do(workspace, Move(rowids=(3,), to=WEATHER), who="Ada")
    history.do(workspace, Merge(toolkits=(PARCELS, FOOD), into=FOOD), who="Ada")
    details = read_toolkit_details(workspace, FOOD)
    assert {member.rowid for member in details.members} == {5, 6, 7, 8}
    why = why_in_words(read_api_details(workspace, catalogue, 3).why)
    assert why[0].startswith("Here by “Move 1 API to “Weather”” (Ada, ")
    assert why[-1] == "Pinned: no machine moves it."


def test_silhouettes_when_measured_then_every_api_with_a_toolkit_has_one(
    workspace: Workspace, catalogue: CuratedCatalogue
) -> None:
    found = measure_silhouettes(workspace, catalogue, progress=Progress())
    assert sorted(found.rowids.tolist()) == [1, 2, 3, 4, 5, 6, 7, 8, 12]
    assert (np.abs(found.values) <= 1).all()


def test_titles_when_read_then_they_are_of_points(
    workspace: Workspace, catalogue: CuratedCatalogue
) -> None:
    known = read_titles(workspace, catalogue)
    assert len(known.points) == len(known.texts) > 0
