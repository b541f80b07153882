"""An order learned for one catalogue: what it gains, where it is kept, how it is given up."""

import json
from pathlib import Path

import pytest
from fixtures.catalogues import add_apis
from fixtures.query_sets import made_api

from toolplanner_core.cli.app import run_command_line
from toolplanner_core.embedding.embed import embed
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.retrieval.reranking import (
    FEATURES,
    default_weights,
    remove_weights,
    save_weights,
    workspace_weights,
)
from toolplanner_core.training.reranker_training import FEWEST, learn_and_save_order, learn_order
from toolplanner_core.training.search_metrics import measure_embedders
from toolplanner_core.training.train import TrainingRequest, order_beside
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import set_setting

THINGS = (
    *("weather", "recipes", "stocks", "movies", "hotels", "flights", "lyrics", "football"),
    *("horoscope", "jokes", "poems", "books", "taxes", "rivers", "planets", "castles"),
    *("trains", "museums", "coins", "stamps", "dogs", "cats", "cars", "wines"),
)
TOLD = ("Show me {}", "I would like some {} please")
LONG = "_full_annual_archive_report"


def queries() -> list[tuple[str, frozenset[str]]]:
    """People here always mean the API with the long name, which no public set can know."""
    return [(told.format(thing), frozenset({thing + LONG})) for thing in THINGS for told in TOLD]


def asked_file(folder: Path) -> Path:
    """The queries as people bring them."""
    file = folder / "asked.jsonl"
    rows = [{"query": text, "gold": sorted(gold)} for text, gold in queries()]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


@pytest.fixture
def catalogue(workspace: Workspace) -> Workspace:
    """Two APIs of each thing: one that is just called so, one with a long name."""
    add_apis(
        workspace,
        [
            made_api(f"{thing}{end}", f"Everything about {thing}.", tool=thing)
            for thing in THINGS
            for end in ("", LONG)
        ],
    )
    embed(workspace, "words", progress=Progress())
    return workspace


def first_key(workspace: Workspace, text: str) -> str:
    return HybridIndex(workspace).search(text, 1)[0].api.key


def test_order_when_learned_and_kept_then_searches_and_figures_have_it_until_forgotten(
    catalogue: Workspace,
) -> None:
    learned = learn_order(catalogue, queries(), progress=Progress())
    assert learned.queries == len(THINGS) * len(TOLD)
    assert learned.before["ndcg@5"].mean < 0.7
    assert learned.after["ndcg@5"].mean > 0.99
    assert workspace_weights(catalogue) is None, "learning stores nothing"
    assert first_key(catalogue, "Show me castles") == "castles"
    save_weights(catalogue, learned.weights)
    assert first_key(catalogue, "Show me castles") == "castles" + LONG
    [measured] = measure_embedders(catalogue, ["words"], queries()[:4], progress=Progress())
    assert measured.ranks == [[1]] * 4
    assert measured.usual_ranks == [[2]] * 4, "what it gains stands beside it"
    assert measured.usual["recall@5"].mean == 1
    remove_weights(catalogue)
    [measured] = measure_embedders(catalogue, ["words"], queries()[:4], progress=Progress())
    assert (measured.ranks, measured.usual_ranks) == ([[2]] * 4, [])
    assert first_key(catalogue, "Show me castles") == "castles"


def test_order_when_there_are_too_few_queries_or_no_vectors_then_says_what_to_bring(
    catalogue: Workspace,
) -> None:
    with pytest.raises(BadInput, match=f"Only {FEWEST - 1} queries"):
        learn_order(catalogue, queries()[: FEWEST - 1], progress=Progress())
    strange = [(text, frozenset({"gone"})) for text, _ in queries()]
    with pytest.raises(BadInput, match="Only 0 queries"):
        learn_order(catalogue, strange, progress=Progress())


@pytest.mark.parametrize(
    "damaged",
    [
        [1.0] * len(FEATURES),
        dict.fromkeys(FEATURES[1:], 1.0),
        dict.fromkeys(FEATURES, "1"),
        {name: float("inf") for name in FEATURES},
        None,
    ],
)
def test_order_when_a_workspace_brings_anything_else_then_the_usual_one_counts(
    catalogue: Workspace, damaged: object
) -> None:
    usual = dict(zip(FEATURES, default_weights().tolist(), strict=True))
    save_weights(catalogue, usual)
    assert workspace_weights(catalogue) is not None
    set_setting(catalogue, "search_order", damaged)
    assert workspace_weights(catalogue) is None
    assert first_key(catalogue, "Show me castles") == "castles"


def test_order_when_a_retriever_keeps_queries_for_its_tests_then_they_are_not_learned_from(
    catalogue: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(tmp_path / "models"))
    folder = tmp_path / "models" / "trained" / "mine"
    folder.mkdir(parents=True)
    test = [{"query": text, "gold": sorted(gold)} for text, gold in queries()[:5]]
    record = {"hashes": {"document.onnx": "1a2b3c4d5e"}, "test": test}
    (folder / "record.json").write_text(json.dumps(record), encoding="utf-8")
    file = asked_file(tmp_path)
    learned = learn_and_save_order(catalogue, [file], has_runs=False, progress=Progress())
    assert learned.queries == len(queries()) - len(test)


def test_order_when_a_retriever_is_trained_then_learned_beside_it_unless_unwanted(
    catalogue: Workspace, tmp_path: Path
) -> None:
    file = asked_file(tmp_path)
    unwanted = TrainingRequest(name="mine", files=[file], has_runs=False, has_order=False)
    assert order_beside(catalogue, unwanted, progress=Progress()) is None
    wanted = TrainingRequest(name="mine", files=[file], has_runs=False)
    learned = order_beside(catalogue, wanted, progress=Progress())
    assert learned is not None and learned.is_better
    assert workspace_weights(catalogue) is not None
    remove_weights(catalogue)
    file.write_text(file.read_text("utf-8").partition("\n")[0], encoding="utf-8")
    assert order_beside(catalogue, wanted, progress=Progress()) is None, "too few queries"
    assert workspace_weights(catalogue) is None


def test_command_when_an_order_gains_then_kept_and_forgotten_on_demand(
    catalogue: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, place = asked_file(tmp_path), str(catalogue.path)
    assert run_command_line(["train", "order", place, "--queries", str(file)]) == 0
    assert "Kept." in capsys.readouterr().out
    assert workspace_weights(catalogue) is not None
    assert run_command_line(["train", "order", place, "--forget"]) == 0
    assert workspace_weights(catalogue) is None
    usual = [
        {"query": text, "gold": [key.removesuffix(LONG) for key in gold]}
        for text, gold in queries()
    ]
    file.write_text("\n".join(map(json.dumps, usual)), encoding="utf-8")
    assert run_command_line(["train", "order", place, "--queries", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out.partition("\n")[2])
    assert said["kept"] is False
    assert workspace_weights(catalogue) is None
