"""JSON lines: what goes out comes back the same, and what is broken stays out with a reason."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import toolplanner
from fixtures.recorded_runs import NAMES, record_run, stored_event, stored_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.importing.reading import RunImportReport, import_runs
from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import read_records
from toolplanner_core.workspace.runs import NewRun, add_runs, get_run

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LONG = st.builds(lambda text, n: text * n, TEXT, st.integers(1, 2000))
SCALAR = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | TEXT | LONG
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
KEYS = TEXT | st.sampled_from(["$blob", "$messages", "as", "size", "title", "messages", "raw"])
JSON = st.recursive(
    SCALAR | NUMBER,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)
BODIES = st.dictionaries(KEYS, JSON, max_size=5)
MESSAGE = st.fixed_dictionaries({"role": TEXT, "content": LONG})


@pytest.fixture(scope="module")
def two_workspaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Workspace]]:
    folder = tmp_path_factory.mktemp("jsonl")
    opened = [Workspace.create(folder / f"{name}.toolplanner") for name in "ab"]
    yield opened
    for workspace in opened:
        workspace.close()


def exported(workspace: Workspace, *runs: RunId) -> list[str]:
    return list(export_jsonl(workspace, runs))


def without_run(lines: list[str]) -> list[str]:
    """The lines without the only thing that differs between workspaces: the run's number."""
    return [re.sub(r'("format":"toolplanner-run","version":1,)"run":\d+,', r"\1", x) for x in lines]


def reimport(workspace: Workspace, lines: list[str]) -> RunImportReport:
    path = workspace.path.with_suffix(".jsonl")
    path.write_text("".join(lines), encoding="utf-8")
    return import_runs(workspace, path)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    bodies=st.lists(BODIES, max_size=4),
    conversation=st.lists(MESSAGE, max_size=3),
    answer=TEXT,
    options=st.dictionaries(TEXT.filter(lambda key: key != "imported"), SCALAR, max_size=3),
)
def test_round_trip_when_events_hold_anything_then_nothing_is_lost(
    two_workspaces: list[Workspace],
    bodies: list[dict[str, Any]],
    conversation: list[dict[str, str]],
    answer: str,
    options: dict[str, Any],
) -> None:
    here, there = two_workspaces
    events = [
        stored_event(seq, "of.a.newer.program", body, f"plan.{seq}", cause=seq)
        for seq, body in enumerate(bodies, start=1)
    ]
    events.append(stored_event(len(events) + 1, "also.new", {"messages": conversation}))
    run = NewRun(
        query="q", strategy="s", model="m", provider="p", status="solved", answer=answer,
        started_us=1, ended_us=2, app_version="0", options=options, events=events,
    )  # fmt: skip
    (stored,) = add_runs(here, [run])
    lines = exported(here, stored)
    assert [json.loads(line)["body"] for line in lines[1:-1]] == bodies
    assert json.loads(lines[-1])["body"] == {"messages": conversation}
    report = reimport(there, lines)
    assert report.rejected == []
    assert report.events == len(events)
    assert without_run(exported(there, *report.runs)) == without_run(lines)
    assert get_run(there, report.runs[0]).options["imported"]["from"] == "b.jsonl"


@pytest.mark.parametrize("failing", [[], NAMES[:3]])
def test_round_trip_when_a_real_run_is_copied_then_tree_and_list_are_the_same(
    two_workspaces: list[Workspace], failing: list[str]
) -> None:
    here, there = two_workspaces
    run = record_run(
        here,
        plans=[[("a", 1, []), ("b", 2, [1])], [("b", 3, [])]],
        failing=failing,
        query="Zürich \u2028 ? " * 300,
        replies={"kit2_0": {"text": "long " * 1000}},
    )
    lines = exported(here, run)
    report = reimport(there, lines)
    assert without_run(exported(there, *report.runs)) == without_run(lines)
    assert load_tree(there, report.runs[0]).nodes == load_tree(here, run).nodes
    ours = next(s for s in list_runs(here) if s.run == run)
    theirs = next(s for s in list_runs(there) if s.run == report.runs[0])
    assert (ours.answer, ours.fallbacks, ours.seconds) == (
        theirs.answer,
        theirs.fallbacks,
        theirs.seconds,
    )


