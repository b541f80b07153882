"""Imports into a workspace: once, again, changed, cancelled, with a full disk."""

import json
import os
import random
import shutil
import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import BadInput, Cancelled, NotFound, WorkspaceFull
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.identity import doc_hash
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.importing import import_apis, import_source
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, api_count, apis_by_rowid, get_api
from toolplanner_core.workspace.import_changes import missing_rowids
from toolplanner_core.workspace.settings import set_setting


@pytest.fixture
def catalogue(tmp_path, tool, entry) -> Path:
    """A folder of 30 tools with 3 APIs each, one entry of the first broken."""
    folder = tmp_path / "catalogue" / "Weather"
    folder.mkdir(parents=True)
    for number in range(30):
        content = tool(
            entry("Get weather"),
            entry("deleteUser", method="POST", description=f"Forever {number}. " * 200),
            entry("/v1/cities/{cityId}"),
            name=f"Meteo {number}",
        )
        if not number:
            content["api_list"].append({"url": "nameless"})
        (folder / f"tool{number:02}.json").write_text(json.dumps(content))
    return folder.parent


def change(path: Path, **fields) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def contents(workspace: Workspace) -> dict[str, list[tuple]]:
    """Everything that an import writes, except when it was last made."""
    db = workspace.reader()
    return {
        table: db.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()
        for table, columns in {
            "apis": "*",
            "tools": "*",
            "sources": "id, name, format, location",
            "apis_fts": "rowid, *",
            "import_staging": "*",
            "missing_apis": "api_rowid, since_us",
        }.items()
    }


def found(workspace: Workspace, words: str) -> set[int]:
    rows = workspace.reader().execute("SELECT rowid FROM apis_fts WHERE apis_fts MATCH ?", [words])
    return {row[0] for row in rows}


def test_import_when_first_then_all_is_added_and_rejections_are_named(workspace, catalogue):
    report = import_source(workspace, catalogue)
    assert (report.source, report.format_id) == ("toolbench", "toolbench")
    assert (report.added, report.updated, report.unchanged, report.missing) == (90, 0, 0, 0)
    assert [each.where for each in report.rejected] == [
        "catalogue/Weather/tool00.json $.api_list[3].name"
    ]
    assert api_count(workspace) == 90
    assert all_rowids(workspace) == list(range(1, 91))
    api = get_api(workspace, ApiId(contents(workspace)["apis"][1][1]))
    assert api.key == "Weather/tool00/deleteuser"
    assert (api.risk, api.tool_description) == ("destructive", "Weather of the world")
    assert api.parameter_list[0].required


def test_import_when_stored_then_index_finds_names_words_and_parameters(workspace, catalogue):
    import_source(workspace, catalogue)
    assert len(found(workspace, "name:user")) == 30
    assert len(found(workspace, "name:deleteUser")) == 30
    assert len(found(workspace, "parameters:city")) == 90
    assert len(found(workspace, 'tool:"meteo 7"')) == 3
    assert len(found(workspace, "name:cities")) == 30


def test_import_when_repeated_then_nothing_changes(workspace, catalogue):
    import_source(workspace, catalogue)
    before = contents(workspace)
    report = import_source(workspace, catalogue)
    assert (report.added, report.updated, report.unchanged, report.missing) == (0, 0, 90, 0)
    assert contents(workspace) == before


def test_import_when_a_file_changed_then_only_its_apis_are_updated(workspace, catalogue, entry):
    import_source(workspace, catalogue)
    before = {row[1]: row for row in contents(workspace)["apis"]}
    path = catalogue / "Weather" / "tool05.json"
    changed = json.loads(path.read_text())["api_list"]
    changed[0]["description"] = "Umbrella advice"
    change(path, api_list=[*changed, entry("Get umbrella")])
    report = import_source(workspace, catalogue)
    assert (report.added, report.updated, report.unchanged, report.missing) == (1, 1, 89, 0)
    assert [change.parts for change in report.changes] == [("description",)]
    after = {row[1]: row for row in contents(workspace)["apis"]}
    differing = [api for api in before if before[api] != after[api]]
    assert len(differing) == 1
    assert before[differing[0]][0] == after[differing[0]][0]
    assert "Umbrella advice" in get_api(workspace, ApiId(differing[0])).description
    assert found(workspace, "description:umbrella") == {after[differing[0]][0]}
    assert len(found(workspace, "weather")) == 91


