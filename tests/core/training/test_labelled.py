"""Labelled queries: read over a catalogue, near-duplicates joined, split by tool, checked."""

import json
import random
from pathlib import Path

import pytest
from fixtures.small_catalogue import APIS, import_small_catalogue

from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.training.labelled import (
    NEAR,
    Document,
    LabelledQuery,
    LeakedTest,
    SplitQueries,
    check_split,
    deduplicate_queries,
    near_duplicates,
    query_words,
    read_labelled,
    similarity,
    split_by_tool,
    tools_of,
)
from toolplanner_core.training.training_set import hard_negatives
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names

DOCUMENTS = [
    Document(text=f"{tool} {n}", tools=frozenset({tool})) for tool in "abcdefgh" for n in range(3)
]


def query(text: str, *gold: int, source: str = "") -> LabelledQuery:
    return LabelledQuery(text=text, gold=gold, source=source)


def queries() -> list[LabelledQuery]:
    words = ["rain", "money", "parcel", "recipe", "stock", "clock", "zip", "ship"]
    return [
        query(f"{word} number{n} please tell", at * 3 + n) for at, word in enumerate(words)
        for n in range(3)
    ]  # fmt: skip


def test_labelled_when_read_then_queries_name_documents_and_unknown_ones_are_counted(
    workspace: Workspace, tmp_path: Path
) -> None:
    import_small_catalogue(workspace, tmp_path)
    keys = {each.title.rpartition(" ")[2]: each.key for each in api_names(workspace)}
    rows = [
        {"key": "mine", "tool": "Pump", "text": "Price of petrol"},
        {"query": "Will it rain in Oslo tomorrow?", "gold": [keys["get_forecast"], "gone"]},
        {"query": "What does petrol cost?", "gold": ["mine"]},
        {"query": "Sing me a song", "gold": ["gone"]},
    ]
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = read_labelled(workspace, [file], [("Convert ten euros", [keys["convert_currency"]])])
    assert found.unknown == 1
    texts = [[found.documents[at].text for at in q.gold] for q in found.queries]
    assert "Weather forecast" in texts[0][0]
    assert texts[1] == ["Price of petrol"]
    assert [q.source for q in found.queries] == ["own", "own", "runs"]
    assert len(found.documents) == len(APIS) + 1


def test_labelled_when_a_file_is_broken_then_says_which(
    workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text("[1]\n", encoding="utf-8")
    with pytest.raises(BadInput, match="must be a JSON object"):
        read_labelled(workspace, [file])
    with pytest.raises(BadInput, match="cannot be read"):
        read_labelled(workspace, [tmp_path / "none.jsonl"])


def test_near_duplicates_when_joined_then_the_first_takes_over_their_apis() -> None:
    kept = deduplicate_queries(
        [
            query("Show me the weather forecast for Oslo tomorrow morning", 1),
            query("show me the WEATHER forecast for Oslo, tomorrow morning!", 2),
            query("Show me recipes with tomatoes", 3),
        ]
    )
    assert [(q.gold) for q in kept] == [(1, 2), (3,)]


def test_near_duplicates_when_looked_for_then_none_is_missed_in_any_order_of_words() -> None:
    drawn = random.Random(7)
    known = [f"word{n}" for n in range(14)]
    texts = [" ".join(drawn.sample(known, drawn.randint(1, 12))) for _ in range(400)]
    words = [query_words(text) for text in texts]
    firsts: list[int] = []
    expected: list[int] = []
    for at in range(len(texts)):
        near = next((to for to in firsts if similarity(words[at], words[to]) >= NEAR), at)
        if near == at:
            firsts.append(at)
        expected.append(near)
    assert len(firsts) < len(texts)
    assert near_duplicates(texts) == expected


def test_split_when_made_then_no_tool_of_a_test_query_is_trained_on() -> None:
    for seed in range(20):
        split = split_by_tool(queries(), DOCUMENTS, seed=seed)
        trained = {t for q in (*split.train, *split.dev) for t in tools_of(q, DOCUMENTS)}
        assert split.test
        assert split.train
        assert not trained & {t for q in split.test for t in tools_of(q, DOCUMENTS)}
        assert len(split.train) + len(split.dev) + len(split.test) + split.left_out == 24


def test_split_when_sources_are_named_then_only_their_queries_are_tested() -> None:
    own = [query(f"own words {n} here", n, source="own") for n in range(12)]
    other = [query(f"other sayings {n} there", 12 + n, source="other") for n in range(12)]
    split = split_by_tool([*own, *other], DOCUMENTS, tested=["own"])
    assert {q.source for q in (*split.test, *split.dev)} == {"own"}
    assert len([q for q in split.train if q.source == "other"]) == 12


@pytest.mark.parametrize(
    "leak", [query("quite another thing", 1), query("Will it rain in Oslo tomorrow", 20)]
)
def test_check_when_a_tool_or_a_query_leaks_then_refuses(leak: LabelledQuery) -> None:
    test = [query("Will it rain in Oslo tomorrow", 0)]
    with pytest.raises(LeakedTest):
        check_split(SplitQueries(train=[leak], dev=[], test=test, left_out=0), DOCUMENTS)


def test_hard_negatives_when_looked_for_then_never_gold_and_never_of_a_held_tool(
    workspace: Workspace, tmp_path: Path
) -> None:
    import_small_catalogue(workspace, tmp_path)
    labelled = read_labelled(
        workspace, [], [("The weather forecast of a city", [api_names(workspace)[0].key])]
    )
    own = labelled.queries[0]
    held: list[str] = []
    [found] = hard_negatives(
        workspace, [own], labelled.documents, held_tools=held, seed=0, progress=Progress()
    )
    assert found
    assert not set(found) & set(own.gold)
    all_tools = {tool for document in labelled.documents for tool in document.tools}
    [none] = hard_negatives(
        workspace, [own], labelled.documents, held_tools=all_tools, seed=0, progress=Progress()
    )
    assert none == []