def test_round_trip_when_a_text_is_half_a_surrogate_pair_then_survives(
    two_workspaces: list[Workspace],
) -> None:
    here, there = two_workspaces
    events = [stored_event(1, "new", {"text": "\ud800" * 2000})]
    (run,) = add_runs(here, [NewRun(
        query="q", strategy="s", model="m", provider="p", status="solved", answer="",
        started_us=1, ended_us=2, app_version="0", events=events,
    )])  # fmt: skip
    lines = exported(here, run)
    report = reimport(there, lines)
    assert without_run(exported(there, *report.runs)) == without_run(lines)


def test_export_when_a_run_is_a_fork_then_the_prefix_is_in_the_file(
    two_workspaces: list[Workspace],
) -> None:
    here, there = two_workspaces
    parent = record_run(here)
    (fork,) = add_runs(here, [stored_run()])
    own = stored_event(4, "note", Noted(text="from here on").to_body())._replace(run=fork)

    def make_fork(db: Any) -> None:
        db.conn.execute("DELETE FROM events WHERE run_id = ?", [fork])
        db.conn.execute("UPDATE runs SET parent_run = ?, fork_seq = 3 WHERE id = ?", [parent, fork])
        from toolplanner_core.workspace.run_log import append_events

        append_events(db, [own])

    here.writer.run(make_fork)
    lines = exported(here, fork)
    assert json.loads(lines[0])["fork"] == {"run": parent, "seq": 3}
    assert json.loads(lines[0])["events"] == 4
    assert lines[1:4] == exported(here, parent)[1:4]
    report = reimport(there, lines)
    assert get_run(there, report.runs[0]).parent_run is None
    assert len(read_records(there, report.runs[0])) == 4
    assert without_run(exported(there, *report.runs)) == without_run(lines)


def test_export_when_a_fork_has_no_events_of_its_own_then_ends_with_the_prefix(
    workspace: Workspace,
) -> None:
    parent = record_run(workspace)
    (fork,) = add_runs(workspace, [stored_run()])

    def make_fork(db: Any) -> None:
        db.conn.execute("DELETE FROM events WHERE run_id = ?", [fork])
        db.conn.execute("UPDATE runs SET parent_run = ?, fork_seq = 3 WHERE id = ?", [parent, fork])

    workspace.writer.run(make_fork)
    assert len(exported(workspace, fork)) == 4


def test_export_when_there_is_no_run_then_says_so(workspace: Workspace) -> None:
    with pytest.raises(NotFound, match="no run 5"):
        exported(workspace, RunId(5))


@pytest.fixture
def three_runs(workspace: Workspace) -> list[list[str]]:
    """Lines of three runs, each a header and its events."""
    return [exported(workspace, record_run(workspace, query=f"query {n}")) for n in range(3)]


def broken(lines: list[str], at: int, **fields: Any) -> list[str]:
    data = json.loads(lines[at])
    data |= fields
    return [*lines[:at], json.dumps(data) + "\n", *lines[at + 1 :]]


def break_body(lines: list[str], at: int, **fields: Any) -> list[str]:
    return broken(lines, at, body=json.loads(lines[at])["body"] | fields)


@pytest.mark.parametrize(
    ("how", "line", "why"),
    [
        (lambda x: [*x[:2], "{not json\n", *x[3:]], 3, "not valid JSON"),
        (lambda x: [*x[:2], "[1, 2]\n", *x[3:]], 3, "not a JSON object"),
        (lambda x: [*x[:2], '{"seq": NaN}\n', *x[3:]], 3, "NaN"),
        (lambda x: [*x[:2], "[" * 100_000 + "\n", *x[3:]], 3, "deep"),
        (lambda x: [*x[:2], '{"a":' * 300 + "1" + "}" * 300 + "\n", *x[3:]], 3, "200 levels"),
        (lambda x: [*x[:2], *x[3:]], 3, "event 2 was expected, not 3"),
        (lambda x: x[:-1], 1, "events, and the file"),
        (lambda x: broken(x, 0, version=2), 1, "version"),
        (lambda x: broken(x, 0, status="excellent"), 1, "status"),
        (lambda x: broken(x, 0, totals={"tokens": "many"}), 1, "totals.tokens"),
        (lambda x: broken(x, 1, actor="nobody"), 2, "actor"),
        (lambda x: broken(x, 1, wall_us=2**80), 2, "wall_us"),
        (lambda x: broken(x, 1, seq=True), 2, "seq"),
        (lambda x: broken(x, 1, type="\ud800"), 2, "surrogate"),
        (lambda x: broken(x, 1, path="a/b", parent="a/b"), 2, "parent"),
        (lambda x: broken(x, 1, path="/".join("a" * 300)), 2, "levels deep"),
        (lambda x: break_body(x, 1, query=7), 2, "run.started.query has the wrong type"),
        (lambda x: broken(x, 1, body={}), 2, "run.started has no query"),
        (lambda x: broken(x, 1, type="node.opened",
                          body={"kind": 7, "title": "", "data": {}}), 2, "wrong type"),
        (lambda x: broken(x, 1, type="node.opened",
                          body={"kind": "plan", "title": "", "data": {"steps": 7}}), 2, "tree"),
    ],
)  # fmt: skip
def test_import_when_a_line_is_broken_then_its_run_stays_out_and_the_others_come_in(
    tmp_path: Path, three_runs: list[list[str]], how: Any, line: int, why: str
) -> None:
    first, second, third = three_runs
    with Workspace.create(tmp_path / "other.toolplanner") as other:
        report = reimport(other, [*first, *how(second), *third])
        assert len(report.runs) == 2
        assert [s.query for s in list_runs(other)] == ["query 2", "query 0"]
        (rejected,) = report.rejected
        assert rejected.where == f"other.jsonl, line {len(first) + line}"
        assert why in rejected.why


