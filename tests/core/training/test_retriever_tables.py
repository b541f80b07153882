"""The tables of a trained retriever: why APIs are missed, and that no test query was learned."""

from pathlib import Path

import pytest
from benchmarks.retriever_left_out import labelled_file
from benchmarks.retriever_misses import misses, says_the_same
from benchmarks.retriever_sets import HELD, judged_sets
from fixtures.catalogues import add_apis
from fixtures.query_sets import QuerySet, Question, made_api

from toolplanner_core.embedding.embed import embed
from toolplanner_core.embedding.trained import TrainedModel
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.training.labelled import read_labelled
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import StoredDocument, stored_documents

RAIN = "Will it rain in Oslo tomorrow or the day after"
TWINS = 12


def document(tool: str, text: str) -> StoredDocument:
    return StoredDocument(rowid=1, key=text, tool=tool, text=f"{tool}: {text}", toolkit=None)


def model(folder: Path, *, test: str, learned_tools: list[str]) -> TrainedModel:
    """What is known about a model that learned one query."""
    record = {
        "test": [{"query": test, "gold": ["rates"]}],
        "learned": {"queries": [RAIN], "tools": learned_tools},
    }
    return TrainedModel(name="mine", folder=folder, record=record)


def test_misses_when_others_say_the_same_or_nothing_is_found_then_told_apart(
    workspace: Workspace,
) -> None:
    add_apis(
        workspace,
        [
            made_api(f"rates{i}", "Currency rates of all banks.", name="rates", tool=f"bank{i}")
            for i in range(TWINS)
        ]
        + [made_api("tides", "When the sea rises.", tool="harbour")]
        + [made_api(f"bus{i}", "Departures from one stop.", tool=f"line{i}") for i in range(60)]
        + [
            made_api(f"film{i}", f"Tells the plot of film {i}.", tool=f"studio{i}")
            for i in range(90)
        ],
    )
    embed(workspace, "words", progress=Progress())
    last = f"rates{TWINS - 1}"
    twin = misses(workspace, [Question("currency rates of banks", frozenset({last}))])
    assert (twin.gold, twin.missed, twin.other_vendor, twin.same_tool) == (1, 1, 1, 0)
    assert (twin.beyond_both, twin.beyond_order) == (0, 0)
    gone = misses(workspace, [Question("departures from a stop", frozenset({"tides"}))])
    assert (gone.missed, gone.beyond_both, gone.other_vendor) == (1, 1, 0)
    assert misses(workspace, [Question("sea", frozenset({"tides"}))]).missed == 0
    assert misses(workspace, [Question("sea", frozenset({"unknown"}))]).gold == 0


def test_same_when_only_a_common_word_or_the_own_tool_then_not() -> None:
    rates = document("bank", "Rates. Get the currency rates of today")
    assert says_the_same(rates, document("money", "Quotes. Get today's currency rates of today"))
    assert not says_the_same(rates, document("bank", "Rates. Get the currency rates of today"))
    assert not says_the_same(document("a", "Search. Finds films"), document("b", "Search. Songs"))


def test_sets_when_a_held_out_query_or_its_tool_was_learned_then_refused(
    workspace: Workspace, shared_data: Path, tmp_path: Path
) -> None:
    add_apis(workspace, [made_api("rates", "Currency rates.", tool="bank")])
    asked = "How many crowns is an euro"
    fair = model(tmp_path, test=asked, learned_tools=[])
    sets = judged_sets(workspace, fair, shared_data, most=20)
    names = [each.queries.name for each in sets]
    assert names[:3] == [HELD, "DRAFT", "DRAFT, other tools"]
    assert len(names) == 7
    assert all(each.near == 0 for each in sets)
    [tool] = {d.tool for d in stored_documents(workspace)}
    for unfair in (
        model(tmp_path, test=RAIN, learned_tools=[]),
        model(tmp_path, test=asked, learned_tools=[tool]),
    ):
        with pytest.raises(AssertionError, match="learned from"):
            judged_sets(workspace, unfair, shared_data, most=20)


def test_set_when_learned_beside_another_catalogue_then_its_apis_come_with_its_queries(
    workspace: Workspace, tmp_path: Path
) -> None:
    add_apis(workspace, [made_api("rain", "Tells the rain.", tool="sky")])
    tides = made_api("tides", "When the sea rises.", tool="harbour")
    strange = QuerySet("Sea", [Question("when is high water", frozenset({"tides"}))], [tides])
    known = QuerySet("Sky", [Question(RAIN, frozenset({"rain"}))], None)
    files = [labelled_file(each, tmp_path) for each in (strange, known)]
    read = read_labelled(workspace, files)
    assert read.unknown == 0
    assert [query.source for query in read.queries] == ["Sea", "Sky"]
    [sea], [sky] = (query.gold for query in read.queries)
    assert read.documents[sea].rowid is None, "the catalogue lacks it"
    assert "sea rises" in read.documents[sea].text
    assert "rain" in read.documents[sky].text
    assert not read.documents[sea].tools & read.documents[sky].tools
