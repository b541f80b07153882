"""What measured figures are about: words alone beside vectors, and sets that were not learned."""

import json
from pathlib import Path

from benchmarks.retriever_sets import Learned, unseen
from fixtures.query_sets import Question
from fixtures.small_catalogue import APIS, import_small_catalogue

from toolplanner_core.embedding.embed import embed
from toolplanner_core.embedding.trained import TrainedModel
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.training.labelled import query_words
from toolplanner_core.training.search_metrics import (
    measure_embedders,
    measured_row,
    store_metrics,
    stored_metrics,
)
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names

LEARNED = Learned(
    [query_words("Will it rain in Oslo tomorrow or the day after")], frozenset({"weather"})
)
TOOL_OF = {"forecast": "weather", "rates": "money"}


def test_measured_when_words_say_nothing_then_bm25_alone_finds_less(
    workspace: Workspace, tmp_path: Path
) -> None:
    import_small_catalogue(workspace, tmp_path)
    last = max(api_names(workspace), key=lambda each: "zip_lookup" in each.key)
    asked = [
        ("City and coordinates of a zip code", frozenset({last.key})),
        ("postal district", frozenset({last.key})),
    ]
    [measured] = measure_embedders(workspace, ["words"], asked, progress=Progress())
    assert measured.words["recall@5"].mean == 0.5
    assert measured.dense["recall@5"].mean == measured.hybrid["recall@5"].mean == 1


def test_measured_when_currencies_are_named_by_codes_then_ranks_are_those_of_a_search(
    workspace: Workspace, tmp_path: Path
) -> None:
    import_small_catalogue(workspace, tmp_path)
    embed(workspace, "words", progress=Progress())
    text = "200 USD to EUR by zip code"
    found = [each.api.key for each in HybridIndex(workspace).search(text, len(APIS))]
    asked = [(text, frozenset({key})) for key in found]
    [measured] = measure_embedders(workspace, ["words"], asked, progress=Progress())
    assert measured.ranks == [[rank] for rank in range(1, len(APIS) + 1)]


def test_figures_when_kept_and_read_then_the_same_and_old_ones_without_words(
    workspace: Workspace, tmp_path: Path
) -> None:
    import_small_catalogue(workspace, tmp_path)
    key = api_names(workspace)[0].key
    [before] = measure_embedders(
        workspace, ["words"], [("rain", frozenset({key}))], progress=Progress()
    )
    name = "trained:mine@1a2b3c4d"
    rows = [measured_row(before), {**measured_row(before), "embedder": name}]
    record = {
        "hashes": {"document.onnx": "1a2b3c4d5e"},
        "figures": {str(at): row for at, row in enumerate(rows)},
    }
    found = stored_metrics(TrainedModel(name="mine", folder=tmp_path, record=record))
    assert found is not None
    assert found[0].words == before.words
    assert found[1].hybrid == before.hybrid
    for row in rows:
        del row["words"]
    old = stored_metrics(TrainedModel(name="mine", folder=tmp_path, record=record))
    assert old is not None
    assert old[0].words == {}
    store_metrics(TrainedModel(name="mine", folder=tmp_path, record=record), [before])
    written = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert f"{before.embedder} over {before.apis} APIs" in written["figures"]


def test_unseen_when_near_or_of_a_learned_tool_then_left_out() -> None:
    near = Question("Will it rain in Oslo tomorrow, or the day after?", frozenset({"rates"}))
    same_tool = Question("Does one need an umbrella", frozenset({"forecast", "rates"}))
    strange = Question("How many crowns is an euro", frozenset({"rates"}))
    assert unseen([near, same_tool, strange], LEARNED, TOOL_OF) == ([same_tool, strange], [strange])
