"""The log: numbers, batches, blobs, chains, forks."""

import asyncio
import gc
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.errors import WorkspaceError
from toolplanner_core.runs.events.decision import CatalogueLookup, Noted
from toolplanner_core.runs.events.event import Event, LogRow, Record, UnknownEvent
from toolplanner_core.runs.events.question import ModelAsked, ModelReplied
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.log.stored_runs import iter_run, load_records, read_run
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import pack, resolve
from toolplanner_core.workspace.run_log import read_records
from toolplanner_core.workspace.runs import NewRun, create_run

PLACE = NodePath("note.1")


@pytest.fixture(scope="module")
def module_workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    path = tmp_path_factory.mktemp("log") / "many.toolplanner"
    with Workspace.create(path) as opened:
        yield opened


def new_run(workspace: Workspace) -> RunId:
    return create_run(
        workspace,
        NewRun(
            query="q",
            strategy="s",
            model="m",
            provider="p",
            options={},
            status="running",
            started_us=1,
            app_version="0",
            process="",
        ),
    )


def write(
    workspace: Workspace, run: RunId, events: list[Event], *, first_seq: int = 1
) -> list[Record]:
    async def go() -> list[Record]:
        log = RunLog(workspace, run, clock=Clock(), first_seq=first_seq)
        records = [log.append(e, path=PLACE) for e in events]
        await log.close()
        return records

    return asyncio.run(go())


def asked(messages: list[dict[str, str]]) -> ModelAsked:
    return ModelAsked(
        question="q",
        version=1,
        title="t",
        model="m",
        messages=[*messages],
        schema={},
        temperature=0.0,
        fingerprint="f",
        occurrence=1,
        repair=0,
        retry=0,
    )


def test_records_when_read_back_then_equal_what_was_written(workspace: Workspace) -> None:
    run = new_run(workspace)
    events: list[Event] = [
        Noted(text="short"),
        Noted(text="long " * 1000),
        asked([{"role": "system", "content": "s" * 5000}, {"role": "user", "content": "u"}]),
        CatalogueLookup(
            what="retrieve", request={"k": 3}, found=[{"api": str(i)} for i in range(500)]
        ),
        UnknownEvent(unknown_type="new.thing", fields={"a": [1, {"b": None}]}),
    ]
    written = write(workspace, run, events)
    assert [record.seq for record in written] == [1, 2, 3, 4, 5]
    assert load_records(workspace, run, PLACE) == written
    lazy = read_records(workspace, run)
    assert set(lazy[1].event["text"]) == {"$blob", "size"}
    assert resolve(workspace, lazy[1].event) == events[1].to_body()
    assert lazy[2].event["messages"]["count"] == 2
    assert read_records(workspace, run, after_seq=2, limit=2) == lazy[2:4]


def test_long_run_when_read_from_end_to_end_then_few_of_its_events_are_in_memory(
    workspace: Workspace,
) -> None:
    """Each run is read at its end: a gateway's clients come to the ends of theirs together."""
    run, count = new_run(workspace), 3_000
    write(workspace, run, [Noted(text=str(number)) for number in range(count)])

    def alive() -> int:
        return sum(type(each) is LogRow and each.run == run for each in gc.get_objects())

    read, most = 0, 0
    for records in iter_run(workspace, run):
        read, most = read + len(records), max(most, alive())
    assert read == count
    assert most <= count / 3


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.integers(1, 3).map(lambda n: "x" * (1024 * n)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "text", "$blob", "$messages", "schema", "title"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=10,
)


@given(body=st.dictionaries(st.sampled_from(["a", "raw", "found", "$blob"]), json_values))
@settings(max_examples=150, deadline=None)
def test_body_when_packed_and_resolved_then_unchanged(
    body: dict[str, Any], module_workspace: Workspace
) -> None:
    fields = {"body": body, **_safe(body)}
    run = new_run(module_workspace)
    write(module_workspace, run, [UnknownEvent(unknown_type="x", fields=fields)])
    row = read_records(module_workspace, run)[0]
    assert resolve(module_workspace, row.event) == fields


def _safe(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if not name.startswith("$")}