def test_import_when_a_line_belongs_to_no_run_then_is_rejected(
    workspace: Workspace, three_runs: list[list[str]]
) -> None:
    bad_header = broken(three_runs[0], 0, query=None)
    report = reimport(workspace, [*three_runs[1], *bad_header])
    assert [why for _, why in report.rejected] == ["query is no text"]
    report = reimport(workspace, ["[]\n", *three_runs[1]])
    assert [why for _, why in report.rejected] == ["not a JSON object"]
    assert len(report.runs) == 1


@pytest.fixture(scope="module")
def one_run(two_workspaces: list[Workspace]) -> list[str]:
    """Lines of a run with failures, a fallback and a replan."""
    run = record_run(
        two_workspaces[0],
        plans=[[("a", 1, []), ("b", 2, [1])], [("b", 3, [])]],
        failing=[*NAMES[:1], *NAMES[3:6]],
    )
    return exported(two_workspaces[0], run)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_import_when_values_are_anything_then_what_came_in_can_be_opened(
    two_workspaces: list[Workspace], one_run: list[str], data: st.DataObject
) -> None:
    _, there = two_workspaces
    lines = list(one_run)
    at = data.draw(st.integers(0, len(lines) - 1))
    row = json.loads(lines[at])
    if at and row["body"] and data.draw(st.booleans()):
        row["body"][data.draw(st.sampled_from(sorted(row["body"])))] = data.draw(JSON)
    else:
        row[data.draw(st.sampled_from(sorted(row)))] = data.draw(JSON)
    lines[at] = json.dumps(row) + "\n"
    try:
        report = reimport(there, lines)
    except BadInput:
        return
    for run in report.runs:
        load_tree(there, run)
        assert exported(there, run)
    assert len(report.runs) + len(report.rejected) >= 1


@pytest.mark.parametrize("content", [b"", b"hello\n", b'{"a": 1}\n', b"\x1f\x8bnonsense", b"[]\n"])
def test_import_when_the_file_is_something_else_then_says_what_can_be_read(
    workspace: Workspace, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"ToolBench|cannot be read"):
        import_runs(workspace, path)
    assert list_runs(workspace) == []


def test_import_when_the_file_is_gzipped_then_reads_it(
    workspace: Workspace, three_runs: list[list[str]], tmp_path: Path
) -> None:
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress("".join(three_runs[0]).encode()))
    assert len(import_runs(workspace, path).runs) == 1


def test_command_when_exported_and_imported_then_is_the_same_run(tmp_path: Path) -> None:
    here, there, file = (tmp_path / name for name in ("a.toolplanner", "b.toolplanner", "r.jsonl"))
    with Workspace.create(here) as workspace:
        record_run(workspace, query="größer")
    Workspace.create(there).close()
    out = toolplanner("runs", "export", here, 1, PYTHONIOENCODING="utf-8").out
    written = toolplanner("runs", "export", here, 1, "--output", file, "--json").data
    assert written["bytes"] == file.stat().st_size
    assert file.read_text(encoding="utf-8") == out
    data = toolplanner("runs", "import", there, file, "--json").data
    assert data["runs"] == [1]
    assert data["rejected"] == []
    shown = toolplanner("runs", "show", there, 1, "--json", PYTHONIOENCODING="utf-8").data
    assert shown["query"] == "größer"
    file.write_text("{}\n")
    assert toolplanner("runs", "import", there, file).status == 2
