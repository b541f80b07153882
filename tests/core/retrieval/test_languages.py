"""Catalogues in languages other than English are searched as well as English ones.

Recall@5 of 64 questions a language over 512 APIs in eight languages. With `words`, whose vectors
know none of these languages, full text works alone.
"""

import shutil
import sqlite3
from pathlib import Path

import pytest
from fixtures.catalogues import add_apis
from fixtures.command_line import toolplanner
from fixtures.languages import LANGUAGES, api_of, catalogue_of, questions_of

from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.workspace import Workspace

FLOOR = 0.85
EVERY = 4
"""Of the questions of a language, one in so many is asked."""


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the APIs of all eight languages."""
    path = tmp_path_factory.mktemp("languages") / "all.toolplanner"
    with Workspace.create(path) as workspace:
        add_apis(workspace, catalogue_of(*LANGUAGES))
    return path


@pytest.mark.parametrize(
    "embedder", ["words", "lsa", pytest.param("minilm", marks=pytest.mark.slow)]
)
def test_search_when_the_catalogue_is_not_english_then_finds_what_is_asked_for(
    foreign: Path,
    embedder: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if embedder == "minilm":
        monkeypatch.setenv("TOOLPLANNER_MODELS", str(request.getfixturevalue("minilm")))
    with Workspace.open(shutil.copy(foreign, tmp_path / "own.toolplanner")) as workspace:
        embed(workspace, embedder, progress=Progress())
        index = HybridIndex(workspace)
        for language in LANGUAGES:
            asked = questions_of(language)[::EVERY]
            found = [
                question.key in [hit.api.key for hit in index.search(question.text, 5)]
                for question in asked
            ]
            recall = sum(found) / len(found)
            assert recall >= FLOOR, (language, recall)
            # Vectors of pieces of words are left out, and that is said.
            assert ("knows none of these words" in index.vector_problem) == (embedder == "words")
        told = toolplanner("search", workspace.path, questions_of("Thai")[0].text).out
    assert ("knows none of these words" in told) == (embedder == "words")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("天", "天气预报查询"),
        ("预报", "天气预报查询"),
        ("ホテル", "ﾎﾃﾙの予約"),
        ("อากาศ", "พยากรณ์อากาศ"),
        ("ອາກາດ", "ພະຍາກອນອາກາດ"),
        ("అంచనా", "వాతావరణ అంచనాలు"),
        ("καιροσ", "πρόγνωση καιρού"),
        ("الطَّقْس", "توقعات الطقس"),
        ("москве", "Погода в Москве"),
        ("thoi tiet", "Dự báo thời tiết"),
        ("überweisung", "U\u0308berweisung senden"),
    ],
)
def test_word_when_spelled_otherwise_or_begun_then_found(
    text: str, named: str, workspace: Workspace
) -> None:
    others = ["新闻文章", "Новости дня", "ข่าวล่าสุด", "أخبار", "Send mail"]
    apis = [api_of("x", f"api-{i}", name, "") for i, name in enumerate([named, *others])]
    add_apis(workspace, apis)
    found = HybridIndex(workspace).search(text, 3)
    assert [hit.api.name for hit in found[:1]] == [apis[0].name]


def test_search_when_the_workspace_is_of_before_then_the_index_is_made_anew(
    foreign: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(foreign, tmp_path / "old.toolplanner"))
    with sqlite3.connect(path) as old:
        rows = old.execute("SELECT rowid, name, description FROM apis").fetchall()
        old.execute("DROP TABLE apis_fts")
        old.execute(
            "CREATE VIRTUAL TABLE apis_fts USING fts5(\n"
            "  name, tool, category, description, tool_description, parameters,\n"
            "  tokenize = 'porter unicode61 remove_diacritics 2'\n)"
        )
        old.executemany("INSERT INTO apis_fts(rowid, name, description) VALUES(?, ?, ?)", rows)
        old.execute("DELETE FROM _sqlite_migrations WHERE name = 'm015_scripts'")
        old.execute("PRAGMA user_version = 14")
    old.close()
    with Workspace.open(path) as workspace:
        index = HybridIndex(workspace)
        for language in LANGUAGES:
            question = questions_of(language)[0]
            keys = [hit.api.key for hit in index.search(question.text, 5)]
            assert question.key in keys, language
