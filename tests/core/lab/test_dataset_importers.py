"""Every format of data sets: what its rows become, what is wrong with them, real files."""

import asyncio
import csv
import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.domain.lab import DataSet, GoldCall, Query, Solvable
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.lab.datasets.checking import GoldNames, check_data_set, with_catalogue_keys
from toolplanner_core.lab.datasets.importing import import_data_set
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases, save_cases
from toolplanner_core.workspace.runs import put_mark, read_mark

TOOLBENCH = {
    "source": "stabletoolbench",
    "split": "G1",
    "id": "28",
    "query": "Where is it?",
    "candidates": ["L/s/a", "L/s/b"],
    "gold": ["L/s/a"],
}
APIBENCH = {
    "query": "Depth of a picture?",
    "gold_api_call": "torch.hub.load('midas')",
    "gold_api_name": "intel/MiDaS",
    "domain": "Vision",
    "provider": "PyTorch",
}
CALLS = [{"role": "User", "text": "Meet Ada."}, {"role": "AI", "text": "When?"},
         {"role": "User", "text": "At two."},
         {"role": "API", "api_name": "GetUserToken", "param_dict": {}},
         {"role": "API", "api_name": "AddMeeting", "param_dict": {"at": "14:00"}},
         {"role": "User", "text": "Thanks."}]  # fmt: skip


def written(folder: Path, rows: list[Any], name: str = "few.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("row", "format_id", "made"),
    [
        (
            TOOLBENCH,
            "toolbench-queries",
            Query(
                id="stabletoolbench/G1/28",
                text="Where is it?",
                gold=(frozenset({"L/s/a"}),),
                solvable=Solvable.YES,
                split="G1",
                source="stabletoolbench",
                candidates=("L/s/a", "L/s/b"),
            ),
        ),
        (
            APIBENCH,
            "apibench",
            Query(
                id="PyTorch/intel/MiDaS",
                text="Depth of a picture?",
                gold=(frozenset({"Vision/PyTorch/intel_MiDaS"}),),
                path=(
                    GoldCall(
                        api="Vision/PyTorch/intel_MiDaS",
                        arguments={"call": "torch.hub.load('midas')"},
                    ),
                ),
                solvable=Solvable.YES,
                split="PyTorch",
            ),
        ),
        (
            {"query": "Who led?", "solution": [["GET_a", 2], ["GET_b", 1]], "dataset": "tmdb",
             "api_list": [{"api_name": "GET_a"}, {"api_name": "GET_b"}], "qid": 7},
            "restbench",
            Query(
                id="tmdb/7",
                text="Who led?",
                gold=(frozenset({"GET_a", "GET_b"}),),
                path=(GoldCall(api="GET_a"), GoldCall(api="GET_a"), GoldCall(api="GET_b")),
                solvable=Solvable.YES,
                split="tmdb",
                candidates=("GET_a", "GET_b"),
            ),
        ),
        (
            {"id": "dev-easy-0", "query": "How many?", "calling": [
                {"api": "count", "parameters": {"of": "API_call_0"}, "responses": []}]},
            "seal-tools",
            Query(
                id="dev-easy-0",
                text="How many?",
                gold=(frozenset({"count"}),),
                path=(GoldCall(api="count", arguments={"of": "API_call_0"}),),
                solvable=Solvable.YES,
                split="dev-easy",
            ),
        ),
        (
            {"level": "level-1", "id": "Add", "turns": CALLS},
            "api-bank",
            Query(
                id="level-1/Add",
                text="Meet Ada.\nAt two.",
                gold=(frozenset({"AddMeeting"}),),
                path=(GoldCall(api="AddMeeting", arguments={"at": "14:00"}),),
                solvable=Solvable.YES,
                split="level-1",
            ),
        ),
        (
            {"Question": "Is it?", "tools": "a; b", "solvable": False},
            "table",
            Query(
                id="Is it?", text="Is it?", gold=(frozenset({"a", "b"}),), solvable=Solvable.NO
            ),
        ),
    ],
)  # fmt: skip
def test_file_when_its_format_is_found_then_its_row_is_this_query(
    tmp_path: Path, row: dict[str, Any], format_id: str, made: Query
) -> None:
    found = import_data_set(written(tmp_path, [row, {"query": 7}]), name="few")
    assert found.format == format_id
    assert [*found.data_set] == [made]
    assert (found.rows, [each.where for each in found.rejected]) == (2, ["few.jsonl line 2"])


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (TOOLBENCH | {"gold": "L/s/a"}, "'gold' is no list"),
        (TOOLBENCH | {"query": " "}, "no text under 'query'"),
        (APIBENCH | {"domain": None}, "no text under 'domain'"),
        ({"query": "?", "solution": []}, "solution is empty"),
        ({"query": "?", "solution": [["a", 0]]}, "solution is no list"),
        ({"query": "?", "solution": ["a"], "api_list": [1]}, "'api_list' is no list"),
        ({"id": "1", "query": "?", "calling": []}, "no list of calls"),
        ({"id": "1", "query": "?", "calling": [{"api": "a", "parameters": 1}]}, "one of its calls"),
        ({"id": "1", "turns": [1]}, "no list of turns"),
        ({"id": "1", "turns": CALLS[3:]}, "before the first call"),
        ({"question": "?", "gold": "[1"}, "no JSON list"),
        ({"question": "?", "gold": [1]}, "no list of keys"),
    ],
)
def test_row_when_it_cannot_be_used_then_is_named_with_the_reason(
    tmp_path: Path, row: dict[str, Any], why: str
) -> None:
    with pytest.raises(BadInput, match=r"few.jsonl.*: ") as caught:
        import_data_set(written(tmp_path, [row]), name="few")
    assert why in caught.value.why