def test_import_when_only_the_server_changed_then_it_is_a_change(workspace, catalogue):
    (api, *others) = preview_source(catalogue).first
    assert api.operation is not None
    assert api.operation.servers == ("https://example.com",)

    def come_in(operation):
        moved = replace(api, operation=operation, doc_hash=hash_of(api, operation))
        return import_apis(
            workspace, [moved, *others], source_name="toolbench", format_id="x", location="here"
        )

    come_in(api.operation)
    assert get_api(workspace, api.id) == api
    assert come_in(api.operation).updated == 0
    elsewhere = replace(api.operation, servers=("https://elsewhere.example",))
    report = come_in(elsewhere)
    assert (report.updated, report.unchanged) == (1, len(others))
    assert get_api(workspace, api.id).operation == elsewhere


def test_import_when_an_api_is_of_before_operations_then_it_gets_one(workspace, catalogue):
    import_source(workspace, catalogue)
    api = get_api(workspace, ApiId(contents(workspace)["apis"][1][1]))
    workspace.writer.run(
        lambda db: db.execute(
            "UPDATE apis SET operation = NULL, doc_hash = ? WHERE id = ?",
            [hash_of(api, None), api.id],
        )
    )
    assert get_api(workspace, api.id).operation is None
    report = import_source(workspace, catalogue)
    assert (report.added, report.updated, report.unchanged) == (0, 1, 89)
    assert get_api(workspace, api.id) == api


def hash_of(api, operation):
    return doc_hash(
        tool=api.tool,
        name=api.name,
        description=api.description,
        tool_description=api.tool_description,
        parameters=api.parameters,
        response_schema=api.response_schema,
        operation=operation,
    )


def missing_keys(workspace, **which):
    rowids = missing_rowids(workspace, **which)
    return sorted(api.key for api in apis_by_rowid(workspace, rowids).values())


def test_missing_when_imported_again_then_only_what_is_back_loses_its_mark(workspace, catalogue):
    import_source(workspace, catalogue)
    paths = [catalogue / "Weather" / name for name in ("tool05.json", "tool06.json")]
    texts = [path.read_text() for path in paths]
    paths[0].unlink()
    import_source(workspace, catalogue)
    first = missing_keys(workspace)
    assert first == missing_keys(workspace, is_new=True)
    paths[0].write_text(texts[0])
    paths[1].unlink()

    report = import_source(workspace, catalogue)

    assert missing_keys(workspace) == missing_keys(workspace, is_new=True) == sorted(report.gone)
    assert set(first).isdisjoint(report.gone)
    before = contents(workspace)["missing_apis"]
    again = import_source(workspace, catalogue)
    assert again.missing == report.missing
    assert contents(workspace)["missing_apis"] == before
    assert missing_keys(workspace, is_new=True) == []


def test_missing_when_a_small_part_of_a_catalogue_is_read_then_only_tools_that_came_are_judged(
    workspace, catalogue, tmp_path
):
    sport = catalogue / "Sport"
    sport.mkdir()
    shutil.copy(catalogue / "Weather" / "tool05.json", sport)  # of the same name elsewhere
    import_source(workspace, catalogue, source_name="all")
    part = tmp_path / "part" / "Weather"
    part.mkdir(parents=True)
    shutil.copy(catalogue / "Weather" / "tool05.json", part)
    change(
        part / "tool05.json",
        api_list=json.loads((part / "tool05.json").read_text())["api_list"][:1],
    )

    seen = preview_source(part.parent, workspace=workspace, source_name="all")
    report = import_source(workspace, part.parent, source_name="all")

    assert seen.comparison is not None
    assert report.missing == seen.comparison.missing == 2
    assert {key.rpartition("/")[0] for key in missing_keys(workspace)} == {"Weather/tool05"}


