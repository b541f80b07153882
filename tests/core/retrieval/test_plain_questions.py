"""Plain questions over real API documents find a right operation among the first three."""

from pathlib import Path

import pytest
from fixtures.command_line import toolplanner
from fixtures.plain_documents import PLAIN_QUESTIONS, write_plain_documents

from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.asked_actions import (
    RequestAction,
    action_fit,
    action_of,
    asked_action,
)
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace

FIRST, WANTED = 3, 33
"""Of 40; without actions and paths it is 31 by full text and 30 with `words`."""


def missed_questions(workspace: Workspace) -> list[str]:
    """The questions of which no right operation is among the first."""
    index = HybridIndex(workspace)
    return [
        question
        for question, wanted in PLAIN_QUESTIONS
        if not any(
            hit.api.key.endswith(f"/{each}")
            for hit in index.search(question, FIRST)
            for each in wanted
        )
    ]


def test_plain_question_when_asked_then_a_right_operation_is_among_the_first(
    shared_data: Path, tmp_path: Path, workspace: Workspace
) -> None:
    write_plain_documents(tmp_path)
    import_source(workspace, tmp_path, source_name="small", format_id="openapi")
    import_source(workspace, shared_data / "openapi" / "documents.zip", source_name="real")
    by_words = missed_questions(workspace)
    embed(workspace, "words", progress=Progress())
    by_meaning = missed_questions(workspace)
    assert len(PLAIN_QUESTIONS) - len(by_words) >= WANTED, by_words
    assert len(PLAIN_QUESTIONS) - len(by_meaning) >= WANTED, by_meaning


def test_search_in_the_terminal_when_a_verb_is_said_then_that_operation_is_first(
    tmp_path: Path,
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    write_plain_documents(documents)
    path = tmp_path / "small.toolplanner"
    with Workspace.create(path) as workspace:
        import_source(workspace, documents, source_name="small", format_id="openapi")
    for question, name in [
        ("delete a namespace", "deleteCoreV1Namespace"),
        ("list all namespaces", "listCoreV1Namespace"),
    ]:
        said = toolplanner("search", path, question, "--limit", "1")
        assert (said.status, name in said.out) == (0, True), said.out


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("delete a namespace", RequestAction.REMOVE),
        ("Could you please get rid of the monitor?", RequestAction.REMOVE),
        ("How do I cancel a booking", RequestAction.REMOVE),
        ("I want to send a text message", RequestAction.CREATE),
        ("rename the channel", RequestAction.CHANGE),
        ("show me all pods, secrets and services", RequestAction.LIST),
        ("who is in this channel", RequestAction.LIST),
        ("how much money is left", RequestAction.READ),
        ("find the pod and delete it", None),
        ("Delete the pod. It hangs.", None),
        ("weather in Oslo", None),
        ("booking of hotels", None),
        ("删除命名空间", None),
        ("", None),
    ],
)
def test_asked_action_when_a_query_says_it_then_found(
    query: str, asked: RequestAction | None
) -> None:
    assert asked_action(query) is asked


@pytest.mark.parametrize(
    ("name", "method", "url", "done"),
    [
        ("deleteCoreV1Namespace", "DELETE", "/namespaces/{name}", RequestAction.REMOVE),
        ("chat_delete", "POST", "/chat.delete", RequestAction.REMOVE),
        ("admin-emoji-add", "POST", "/admin.emoji.add", RequestAction.CREATE),
        ("searchForIssues", "POST", "/search", RequestAction.READ),
        ("Pets", "GET", "https://example.com/pets/", RequestAction.LIST),
        ("Pet", "GET", "https://example.com/pets/{id}?full=1", RequestAction.READ),
        ("replaceThing", "PUT", "/things/{id}", RequestAction.CHANGE),
        ("Recipients", "PATCH", "/recipients", RequestAction.CHANGE),
        ("remove_star", "MCP", "", RequestAction.REMOVE),
        ("天气", "", "", None),
    ],
)
def test_action_of_an_api_when_name_or_method_say_it_then_found(
    name: str, method: str, url: str, done: RequestAction | None
) -> None:
    assert action_of(name, method, url) is done


def test_fit_when_a_side_is_not_known_then_nothing_is_judged() -> None:
    assert [action_fit(None, each) for each in RequestAction] == [0] * len(RequestAction)
    assert action_fit(RequestAction.REMOVE, None) == 0
    assert (
        action_fit(RequestAction.REMOVE, RequestAction.REMOVE)
        > 0
        > action_fit(RequestAction.REMOVE, RequestAction.READ)
    )
    assert (
        action_fit(RequestAction.LIST, RequestAction.LIST)
        > action_fit(RequestAction.LIST, RequestAction.READ)
        > 0
    )
