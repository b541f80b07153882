"""Vectors: stored once per text, loaded in the order asked for."""

import numpy as np
import pytest
from sqlite_utils import Database

from toolplanner_core.errors import NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import (
    EmbedderState,
    embedder_state,
    load_vectors,
    put_embedder_state,
    store_vectors,
    stored_embedders,
    texts_of_catalogue,
    texts_without_vector,
)

STATE = EmbedderState(id="test", kind="test", dim=3, state=b"fitted")


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    def work(db: Database) -> None:
        db.execute("INSERT INTO sources VALUES(1, 's', 'f', 'l', 0)")
        db.execute("INSERT INTO tools VALUES(1, 1, 'c', 'k', 't', '')")
        for rowid, text in enumerate(["b", "a", "b", "c"], start=1):
            db.execute(
                "INSERT INTO apis VALUES(?, ?, 1, 'k', 'n', 'GET', '', '', '{}', NULL, 'read', '',"
                " ?, 'rule', ?, 0, 0, NULL)",
                [rowid, str(rowid), f"text {text}", text],
            )

    workspace.writer.run(work)
    put_embedder_state(workspace, STATE)
    return workspace


def test_texts_when_some_apis_share_one_then_each_is_listed_once_in_catalogue_order(
    filled: Workspace,
) -> None:
    assert [text.text_hash for text in texts_of_catalogue(filled)] == ["b", "a", "c"]


def test_vectors_when_loaded_then_follow_the_order_asked_for_and_missing_are_zero(
    filled: Workspace,
) -> None:
    store_vectors(filled, "test", ["a", "b"], np.eye(3, dtype=np.float32)[:2])
    loaded = load_vectors(filled, "test", [3, 4, 2, 1, 3, 99])
    assert loaded.vectors.dtype == np.float32
    assert loaded.vectors.tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]] + [[0, 1, 0]] * 2 + [
        [0, 0, 0]
    ]
    assert loaded.missing.tolist() == [1, 5]
    assert [text.text for text in texts_without_vector(filled, "test")] == ["text c"]


def test_vectors_when_stored_again_then_the_new_ones_count(filled: Workspace) -> None:
    store_vectors(filled, "test", ["a"], np.eye(3, dtype=np.float32)[:1])
    store_vectors(filled, "test", ["a"], np.eye(3, dtype=np.float32)[2:])
    assert load_vectors(filled, "test", [2]).vectors.tolist() == [[0, 0, 1]]


def test_embedder_when_stored_then_is_read_back_and_never_overwritten(filled: Workspace) -> None:
    put_embedder_state(filled, EmbedderState(id="test", kind="other", dim=9, state=None))
    assert embedder_state(filled, "test") == STATE
    assert stored_embedders(filled) == [STATE]


def test_embedder_when_unknown_then_says_what_to_do(filled: Workspace) -> None:
    with pytest.raises(NotFound, match="no vectors of the embedder"):
        load_vectors(filled, "nothing", [1])
