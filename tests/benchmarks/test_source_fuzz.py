"""Every source is given what it cannot expect: no crash, no hang, no trace of what is refused.

60 inputs for each source of the registry, 10,000 with TOOLPLANNER_BENCH=1. An input is documents of
the format, cut, as YAML, as a table, as a damaged archive with hostile names, or any bytes.
"""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from fixtures.source_documents import DOCUMENTS, file_contents
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplanner_core.errors import UserError
from toolplanner_core.sources.import_report import ImportReport
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources
from toolplanner_core.workspace import Workspace

INPUTS = 10_000 if os.environ.get("TOOLPLANNER_BENCH") == "1" else 60
LONGEST = timedelta(seconds=10)
_TABLES = ("apis", "apis_fts", "tools", "sources", "import_staging", "changed_documentation")


def _rows(workspace: Workspace) -> tuple[int, ...]:
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in _TABLES)
    return tuple(workspace.reader().execute(f"SELECT {counts}").fetchone())


def test_sources_when_listed_then_each_has_documents_to_be_fuzzed_with() -> None:
    ours = {p.id for p in sources if _is_ours(p.read)}
    assert ours == DOCUMENTS.keys()


def _is_ours(read: object) -> bool:
    return getattr(read, "__module__", "").startswith("toolplanner_core.")


@pytest.mark.timeout(0)
@pytest.mark.parametrize("format_id", DOCUMENTS)
def test_source_when_given_anything_then_no_crash_no_hang_and_no_write_of_what_is_refused(
    format_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    taken, refused = [], []

    with Workspace.create(tmp_path / "w.toolplanner") as workspace:

        @settings(
            max_examples=INPUTS,
            deadline=LONGEST,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )
        @given(data=st.data())
        def feed(data: st.DataObject) -> None:
            location = Location.of_text(data.draw(file_contents(format_id)))
            before = _rows(workspace)
            try:
                report: ImportReport | None = import_source(
                    workspace, location, format_id=format_id
                )
            except UserError as error:
                assert error.sentence
                report = None
            if report is None or not (report.added or report.updated or report.unchanged):
                refused.append(1)
                assert _rows(workspace) == before
            else:
                taken.append(1)

        feed()
        assert workspace.reader().execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    print(f"{format_id}: {len(taken):,} inputs brought something, {len(refused):,} nothing")
    assert refused