def test_training_question_when_it_holds_its_answer_then_only_what_is_asked_is_taken(
    tmp_path: Path,
) -> None:
    asked = "{'Instruction': \"Depth, please.\", 'Output': {'api_call': 'midas'}}"
    found = import_data_set(written(tmp_path, [APIBENCH | {"query": asked}]), name="few")
    assert [query.text for query in found.data_set] == ["Depth, please."]


def test_table_when_columns_are_named_then_these_are_read(tmp_path: Path) -> None:
    path = tmp_path / "asked.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["Q", "Query", "K"], ["Is it?", "x", '["a"]'], ["", "y", "b"]])
    options = {"query": "Q", "gold": "K"}
    found = import_data_set(path, name="few", format_id="table", options=options)
    assert [(q.text, q.gold) for q in found.data_set] == [("Is it?", (frozenset({"a"}),))]
    assert len(found.rejected) == 1
    with pytest.raises(BadInput, match="no column 'No'"):
        import_data_set(path, name="few", format_id="table", options={"query": "No"})


def test_metatool_when_read_then_rows_of_one_tool_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "few.csv.gz"
    path.write_bytes(gzip.compress(b"Query,Tool\nWhat is it?,Find\nWhere is it now?,Find\n"))
    found = import_data_set(path, name="few")
    assert found.format == "metatool"
    assert [query.id for query in found.data_set] == ["Find", "Find-2"]


def test_ids_when_one_looks_like_the_second_of_another_then_all_stay_apart(tmp_path: Path) -> None:
    rows = [{"id": name, "question": f"{name} {at}?"} for at, name in enumerate(["a", "a-2", "a"])]
    names = [query.id for query in import_data_set(written(tmp_path, rows), name="few").data_set]
    assert names == ["a", "a-2", "a-3"]


def test_repeats_when_imported_then_grouped_and_when_asked_merged(tmp_path: Path) -> None:
    text = "Which hotels in Oslo have a free room with breakfast for two people tonight?"
    rows = [
        {"id": 1, "question": text, "gold": "a"},
        {"id": 2, "question": text.upper(), "gold": "b"},
        {"id": 3, "question": text.replace("tonight", "tonight now"), "gold": "a"},
        {"id": 4, "question": "How deep is the sea?", "gold": "c"},
    ]
    kept = import_data_set(written(tmp_path, rows), name="few").data_set
    assert [query.cluster for query in kept] == ["1", "1", "1", ""]
    check = check_data_set(kept)
    assert (check.repeats, check.near, check.groups, check.missing_gold) == (1, 1, 2, None)
    merged = import_data_set(tmp_path / "few.jsonl", name="few", merge_repeats=True)
    assert merged.merged == 1
    assert [q.gold for q in merged.data_set][:1] == [(frozenset({"a"}), frozenset({"b"}))]


def test_own_format_when_imported_then_nothing_of_it_changes(tmp_path: Path) -> None:
    queries = (
        Query(id="1", text="Is it?", cluster="mine", expected=Expectation(max_replans=1)),
        Query(id="2", text="Is it?", cluster="other"),
    )
    made = DataSet(name="few", queries=queries)
    write_data_set(made, tmp_path / "few.jsonl")
    found = import_data_set(tmp_path / "few.jsonl", name="few")
    assert found.format == "own-format"
    assert found.data_set.version == made.version


def test_unsolvable_when_a_list_is_laid_over_then_it_wins(tmp_path: Path) -> None:
    path = written(tmp_path, [TOOLBENCH, TOOLBENCH | {"id": "29", "query": "Who is it?"}])
    ids = tmp_path / "ids.json"
    ids.write_text("[28]", encoding="utf-8")
    options: dict[str, Any] = {"unsolvable": str(ids)}
    found = import_data_set(path, name="few", options=options)
    assert [query.solvable for query in found.data_set] == [Solvable.NO, Solvable.YES]
    dropped = import_data_set(path, name="few", options=options | {"drop_unsolvable": True})
    assert [query.id for query in dropped.data_set] == ["stabletoolbench/G1/29"]
    ids.write_text("{}", encoding="utf-8")
    with pytest.raises(BadInput, match="no JSON list of numbers"):
        import_data_set(path, name="few", options=options)


