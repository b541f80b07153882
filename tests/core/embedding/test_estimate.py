"""How long an embedder will take: by its usual speed, this machine's, or what it took here."""

import json

import pytest
from fixtures.catalogues import add_apis, made_up_apis
from fixtures.command_line import command_here

from toolplanner_core.embedding.embed import embed, remember_speed, seconds_to_embed
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    add_apis(workspace, made_up_apis())
    return workspace


def usual(kind: str) -> int:
    return embedders.get(kind).texts_per_s


def test_estimate_when_nothing_was_measured_then_by_the_usual_speed(filled: Workspace) -> None:
    assert seconds_to_embed(filled, "minilm") == pytest.approx(24 / usual("minilm"))
    assert seconds_to_embed(filled, "words") < seconds_to_embed(filled, "minilm")


def test_estimate_when_another_was_slow_here_then_is_as_much_longer(filled: Workspace) -> None:
    before = seconds_to_embed(filled, "minilm")
    remember_speed(filled, "words", usual("words") * 5, 10.0)  # half as fast as usual
    assert seconds_to_embed(filled, "minilm") == pytest.approx(2 * before)
    remember_speed(filled, "minilm", usual("minilm") * 12, 3.0)  # four times as fast as usual
    assert seconds_to_embed(filled, "minilm") == pytest.approx(before / 4)


def test_estimate_when_all_is_encoded_then_nothing_is_left(filled: Workspace) -> None:
    embed(filled, "words", progress=Progress())
    assert seconds_to_embed(filled, "words") == 0


def test_estimate_command_when_asked_then_names_every_embedder(filled: Workspace) -> None:
    found = command_here("embedders", "estimate", filled.path, "--json")
    assert found.status == 0, found.err
    rows = {row["id"]: row["seconds"] for row in json.loads(found.out)}
    assert rows.keys() == {plugin.id for plugin in embedders}
