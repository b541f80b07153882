"""The ceiling of shortlists and the comparison of retrievers, over the demo's catalogue."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.spoken_command import speak

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.embedding.trained import trained_folder, write_record
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.experiments.ceiling import NEVER, shortlist_ceiling
from toolplanner_core.lab.experiments.retrievers import compare_retrievers
from toolplanner_core.lab.experiments.stand_ins import recorded_stand_ins
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.retrieval.toolkits import ToolkitIndex
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import StoredDocument, stored_documents
from toolplanner_core.workspace.recordings import Recording, store_recordings


@pytest.fixture
def world(demo: Path) -> Iterator[Workspace]:
    with Workspace.open(demo) as opened:
        yield opened


def documents_of(workspace: Workspace) -> list[StoredDocument]:
    """One API of each of four toolkits."""
    found: dict[int, StoredDocument] = {}
    for document in stored_documents(workspace):
        if document.toolkit is not None:
            found.setdefault(document.toolkit, document)
    return [*found.values()][:4]


def data_set_of(workspace: Workspace) -> DataSet:
    """Queries in the words of APIs: one API, two of them, one or the other, and what is missing."""
    a, b, c, d = documents_of(workspace)
    return DataSet(
        name="few",
        queries=(
            Query(id="one", text=a.text, gold=(frozenset({a.key}),)),
            Query(id="again", text=a.text, gold=(frozenset({a.key}),), cluster="one"),
            Query(id="both", text=a.text, gold=(frozenset({a.key, b.key}),)),
            Query(id="either", text=c.text, gold=(frozenset({d.key}), frozenset({c.key}))),
            Query(id="half", text=d.text, gold=(frozenset({d.key, "nobody/knows/it"}),)),
            Query(id="nowhere", text=d.text, gold=(frozenset({"nobody/knows/it"}),)),
            Query(id="open", text="Is it?"),
        ),
    )


def test_ceiling_when_counted_then_is_the_last_toolkit_that_is_needed(world: Workspace) -> None:
    found = shortlist_ceiling(world, data_set_of(world), sizes=(10_000, 1))
    a, b, *_ = documents_of(world)
    ranked = ToolkitIndex(world, HybridIndex(world)).rank_toolkits(a.text, 10_000)
    place = {scored.toolkit.id: at for at, scored in enumerate(ranked, start=1)}
    assert found.toolkits == len(ranked)
    assert found.ranks["both"] == max(place[a.toolkit], place[b.toolkit])
    assert found.ranks["one"] == found.ranks["again"] == place[a.toolkit]
    assert found.ranks["either"] == 1
    assert found.ranks["half"] == found.ranks["nowhere"] == NEVER
    assert [*found.complete] == [1, 10_000]
    whole = found.complete[10_000]
    assert (whole.value, whole.n, whole.clusters) == (4 / 6, 6, 5)
    assert found.missing == 2
    assert found.complete[1].value < whole.value


@pytest.mark.parametrize("sizes", [(), (0, 5)])
def test_ceiling_when_there_is_nothing_to_count_then_refuses(
    world: Workspace, sizes: tuple[int, ...]
) -> None:
    with pytest.raises(BadInput, match="sizes from 1 up"):
        shortlist_ceiling(world, data_set_of(world), sizes)
    with pytest.raises(BadInput, match="queries with gold"):
        shortlist_ceiling(world, DataSet(name="x", queries=(Query(id="1", text="?"),)))


def test_ceiling_when_nothing_is_grouped_then_says_so(workspace: Workspace) -> None:
    data_set = DataSet(name="x", queries=(Query(id="1", text="?", gold=(frozenset({"k"}),)),))
    with pytest.raises(BadInput, match="no toolkits"):
        shortlist_ceiling(workspace, data_set)


def test_retrievers_when_compared_then_each_has_figures_and_its_difference(
    world: Workspace,
) -> None:
    found = compare_retrievers(world, data_set_of(world), ["words", "lsa"], progress=Progress())
    assert (found.queries, found.left_out) == (5, 2)
    first, second = found.retrievers
    recall = first.figures["recall@50"]
    assert (recall.n, recall.clusters) == (5, 4)
    assert first.figures["complete@50"].value <= 4 / 5, "half of one query's gold is nowhere"
    assert first.figures["recall@5"].value <= recall.value <= 0.9
    assert first.differences == {}
    for name, difference in second.differences.items():
        expected = second.figures[name].value - first.figures[name].value
        assert difference.value == pytest.approx(expected)
        assert difference.low <= difference.value <= difference.high


def test_retriever_when_it_was_trained_on_the_queries_then_is_refused(world: Workspace) -> None:
    data_set = data_set_of(world)
    folder = trained_folder("own")
    folder.mkdir(parents=True)
    try:
        (folder / "document.onnx").write_bytes(b"weights")
        tools = [documents_of(world)[0].tool]
        for queries, has_new_tools, words in (
            ([data_set.queries[0].text], False, "trained:own was trained on 3 of the queries"),
            ([], True, "trained:own has learned about tools that 3 of the queries need"),
        ):
            write_record(folder, {"learned": {"queries": queries, "tools": tools}})
            with pytest.raises(BadInput, match=words):
                compare_retrievers(
                    world,
                    data_set,
                    ["words", "trained:own"],
                    has_new_tools=has_new_tools,
                    progress=Progress(),
                )
    finally:
        shutil.rmtree(folder)


def test_stand_ins_when_recorded_then_only_telling_answers_of_other_tools_make_pairs(
    world: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    tools: dict[str, StoredDocument] = {}
    for document in stored_documents(world):
        tools.setdefault(document.tool, document)
    a, b, c, d = [*tools.values()][:4]
    long = "the same words, long enough to prove something of both"

    def recorded(key: str, name: str, value: str, answer: str) -> Recording:
        return Recording(key, json.dumps({name: value}), name, json.dumps(answer), "", False)

    before = recorded_stand_ins(world)
    store_recordings(
        world,
        [
            recorded(a.key, "q1", "Oslo!", long),
            recorded(a.key, "q1", "Rome!", f"{long}, of Rome"),
            recorded(b.key, "place1", "oslo!", long),
            recorded(b.key, "place1", "Bonn!", f"{long}, of Bonn"),
            recorded(c.key, "q1", "Oslo!", long),  # says this to everybody
            recorded(c.key, "q1", "Bonn!", long),
            recorded(d.key, "q1", "Rome!", "ok"),
            recorded(d.key, "q1", "Oslo!", f"{long}, of Rome"),  # to another question
        ],
    )
    found = recorded_stand_ins(world)
    new = {*found.pairs} - {*before.pairs}
    is_inside = a.toolkit == b.toolkit and a.toolkit is not None
    assert new == {(*sorted((a.key, b.key)), 1, is_inside)}
    assert found.inside is not None
    assert found.inside.n == len(found.pairs)
    assert found.of_sets is not None
    assert found.of_sets.n == found.inside.clusters < found.inside.n + 1
    said = speak(capsys, "lab", "stand-ins", world.path).out
    assert "gave equal answers" in said
    rows = json.loads(speak(capsys, "lab", "stand-ins", world.path, "--json").out)
    assert len(rows["pairs"]) == len(found.pairs)


def test_commands_when_used_from_the_terminal_then_print_shares_with_intervals(
    demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "few.jsonl"
    with Workspace.open(demo) as workspace:
        write_data_set(data_set_of(workspace), file)
    made = speak(capsys, "lab", "ceiling", demo, file, "--sizes", "1,1000", "--json")
    assert made.status == 0, made.err
    found = json.loads(made.out)
    assert (found["queries"], found["missing"]) == (6, 2)
    assert found["complete"]["1000"]["low"] < 4 / 6 < found["complete"]["1000"]["high"]
    said = speak(capsys, "lab", "ceiling", demo, file).out
    assert "2 queries have gold that is in no toolkit" in said
    assert speak(capsys, "lab", "ceiling", demo, file, "--sizes", "few").status == 2
    flags = ["--embedder", "words", "--embedder", "lsa"]
    said = speak(capsys, "lab", "retrievers", demo, file, *flags).out
    assert "Differences to words" in said
    assert "n = 5 in 4 groups" in said
    rows = json.loads(speak(capsys, "lab", "retrievers", demo, file, *flags, "--json").out)
    assert [each["embedder"].partition("@")[0] for each in rows["retrievers"]] == ["words", "lsa"]