def test_missing_when_the_workspace_is_older_then_the_next_import_marks(workspace, catalogue):
    import_source(workspace, catalogue)
    path = workspace.path
    workspace.writer.run(_as_before_marks)
    workspace.close()
    (catalogue / "Weather" / "tool06.json").unlink()
    with Workspace.open(path) as opened:
        assert missing_keys(opened) == []
        report = import_source(opened, catalogue)
        assert missing_keys(opened) == sorted(report.gone)
        assert len(report.gone) == 3


def _as_before_marks(db):
    db.execute("DROP TABLE missing_apis")
    db.execute("DELETE FROM _sqlite_migrations WHERE name = 'm013_missing_apis'")
    db.conn.execute("PRAGMA user_version=12")


def test_import_when_apis_vanished_then_they_are_kept_and_follow_their_tools_title(
    workspace, catalogue
):
    import_source(workspace, catalogue)
    path = catalogue / "Weather" / "tool05.json"
    change(path, tool_name="Renamed", api_list=json.loads(path.read_text())["api_list"][:1])
    (catalogue / "Weather" / "tool06.json").unlink()
    report = import_source(workspace, catalogue)
    assert (report.added, report.updated, report.unchanged, report.missing) == (0, 1, 84, 5)
    assert [change.parts for change in report.changes] == [("tool",)]
    assert sorted(key.rpartition("/")[0] for key in report.gone) == [
        "Weather/tool05", "Weather/tool05",
        "Weather/tool06", "Weather/tool06", "Weather/tool06",
    ]  # fmt: skip
    assert api_count(workspace) == 90
    assert missing_keys(workspace) == sorted(report.gone)
    assert len(found(workspace, "tool:renamed")) == 3
    assert len(contents(workspace)["apis_fts"]) == 90


def test_import_when_a_person_wrote_the_text_then_an_update_keeps_it(workspace, catalogue):
    import_source(workspace, catalogue)
    workspace.writer.run(
        lambda db: db.execute(
            "UPDATE apis SET functionality = 'mine', functionality_author = 'person'"
            " WHERE rowid = 1"
        )
    )
    change(catalogue / "Weather" / "tool00.json", tool_description="New words")
    assert import_source(workspace, catalogue).updated == 3
    rows = workspace.reader().execute("SELECT functionality FROM apis WHERE rowid < 3").fetchall()
    assert rows[0] == ("mine",)
    assert rows[1] != ("mine",)


def test_import_when_sources_have_names_then_they_do_not_meet(workspace, catalogue):
    import_source(workspace, catalogue, source_name="january")
    report = import_source(workspace, catalogue, source_name="february")
    assert report.added == 90
    assert api_count(workspace) == 180


def test_import_when_the_location_is_wrong_then_nothing_is_touched(workspace, tmp_path, catalogue):
    import_source(workspace, catalogue)
    before = contents(workspace)
    (tmp_path / "text.txt").write_text("hello")
    with pytest.raises(BadInput, match="text file"):
        import_source(workspace, tmp_path / "text.txt")
    with pytest.raises(BadInput, match="no such file"):
        import_source(workspace, tmp_path / "missing", format_id="functions")
    with pytest.raises(NotFound, match="source format"):
        import_source(workspace, catalogue, format_id="nothing")
    with pytest.raises(BadInput, match="empty"):
        import_source(workspace, catalogue, source_name=" ")
    assert contents(workspace) == before


def test_import_when_one_id_comes_twice_then_the_second_is_rejected(workspace, catalogue):
    api = preview_source(catalogue, limit=1).first[0]
    report = import_apis(
        workspace, [api, api], source_name="toolbench", format_id="x", location="here"
    )
    assert (report.added, len(report.rejected)) == (1, 1)
    with pytest.raises(ValueError, match="not 'other'"):
        import_apis(workspace, [api], source_name="other", format_id="x", location="here")
    assert not contents(workspace)["import_staging"]


