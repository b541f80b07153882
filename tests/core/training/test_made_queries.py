"""Queries made of the catalogue's own words: about one tool each, learned and never tested on."""

import json
from pathlib import Path

import pytest
from fixtures.catalogues import add_apis
from fixtures.query_sets import made_api

from toolplanner_core.training.labelled import MADE, read_labelled, split_by_tool, synthetic_queries
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import StoredDocument, stored_documents

TOOLS = ("sky", "bank", "post", "kitchen", "exchange", "clock", "harbour", "garage")


def fill(workspace: Workspace) -> list[StoredDocument]:
    """Eight tools with three APIs each."""
    apis = [
        made_api(f"{tool}{n}", f"Returns part {n} of the {tool}. For everybody.", tool=tool)
        for tool in TOOLS
        for n in range(3)
    ]
    add_apis(workspace, apis)
    return stored_documents(workspace)


def document(text: str, *, key: str, tool: str = "test/Open_data/kit") -> StoredDocument:
    return StoredDocument(rowid=1, key=key, tool=tool, text=text, toolkit=None)


def test_queries_when_made_then_each_asks_for_apis_of_one_tool_in_their_own_words(
    workspace: Workspace,
) -> None:
    stored = fill(workspace)
    tool_of = {each.key: each.tool for each in stored}
    made = synthetic_queries(stored, 1000, seed=1)
    assert (
        made == synthetic_queries(stored, 1000, seed=1) != synthetic_queries(stored, 1000, seed=2)
    )
    assert len(made) == len(TOOLS)
    assert len(synthetic_queries(stored, 2, seed=1)) == 2
    asked_of = [{tool_of[key] for key in keys} for _, keys in made]
    assert all(len(each) == 1 for each in asked_of)
    assert len({min(each) for each in asked_of}) == len(made), "no tool is asked for twice"
    assert all("{" not in text and text.strip() == text for text, _ in made)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Sky: rain_now. Returns the rain of the next hour. Free.", "the rain of the next hour"),
        ("Sky: rain_now. Rain", "rain now"),
        ("Sky: погода. Дождь в городе сейчас.", ""),
    ],
)
def test_query_when_made_then_says_what_the_api_does_or_is_called(text: str, asked: str) -> None:
    for seed in range(20):
        made = synthetic_queries([document(text, key="k")], 1, seed=seed)
        assert bool(made) is bool(asked)
        if made and asked not in made[0][0]:
            assert "rain now" in made[0][0], "by its name, sometimes"
        assert "Returns" not in str(made), "nobody asks so"


def test_made_queries_when_read_with_others_then_learned_and_never_tested_on(
    workspace: Workspace, tmp_path: Path
) -> None:
    keys = [each.key for each in fill(workspace)]
    rows = [{"query": f"word{n} for thing{n}", "gold": [key]} for n, key in enumerate(keys)]
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    labelled = read_labelled(workspace, [file], made=1000)
    assert labelled.unknown == 0
    assert {query.source for query in labelled.queries} == {"own", MADE}
    split = split_by_tool(labelled.queries, labelled.documents)
    assert split.test
    assert {query.source for query in (*split.test, *split.dev)} == {"own"}
    assert MADE in {query.source for query in split.train}
    assert {query.source for query in read_labelled(workspace, [file]).queries} == {"own"}
