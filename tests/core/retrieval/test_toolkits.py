"""Ranking of toolkits and of their members."""

from collections.abc import Iterator

import pytest
from fixtures.small_catalogue import import_small_catalogue
from sqlite_utils import Database

from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.retrieval.toolkits import ToolkitIndex
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import bump_toolkits_version

WEATHER, MONEY, PARCELS, EMPTY = (ToolkitId(i) for i in (1, 2, 3, 4))
TOOLKITS = {
    WEATHER: ("Weather forecasts", ["get_forecast", "current_weather", "天气"]),
    MONEY: ("Currency exchange rates", ["convert_currency", "exchange_rates", "stock_quote"]),
    PARCELS: ("Parcel tracking", ["track_parcel", "list_carriers"]),
    EMPTY: ("Umbrella rental", []),
}


@pytest.fixture(scope="module")
def curated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("curated")
    with Workspace.create(folder / "w.toolplanner") as opened:
        import_small_catalogue(opened, folder)
        embed(opened, "lsa", progress=Progress())
        opened.writer.run(write_toolkits)
        yield opened


def write_toolkits(db: Database) -> None:
    for toolkit, (name, members) in TOOLKITS.items():
        db.execute(
            "INSERT INTO toolkits(id, name, description, name_author, description_author,"
            " created_us) VALUES(?, ?, '', 'rule', 'rule', 0)",
            [toolkit, name],
        )
        for api in members:
            db.execute(
                "INSERT INTO toolkit_members SELECT rowid, ?, 0, 0 FROM apis WHERE name = ?",
                [toolkit, api],
            )
    bump_toolkits_version(db)


def index_of(workspace: Workspace) -> ToolkitIndex:
    return ToolkitIndex(workspace, HybridIndex(workspace))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Will it rain? I need the weather forecast.", WEATHER),
        ("convert euros to another currency", MONEY),
        ("where is my shipment", PARCELS),
        ("rent an umbrella", EMPTY),
    ],
)
def test_toolkits_when_ranked_then_the_one_that_fits_is_first(
    curated: Workspace, text: str, expected: ToolkitId
) -> None:
    ranked = index_of(curated).rank_toolkits(text, 4)
    assert ranked[0].toolkit.id == expected
    assert len(ranked) == 4
    assert [r.score for r in ranked] == sorted((r.score for r in ranked), reverse=True)
    assert set(ranked[0].parts) == {"best member", "second member", "own text"}


def test_toolkits_when_scored_then_a_second_member_and_the_own_text_count_a_quarter(
    curated: Workspace,
) -> None:
    for each in index_of(curated).rank_toolkits("Will it rain? I need the weather forecast.", 4):
        best, second, own = (each.parts[n] for n in ("best member", "second member", "own text"))
        assert second <= best
        assert each.score == pytest.approx(best + 0.25 * second + 0.25 * own)
    [weather] = index_of(curated).rank_toolkits("weather", 1)
    assert weather.parts["second member"] > 0, "two of its members have to do with the weather"


def test_toolkits_when_some_are_exhausted_then_they_are_left_out(curated: Workspace) -> None:
    ranked = index_of(curated).rank_toolkits("weather", 9, without=[WEATHER, EMPTY])
    assert {r.toolkit.id for r in ranked} == {MONEY, PARCELS}


def test_toolkits_when_text_has_no_words_then_come_by_name(curated: Workspace) -> None:
    ranked = index_of(curated).rank_toolkits("🙂", 2)
    assert [r.toolkit.id for r in ranked] == [MONEY, PARCELS]
    assert index_of(curated).rank_toolkits("weather", 0) == []


def test_toolkits_when_one_is_renamed_then_the_same_index_finds_it(curated: Workspace) -> None:
    index = index_of(curated)
    assert index.rank_toolkits("zeppelin", 1)[0].toolkit.id != EMPTY

    def rename(db: Database, name: str) -> None:
        db.execute("UPDATE toolkits SET name = ? WHERE id = ?", [name, EMPTY])
        bump_toolkits_version(db)

    curated.writer.run(lambda db: rename(db, "Zeppelin flights"))
    try:
        assert index.rank_toolkits("zeppelin", 1)[0].toolkit.id == EMPTY
    finally:
        curated.writer.run(lambda db: rename(db, TOOLKITS[EMPTY][0]))


def test_toolkits_when_there_are_none_then_the_list_is_empty(workspace: Workspace) -> None:
    index = index_of(workspace)
    assert index.rank_toolkits("weather", 3) == []


def test_members_when_ranked_then_the_nearest_is_first(curated: Workspace) -> None:
    ranked = index_of(curated).rank_members(MONEY, "price of a stock")
    assert ranked[0].api.name == "stock_quote"
    assert len(ranked) == 3
    assert {"bm25", "vector"} <= set(ranked[0].parts)


def test_members_when_health_differs_then_it_breaks_what_is_near(curated: Workspace) -> None:
    index = index_of(curated)
    plain = index.rank_members(PARCELS, "🙂")
    assert [r.score for r in plain] == [0, 0]
    sick: ApiId = plain[0].api.id
    ranked = index.rank_members(PARCELS, "🙂", health=lambda api: 0.1 if api == sick else 0.9)
    assert ranked[-1].api.id == sick
    assert ranked[0].parts["health"] == 0.9