class CancelsLater(Progress):
    """Cancels itself at the n-th look."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks_left = looks

    def check(self) -> None:
        self.looks_left -= 1
        if self.looks_left < 0:
            self.cancel()
        super().check()


def test_import_when_cancelled_at_any_moment_then_nothing_is_left(
    workspace, catalogue, monkeypatch
):
    # Small groups, so that cancels fall between several transactions, and many chunks.
    monkeypatch.setattr("toolplanner_core.sources.importing._GROUP", 10)
    monkeypatch.setattr("toolplanner_core.workspace.importing._CHUNK", 10)
    counter = CancelsLater(10**9)
    with Workspace.create(workspace.path.with_name("other.toolplanner")) as other:
        import_source(other, catalogue, progress=counter)
    looks = 10**9 - counter.looks_left
    # The last look comes when the last row is in; a cancel there still rolls back.
    moments = [*random.Random(7).sample(range(looks - 1), 15), looks - 1]
    before = contents(workspace)
    for moment in moments:
        with pytest.raises(Cancelled):
            import_source(workspace, catalogue, progress=CancelsLater(moment))
        assert contents(workspace) == before
    assert import_source(workspace, catalogue).added == 90


@pytest.mark.skipif(os.name == "nt", reason="Ctrl+C is sent to a group of processes there")
def test_import_when_interrupted_while_storing_then_nothing_is_left(
    workspace, catalogue, monkeypatch
):
    monkeypatch.setattr("toolplanner_core.workspace.importing._CHUNK", 10)
    interrupted = threading.Event()
    seen = []

    def listen(report):
        if report.stage == "Storing" and not interrupted.is_set():
            seen.append(report)
            interrupted.set()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            # The writer goes on only when the interrupt has arrived.
            while not progress.is_cancelled:
                os.sched_yield()

    progress = Progress(listen)
    before = contents(workspace)
    # Started in the background by a shell, a process ignores the signal.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            import_source(workspace, catalogue, progress=progress)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert seen
    assert contents(workspace) == before


@pytest.mark.parametrize("spare_pages", [2, 20, 60])
def test_import_when_the_disk_is_full_then_the_old_catalogue_stays(
    workspace, catalogue, spare_pages
):
    import_source(workspace, catalogue, source_name="first")
    before = contents(workspace)
    pages = workspace.writer.run(lambda db: db.execute("PRAGMA page_count").fetchone()[0])

    def limit(extra: int) -> None:
        # What SQLite does at this limit is what it does on a full disk: SQLITE_FULL.
        workspace.writer.run(
            lambda db: db.execute(f"PRAGMA max_page_count={pages + extra}").fetchone()
        )

    limit(spare_pages)
    with pytest.raises(WorkspaceFull):
        import_source(workspace, catalogue, source_name="second")
    assert contents(workspace) == before
    limit(1_000_000)
    set_setting(workspace, "still", "writable")
    assert import_source(workspace, catalogue, source_name="second").added == 90


def test_progress_when_importing_then_stages_are_told(workspace, catalogue):
    said = []
    import_source(workspace, catalogue, progress=Progress(said.append))
    assert list(dict.fromkeys(report.stage for report in said)) == ["Reading", "Storing"]
    assert (said[-1].done, said[-1].total) == (90, 90)


def test_preview_when_limited_then_it_shows_the_beginning_and_writes_nothing(catalogue):
    part = preview_source(catalogue, limit=10)
    assert (part.format_id, part.source) == ("toolbench", "toolbench")
    assert (part.apis, len(part.rejected), part.is_complete) == (9, 1, False)
    assert (part.files_read, part.files_total) == (3, 30)
    whole = preview_source(catalogue, source_name="mine")
    assert (whole.apis, whole.tools, whole.categories, whole.is_complete) == (90, 30, 1, True)
    assert whole.first[0].source == "mine"
    with pytest.raises(Cancelled):
        preview_source(catalogue, progress=CancelsLater(2))
