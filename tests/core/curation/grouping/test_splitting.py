"""Proposals to split a toolkit: by number, by a text, by choice."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.catalogues import TOPICS, ready_workspace

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.edits.move import NewToolkit
from toolplanner_core.curation.grouping.splitting import (
    propose_split,
    propose_split_by_text,
    propose_split_of,
)
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.embedding.embed import embed
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import get_toolkit, list_toolkits, member_rowids


@pytest.fixture
def mixed(tmp_path: Path) -> Iterator[tuple[Workspace, ToolkitId, list[int]]]:
    """One toolkit "Everything" of four topics, six APIs each."""
    with Workspace.create(tmp_path / "mixed.toolplanner") as workspace:
        rowids = ready_workspace(workspace)
        done = history.do(workspace, NewToolkit(rowids=tuple(rowids), name="Everything"))
        yield workspace, next(iter(done.changes.toolkits)), rowids


@pytest.mark.parametrize("method", ["kmeans", "agglomerative"])
@pytest.mark.parametrize("k", ["auto", 4])
def test_propose_split_when_topics_lie_apart_then_each_is_a_part_with_a_name(
    mixed: tuple[Workspace, ToolkitId, list[int]], k: int, method: str
) -> None:
    workspace, toolkit, rowids = mixed
    proposed = propose_split(workspace, toolkit, k=k, method=method)  # type: ignore[arg-type]
    topics = {tuple(rowids[i : i + 6]) for i in range(0, len(rowids), 6)}
    assert {tuple(sorted(part.rowids)) for part in proposed.parts} == topics
    assert proposed.parts[0].name == "Everything"
    assert all("(2)" not in part.name for part in proposed.parts[1:])
    assert list_history(workspace)[-1].kind == "new_toolkit"
    history.do(workspace, proposed.edit, origin=proposed.origin)
    assert len(list_toolkits(workspace)) == len(TOPICS)
    assert member_rowids(workspace, toolkit) != []
    assert sorted(t.name for t in list_toolkits(workspace)) == sorted(
        part.name for part in proposed.parts
    )


def test_propose_split_by_text_when_some_are_like_it_then_those_go(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "text.toolplanner") as workspace:
        rowids = ready_workspace(workspace)
        embed(workspace, "lsa", progress=Progress())
        done = history.do(workspace, NewToolkit(rowids=tuple(rowids), name="Everything"))
        toolkit = next(iter(done.changes.toolkits))
        proposed = propose_split_by_text(workspace, toolkit, "lyrics of a song")
        assert sorted(proposed.edit.parts[0]) == rowids[12:18]
        assert proposed.threshold is not None
        assert proposed.origin["text"] == "lyrics of a song"
        history.do(workspace, proposed.edit, origin=proposed.origin)
        assert get_toolkit(workspace, toolkit).size == 18
        with pytest.raises(BadInput, match="No API of the toolkit is like"):
            propose_split_by_text(workspace, toolkit, "weather", threshold=1.1)
        with pytest.raises(BadInput, match="Every API of the toolkit is like"):
            propose_split_by_text(workspace, toolkit, "weather", threshold=-1)
        with pytest.raises(BadInput, match="empty"):
            propose_split_by_text(workspace, toolkit, " ")


def test_propose_split_when_the_rule_named_the_toolkit_then_it_keeps_its_name_and_parts_theirs(
    mixed: tuple[Workspace, ToolkitId, list[int]],
) -> None:
    workspace, toolkit, _ = mixed
    history.do(workspace, Rename(toolkit=toolkit, name="All sorts", author=Author.RULE.value))
    proposed = propose_split(workspace, toolkit, k=4)
    assert proposed.parts[0].name == "All sorts"
    done = history.do(workspace, proposed.edit, origin=proposed.origin)
    made = (toolkit, *done.changes.begun)
    assert [get_toolkit(workspace, t).name for t in made] == [p.name for p in proposed.parts]


def test_propose_split_when_a_part_would_be_called_as_the_toolkit_was_then_called_otherwise(
    mixed: tuple[Workspace, ToolkitId, list[int]],
) -> None:
    workspace, toolkit, _ = mixed
    free = propose_split(workspace, toolkit, k=4).parts[2].name
    history.do(workspace, Rename(toolkit=toolkit, name=free, author=Author.RULE.value))
    proposed = propose_split(workspace, toolkit, k=4)
    assert free not in [part.name for part in proposed.parts[1:]]
    done = history.do(workspace, proposed.edit, origin=proposed.origin)
    made = (toolkit, *done.changes.begun)
    assert [get_toolkit(workspace, t).name for t in made] == [p.name for p in proposed.parts]


def test_propose_split_of_when_chosen_then_they_are_named_by_rule(
    mixed: tuple[Workspace, ToolkitId, list[int]],
) -> None:
    workspace, toolkit, rowids = mixed
    proposed = propose_split_of(workspace, toolkit, rowids[:6])
    assert sorted(proposed.parts[1].rowids) == rowids[:6]
    assert "eather" in proposed.parts[1].name
    with pytest.raises(BadInput, match="Nothing would be left"):
        history.do(workspace, propose_split_of(workspace, toolkit, rowids).edit)


def test_propose_split_when_it_cannot_be_then_says_why(
    mixed: tuple[Workspace, ToolkitId, list[int]],
) -> None:
    workspace, toolkit, rowids = mixed
    with pytest.raises(NotFound, match="There is no toolkit 99"):
        propose_split(workspace, ToolkitId(99))
    with pytest.raises(BadInput, match="Cannot split into 1 parts"):
        propose_split(workspace, toolkit, k=1)
    alone = history.do(workspace, NewToolkit(rowids=(rowids[0],), name="Alone"))
    with pytest.raises(BadInput, match="Cannot split 1 API"):
        propose_split(workspace, next(t for t in alone.changes.toolkits if t != toolkit))
