"""JSON of another form than it should have, in any column: said, or passed over; nothing is lost.

The columns are those that the schema calls JSON, and all settings. Whatever is read then is read or
is refused with a sentence.
"""

import contextlib
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolplanner_core.curation.edits.history_reading import list_history, next_steps
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.errors import ToolPlannerError, WorkspaceDamaged
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.prices import own_prices
from toolplanner_core.prompts.editing import workspace_prompts
from toolplanner_core.providers.provider import default_provider
from toolplanner_core.providers.routes import routes_of
from toolplanner_core.resources import resource_root
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.runs.config.presets import preset_names, read_preset, remembered_choice
from toolplanner_core.runs.debugging.saved_rules import RuleKind, saved_rules
from toolplanner_core.runs.demo.demo_workspace import make_examples
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid
from toolplanner_core.workspace.curated_tables import all_regions
from toolplanner_core.workspace.demonstrations import list_demonstrations
from toolplanner_core.workspace.memories import memory_versions, newest_memories
from toolplanner_core.workspace.proposals import load_items, open_proposals
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import list_toolkits

IS_LONG = os.environ.get("TOOLPLANNER_BENCH") == "1"
SHAPES = ("[]", "{}", "7", '"x"', "[[1]]", '{"a": {"b": []}}')


def json_columns() -> list[tuple[str, str]]:
    """Table and column, as the schema says it in its comments."""
    found: list[tuple[str, str]] = []
    for file in sorted((resource_root() / "schema").glob("*.sql")):
        table = ""
        for line in file.read_text("utf-8").splitlines():
            if begun := re.match(r"CREATE TABLE (\w+)", line):
                table = begun[1]
            if column := re.match(r"\s+(\w+) TEXT.*--\s+JSON", line):
                found.append((table, column[1]))
    return found


COLUMNS = [each for each in json_columns() if each != ("settings", "value")]
READERS: dict[str, Callable[[Workspace], Any]] = {
    "map": read_catalogue,
    "apis": lambda w: apis_by_rowid(w, [int(each) for each in all_rowids(w)]),
    "search": lambda w: HybridIndex(w).search("exchange rate", 5),
    "toolkits": list_toolkits,
    "regions": lambda w: all_regions(w.reader()),
    "runs": list_runs,
    "cases": list_cases,
    "demonstrations": list_demonstrations,
    "memories": memory_versions,
    "values of memories": lambda w: newest_memories(w, ""),
    "history": list_history,
    "next steps": next_steps,
    "proposals": lambda w: [load_items(w, each.id) for each in open_proposals(w)],
    "routes": routes_of,
    "provider": default_provider,
    "prices": own_prices,
    "prompts": workspace_prompts,
    "breakpoints": lambda w: [saved_rules(w, kind) for kind in RuleKind],
    "presets": lambda w: [read_preset(w, name) for name in preset_names(w)],
    "choice": remembered_choice,
    "a run": lambda w: load_tree(w, w.reader().execute("SELECT max(id) FROM runs").fetchone()[0]),
    "export": lambda w: [
        *export_jsonl(w, [w.reader().execute("SELECT max(id) FROM runs").fetchone()[0]])
    ],
}


@pytest.fixture(scope="module")
def filled(demo_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with an example run of each strategy, so that most columns hold something."""
    path = Path(shutil.copy(demo_file, tmp_path_factory.mktemp("filled") / "full.toolplanner"))
    with Workspace.open(path) as workspace:
        make_examples(workspace, progress=Progress())
        for read in READERS.values():
            read(workspace)
    return path


def dump(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as db:
        names = [n for (n,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [
            f"{name} {rows}"
            for name in names
            if not name.startswith(("sqlite_", "apis_fts", "run_fts", "runs_fts"))
            for rows in [sorted(map(repr, db.execute(f"SELECT * FROM {name}")))]
        ]


def read_all(path: Path) -> dict[str, str]:
    """What each reader said where it could not read."""
    said: dict[str, str] = {}
    with Workspace.open(path) as workspace:
        for name, read in READERS.items():
            try:
                read(workspace)
            except ToolPlannerError as error:
                said[name] = error.sentence
    return said


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_column_when_its_json_has_another_form_then_said_or_shown_and_nothing_lost(
    filled: Path, tmp_path: Path, table: str, column: str
) -> None:
    for number, shape in enumerate(SHAPES[:: 1 if IS_LONG else 2]):
        path = Path(shutil.copy(filled, tmp_path / f"{number}.toolplanner"))
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute(f"UPDATE {table} SET {column} = ?", [shape])
        before = dump(path)
        for sentence in read_all(path).values():
            assert sentence
        assert dump(path) == before
        path.unlink()


@pytest.mark.parametrize("shape", SHAPES)
def test_settings_when_each_has_another_form_then_said_or_as_if_not_set(
    filled: Path, tmp_path: Path, shape: str
) -> None:
    path = Path(shutil.copy(filled, tmp_path / "s.toolplanner"))
    names = ("presets", "last_chosen", "routes", "prices", "prompts", "breakpoints", "fault_plan")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executemany("INSERT OR IGNORE INTO settings VALUES(?, '1')", [(each,) for each in names])
        db.execute("UPDATE settings SET value = ?", [shape])
    was = settings_of(path)
    for sentence in read_all(path).values():
        assert sentence
    is_now = settings_of(path)
    # What regions were found for is worked out anew, whatever stands there.
    assert {key for key, value in was.items() if is_now[key] != value} <= {"regions_kept_at"}


def settings_of(path: Path) -> dict[str, str]:
    with contextlib.closing(sqlite3.connect(path)) as db:
        return dict(db.execute("SELECT key, value FROM settings"))


def test_parameters_when_they_are_a_list_then_the_workspace_is_called_damaged(
    filled: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(filled, tmp_path / "p.toolplanner"))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE apis SET parameters = '[]' WHERE rowid = 1")
        db.execute("UPDATE settings SET value = '[]' WHERE key = 'active_embedder'")
    with Workspace.open(path) as workspace:
        assert get_setting(workspace, "active_embedder") is None
        with pytest.raises(WorkspaceDamaged, match="another form than it should"):
            apis_by_rowid(workspace, [1])
        rest = [int(each) for each in all_rowids(workspace)][1:]
        assert len(apis_by_rowid(workspace, rest)) == len(rest)
