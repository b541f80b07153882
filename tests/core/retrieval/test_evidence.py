"""How much the members of toolkits have to do with a text, on absolute scales."""

from collections.abc import Iterator

import pytest
from fixtures.small_catalogue import import_small_catalogue
from sqlite_utils import Database

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.retrieval.toolkits import ToolkitIndex
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import bump_toolkits_version

WEATHER, MONEY, EMPTY, UNKNOWN = (ToolkitId(i) for i in (1, 2, 3, 99))
ALL = [WEATHER, MONEY, EMPTY, UNKNOWN]


@pytest.fixture(scope="module")
def curated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("evidence")
    with Workspace.create(folder / "w.toolplanner") as opened:
        import_small_catalogue(opened, folder)
        embed(opened, "lsa", progress=Progress())
        opened.writer.run(write_toolkits)
        yield opened


def write_toolkits(db: Database) -> None:
    members = {WEATHER: ["get_forecast"], MONEY: ["convert_currency", "exchange_rates"], EMPTY: []}
    for toolkit, names in members.items():
        db.execute(
            "INSERT INTO toolkits(id, name, description, name_author, description_author,"
            " created_us) VALUES(?, ?, '', 'rule', 'rule', 0)",
            [toolkit, f"Toolkit {toolkit}"],
        )
        for name in names:
            db.execute(
                "INSERT INTO toolkit_members SELECT rowid, ?, 0, 0 FROM apis WHERE name = ?",
                [toolkit, name],
            )
    bump_toolkits_version(db)


def test_fits_when_a_member_is_meant_then_its_toolkit_has_the_highest_figures(
    curated: Workspace,
) -> None:
    fits = ToolkitIndex(curated, HybridIndex(curated)).fits(
        "convert currency", "convert currency", ALL
    )
    assert fits[1].cosine > max(fits[0].cosine, 0.3)
    assert fits[1].words == pytest.approx(1.0)
    assert fits[2] == fits[3] == (0.0, 0.0)


def test_fits_when_a_word_is_unknown_then_the_share_is_less(curated: Workspace) -> None:
    index = ToolkitIndex(curated, HybridIndex(curated))
    whole = index.fits("currency", "currency", [MONEY])[0].words
    part = index.fits("currency", "currency symphony", [MONEY])[0].words
    assert whole == pytest.approx(1.0)
    assert 0 < part < 0.6


@pytest.mark.parametrize("words", ["", "symphony cat", '" OR *'])
def test_fits_when_no_word_is_known_then_none_is_shared(curated: Workspace, words: str) -> None:
    fits = ToolkitIndex(curated, HybridIndex(curated)).fits("", words, ALL)
    assert {fit.words for fit in fits} == {0.0}
    assert {fit.cosine for fit in fits} == {0.0}
