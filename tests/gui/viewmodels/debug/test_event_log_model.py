"""The event log as a table: grows at the end, filtered, every type in words."""

import pytest
from fixtures.made_records import made_head, made_record
from PySide6.QtCore import Qt

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.events.call import CallFailed, CallReturned
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.events.event import (
    Actor,
    Event,
    Record,
    all_event_types,
    line_of,
    type_words,
)
from toolplanner_gui.viewmodels.debug.event_log_model import Column, EventFilter, EventLogModel


def record(seq: int, event: Event, *, cause: int | None = None) -> Record:
    return made_record(seq, event, f"step.1/call.{seq}", cause=cause)


def failed(message: str) -> CallFailed:
    return CallFailed(
        error="server_error", message=message, status=503, body="", content_type="", headers={},
        origin="demo", elapsed_ms=4.0,
    )  # fmt: skip


@pytest.fixture
def model(qapp) -> EventLogModel:
    made = EventLogModel()
    made.append(
        [
            record(1, Noted(text="Hello <b>world</b>")),
            record(2, failed("Try later")),
            record(3, Noted(text="Another"), cause=2),
        ]
    )
    return made


def cells(model: EventLogModel, column: Column) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_model_is_a_faithful_item_model(model: EventLogModel, qtmodeltester) -> None:
    qtmodeltester.check(model)
    model.set_filter(EventFilter(text="note"))
    qtmodeltester.check(model)


def test_rows_say_when_what_who_and_why(model: EventLogModel) -> None:
    assert cells(model, Column.TIME) == ["1.0 ms", "2.0 ms", "3.0 ms"]
    assert cells(model, Column.TYPE) == ["Note", "Call failed", "Note"]
    assert cells(model, Column.SAYS)[1] == "Server error 503 · 4.0 ms: Try later"
    assert cells(model, Column.CAUSE) == ["", "", "↰ 2"]
    tip = model.index(0, Column.SAYS).data(Qt.ItemDataRole.ToolTipRole)
    assert "<b>" not in tip


def test_filter_by_type_actor_and_words_and_new_events_obey_it(model: EventLogModel) -> None:
    model.set_filter(EventFilter(actor=Actor.PROVIDER))
    assert cells(model, Column.SEQ) == ["2"]
    model.set_filter(EventFilter(type="note", text="ANOTHER"))
    assert cells(model, Column.SEQ) == ["3"]
    model.append([record(4, failed("x")), record(5, Noted(text="another one"))])
    assert cells(model, Column.SEQ) == ["3", "5"]
    assert model.row_of(4) is None
    assert model.row_of(5) == 1
    model.set_filter(EventFilter())
    assert model.rowCount() == model.n_events == 5


def test_events_that_are_there_already_are_passed_over(model: EventLogModel) -> None:
    model.append([record(3, Noted(text="again")), record(4, Noted(text="new"))])
    assert cells(model, Column.SEQ) == ["1", "2", "3", "4"]


def test_stored_events_say_something_once_they_are_read(model: EventLogModel) -> None:
    heads = [made_head(i, "note", "a") for i in range(1, 101)]
    model.set_events(heads, {})
    assert set(cells(model, Column.SAYS)) == {""}
    model.fill(range(51, 101), [f"text {i}" for i in range(51, 101)])
    assert cells(model, Column.SAYS)[49:51] == ["", "text 51"]
    assert model.first_of(NodePath("a")) == 1


def test_every_type_of_event_has_words() -> None:
    assert all(cls.word for cls in all_event_types().values())
    assert type_words("made.up_later") == "Made up later"


def test_long_text_that_stands_beside_the_event_is_named_by_its_size() -> None:
    event = CallReturned(
        status=200, body={"$blob": "00", "size": 4200}, content_type="", headers={},  # type: ignore[arg-type]
        origin="demo", elapsed_ms=3.0,
    )  # fmt: skip
    assert line_of(event) == "status 200 · 3.0 ms: text of 4.2 kB"


def test_fifty_thousand_rows_when_filtered_then_those_that_fit_are_left(
    model: EventLogModel,
) -> None:
    heads = [
        made_head(i, "note" if i % 7 else "call.failed", f"a.{i % 90}", "model")
        for i in range(1, 50_001)
    ]
    model.set_events(heads, {})
    assert model.rowCount() == 50_000
    model.set_filter(EventFilter(text="failed"))
    assert model.rowCount() == 50_000 // 7