def test_questions_when_a_long_prefix_is_shared_then_it_is_stored_once(
    workspace: Workspace,
) -> None:
    prefix = "".join(f"toolkit {i}: does {i * 7919 % 1000003} things\n" for i in range(3500))
    assert len(prefix) > 100_000
    run = new_run(workspace)
    questions: list[Event] = [
        asked([{"role": "system", "content": prefix}, {"role": "user", "content": f"ask {i}"}])
        for i in range(1000)
    ]
    write(workspace, run, questions)
    workspace.close()
    size = sum(path.stat().st_size for path in workspace.path.parent.iterdir())
    assert size <= 5_000_000
    with closing(sqlite3.connect(workspace.path)) as db:
        assert db.execute("SELECT count(*) FROM message_chains").fetchone() == (1001,)


def test_append_when_many_threads_write_then_no_gap(workspace: Workspace) -> None:
    run = new_run(workspace)
    heard: list[Record] = []

    async def go() -> None:
        log = RunLog(workspace, run, clock=Clock(), listener=heard.extend)

        def work() -> None:
            for i in range(250):
                log.append(Noted(text=str(i)), path=PLACE)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        await asyncio.gather(*(asyncio.to_thread(thread.join) for thread in threads))
        await log.close()

    asyncio.run(go())
    assert [r.seq for r in read_run(workspace, run)] == list(range(1, 1001))
    assert [r.seq for r in heard] == list(range(1, 1001))


def test_commit_when_waiting_is_cancelled_then_the_batch_is_stored_all_the_same(
    workspace: Workspace,
) -> None:
    run = new_run(workspace)

    async def go() -> None:
        log = RunLog(workspace, run, clock=Clock())
        log.append(Noted(text="one"), path=PLACE)
        waiting = asyncio.ensure_future(log.commit())
        await asyncio.sleep(0)
        waiting.cancel()
        log.append(Noted(text="two"), path=PLACE)
        await log.close()

    asyncio.run(go())
    assert [r.seq for r in read_run(workspace, run)] == [1, 2]


def test_commit_when_a_batch_fails_then_nothing_after_it_is_stored(workspace: Workspace) -> None:
    run = new_run(workspace)
    write(workspace, run, [Noted(text="there already")])

    async def go() -> None:
        log = RunLog(workspace, run, clock=Clock())
        log.append(Noted(text="repeats seq 1"), path=PLACE)
        with pytest.raises(WorkspaceError):
            await log.commit()
        log.append(Noted(text="seq 2"), path=PLACE)
        with pytest.raises(WorkspaceError):
            await log.close()

    asyncio.run(go())
    assert len(read_run(workspace, run)) == 1


def test_fork_when_read_then_prefix_comes_through_the_parent(tmp_path: Path) -> None:
    path = tmp_path / "w.toolplanner"
    with Workspace.create(path) as workspace:
        parent, child, grandchild = (new_run(workspace) for _ in range(3))
        write(workspace, parent, [Noted(text=f"p{i}") for i in range(1, 6)])
        write(workspace, child, [Noted(text="c4"), Noted(text="c5")], first_seq=4)
        write(workspace, grandchild, [Noted(text="g3")], first_seq=3)

        def link(db: Any) -> None:
            db.execute("UPDATE runs SET parent_run=?, fork_seq=3 WHERE id=?", [parent, child])
            db.execute("UPDATE runs SET parent_run=?, fork_seq=2 WHERE id=?", [child, grandchild])

        workspace.writer.run(link)

        def texts(run: RunId, **window: Any) -> list[str]:
            return [row.event["text"] for row in read_records(workspace, run, **window)]

        assert texts(child) == ["p1", "p2", "p3", "c4", "c5"]
        assert texts(child, after_seq=2, limit=2) == ["p3", "c4"]
        assert texts(grandchild) == ["p1", "p2", "g3"]
        assert len(load_records(workspace, child, PLACE)) == 5


def test_pack_when_a_value_is_long_then_it_stands_beside_the_body() -> None:
    reply = ModelReplied(
        text="y" * 3000,
        data={"answer": "z" * 2000},
        input_tokens=1,
        output_tokens=1,
        elapsed_ms=1.0,
        raw={},
    )
    packed = pack(reply.to_body())
    assert len(packed.text) < 500
    assert {len(raw) for raw in packed.blobs.values()} == {3000, 2000}
