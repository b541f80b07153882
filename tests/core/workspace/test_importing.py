"""The statements that move staged APIs: fast whatever SQLite believes about the tables."""

import os

import pytest

from toolplanner_core.words.scripts import index_form
from toolplanner_core.workspace import importing, staging

NAMES = {"import_id": "1-x", "source_id": 1, "now_us": 1, "first": 0, "last": 9}


@pytest.mark.parametrize(
    "statement", ["_UPSERT_APIS", "_INDEX", "_UNINDEX", "_UNSTAGE", "_UPSERT_TOOLS"]
)
@pytest.mark.parametrize("rows", [1, 1_000_000])
def test_statement_when_statistics_are_stale_then_no_table_is_walked(workspace, statement, rows):
    # "PRAGMA optimize" at closing leaves statistics of what was a small catalogue.
    def pretend(db):
        db.execute("ANALYZE")
        db.execute("DELETE FROM sqlite_stat1")
        for table, index in (
            ("apis", "sqlite_autoindex_apis_1"),
            ("import_staging", "sqlite_autoindex_import_staging_1"),
            ("tools", "sqlite_autoindex_tools_1"),
        ):
            db.execute("INSERT INTO sqlite_stat1 VALUES(?, ?, ?)", [table, index, f"{rows} 1 1 1"])

    workspace.writer.run(pretend)
    query = f"EXPLAIN QUERY PLAN {getattr(importing, statement)}"
    reader = workspace.reader()
    reader.conn.create_function("index_form", 1, index_form)  # the writer has it by itself
    plan = [row[3] for row in reader.execute(query, NAMES)]
    walked = [step for step in plan if step.startswith(("SCAN a", "SCAN s", "SCAN t"))]
    assert [step for step in walked if "VIRTUAL TABLE INDEX 0:=" not in step] == []


def test_leftovers_when_the_process_lives_then_they_are_not_leftovers(workspace):
    def put(import_id):
        marks = ",".join("''" for _ in range(18))
        workspace.writer.run(
            lambda db: db.execute(
                f"INSERT INTO import_staging VALUES(?, 0, 'id', {marks})", [import_id]
            )
        )

    mine, others = staging.begin_import(), f"{os.getppid()}-running"
    put(mine)
    put(others)
    put("999999999-dead")
    assert staging.leftovers(workspace.reader()) == ["999999999-dead"]
    staging.end_import(mine)
    assert set(staging.leftovers(workspace.reader())) == {mine, "999999999-dead"}
    workspace.writer.run(staging.discard_leftovers)
    rows = workspace.reader().execute("SELECT import_id FROM import_staging").fetchall()
    assert rows == [(others,)]