@pytest.mark.parametrize(
    ("content", "why"), [('{"a": 1}', "No format of data sets fits"), ("", "The file is empty")]
)
def test_file_when_no_format_fits_then_is_refused(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=why):
        import_data_set(path, name="odd")
    with pytest.raises(NotFound, match="no format of data sets called 'odd'"):
        import_data_set(path, name="odd", format_id="odd")


def test_workspace_when_imported_then_its_cases_and_its_starred_runs_are_queries(
    demo: Path,
) -> None:
    path = demo
    spec = RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo")
    with Workspace.open(path) as workspace:
        summary = asyncio.run(run(workspace, spec))
        asyncio.run(run(workspace, dataclasses.replace(spec, query="Not starred")))
        mark = read_mark(workspace, summary.run)
        put_mark(workspace, dataclasses.replace(mark, is_starred=True))
        case = Case(id="x", title="X", query="Is it?", expected=Expectation(status="unsolved"))
        save_cases(workspace, [case])
        cases = list_cases(workspace)
    with pytest.raises(BadInput, match="one of: cases, runs"):
        import_data_set(path, name="demo")
    found = import_data_set(path, name="demo", format_id="cases").data_set
    assert [query.id for query in found] == [each.id for each in cases]
    assert [query.expected for query in found] == [each.expected for each in cases]
    assert next(query for query in found if query.id == "x").solvable is Solvable.NO
    [starred] = import_data_set(path, name="demo", format_id="runs").data_set
    assert (starred.text, starred.solvable) == (spec.query, Solvable.YES)
    with Workspace.open(path) as workspace:
        check = check_data_set(DataSet(name="demo", queries=(starred,)), workspace)
    assert (check.with_gold, check.with_path, check.missing_gold) == (1, 1, 0)
    with pytest.raises(BadInput, match="does not read this"):
        import_data_set(path, name="demo", format_id="table")


def test_gold_when_a_name_is_no_key_then_the_one_api_that_is_called_so_is_meant(
    workspace: Workspace, tmp_path: Path
) -> None:
    tools = [{"name": name, "description": f"Does {name}."} for name in ("GET_a-b", "other")]
    file = tmp_path / "functions.json"
    file.write_text(json.dumps(tools), encoding="utf-8")
    import_source(workspace, file)
    twice = tmp_path / "twice.json"
    twice.write_text(json.dumps([{"name": "other", "description": "As well."}]), encoding="utf-8")
    import_source(workspace, twice, source_name="second")
    names = GoldNames(workspace)
    [key] = names.keys_of("GET /a/{b}")
    assert key.endswith("GET_a-b")
    queries = (
        Query(id="1", text="?", gold=(frozenset({"GET /a/{b}"}),)),
        Query(id="2", text="?", gold=(frozenset({"nobody"}), frozenset({key}))),
        Query(id="3", text="?", gold=(frozenset({"nobody", key}),)),
    )
    data_set = DataSet(name="few", queries=queries)
    check = check_data_set(data_set, workspace)
    assert (check.missing_gold, check.unknown) == (1, ("nobody",))
    keyed = with_catalogue_keys(data_set, workspace)
    assert keyed.queries[0].gold == (frozenset({key}),)
    assert keyed.queries[2].gold == queries[2].gold


REAL = {
    "toolbench/queries.jsonl.gz": ("toolbench-queries", 1_074, 185, 888),
    "apibench/queries_huggingface_eval.jsonl.gz": ("apibench", 911, 0, 911),
    "apibench/queries_torchhub_train.jsonl.gz": ("apibench", 837, 0, 837),
    "restbench/tmdb_queries.json": ("restbench", 100, 0, 96),
    "autotools/tmdb_eval.json": ("restbench", 100, 0, 96),
    "autotools/autotool_eval.json.gz": ("restbench", 80, 0, 80),
    "sealtools/dev.jsonl.gz": ("seal-tools", 700, 0, 700),
    "apibank/dialogues.jsonl.gz": ("api-bank", 260, 1, 240),
    "metatool/single_tool_queries.csv.gz": ("metatool", 20_614, 72, 20_320),
}
"""Format, rows, word-for-word repeats and independent groups."""


@pytest.mark.parametrize("file", REAL)
def test_real_file_when_imported_then_no_row_is_lost_and_repeats_are_found(
    shared_data: Path, file: str
) -> None:
    found = import_data_set(shared_data / file, name="real")
    assert found.rejected == []
    check = check_data_set(found.data_set)
    assert (found.format, found.rows, check.repeats, check.groups) == REAL[file]
    assert check.with_gold == check.queries
