"""What the map asks of all APIs at once."""

import numpy as np
import pytest
from sqlite_utils import Database

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.map_facts import (
    api_facts,
    api_search_texts,
    centralities,
    edited_toolkits,
    exemplars,
    known_neighbours,
)
from toolplanner_core.workspace.point_sets import ensure_point_set, put_neighbours

SCHEMA = '{"type": "object", "properties": {"a": {}, "b": {}}}'


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    def work(db: Database) -> None:
        db.execute("INSERT INTO sources VALUES(1, 'crawl', 'f', 'l', 0)")
        db.execute("INSERT INTO tools VALUES(1, 1, 'Weather', 'k', 'Sky', 'four')")
        for rowid in (1, 2, 3):
            db.execute(
                "INSERT INTO apis VALUES(?, ?, 1, 'key', ?, 'GET', '/x', 'text', ?, NULL, 'read',"
                " '', '', 'rule', ?, 0, 0, NULL)",
                [rowid, f"id{rowid}", f"name{rowid}", SCHEMA, f"h{rowid}"],
            )
        for toolkit, author in ((1, "rule"), (2, "person")):
            db.execute(
                "INSERT INTO toolkits(id, name, description, name_author, description_author,"
                " created_us) VALUES(?, 'n', '', ?, 'rule', 0)",
                [toolkit, author],
            )
        for api, toolkit, centrality in ((1, 1, 0.5), (2, 1, 0.9), (3, 2, 0.7)):
            db.execute(
                "INSERT INTO toolkit_members(api_rowid, toolkit_id, centrality) VALUES(?, ?, ?)",
                [api, toolkit, centrality],
            )

    workspace.writer.run(work)
    return workspace


def test_facts_when_asked_then_every_api_has_its_row(filled: Workspace) -> None:
    facts = api_facts(filled)
    assert [fact.rowid for fact in facts] == [1, 2, 3]
    assert facts[0][1:] == ("crawl", "Weather", "Sky", "GET", "read", 8, 2, "name1")
    rowid, text = api_search_texts(filled)[1]
    assert rowid == 2
    assert text.split("\n") == ["name2", "Sky", "key", "id2", "GET /x"]
    assert edited_toolkits(filled) == {2}
    assert dict(centralities(filled)) == pytest.approx({1: 0.5, 2: 0.9, 3: 0.7})


def test_exemplars_when_asked_then_the_most_central_of_each_comes_first(filled: Workspace) -> None:
    found = exemplars(filled, 2)
    assert [(one.rowid, one.rank) for one in found] == [(2, 0), (3, 0), (1, 1)]
    assert found[0].title == "Sky · name2"
    assert found[0].toolkit_size == 2
    assert [one.rowid for one in exemplars(filled, 1)] == [2, 3]


def test_known_neighbours_when_there_are_some_then_they_come_with_their_apis(
    filled: Workspace,
) -> None:
    assert known_neighbours(filled) is None
    points = ensure_point_set(filled, [1, 2, 3])
    near = np.array([[0, 1], [1, 0], [2, 1]], np.int32)
    put_neighbours(filled, points.id, "e", near, np.zeros((3, 2), np.float32))
    known = known_neighbours(filled)
    assert known is not None
    assert known.rowids.tolist() == [1, 2, 3]
    assert (known.indices == near).all()
