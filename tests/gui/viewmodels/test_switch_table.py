"""A table with switches, and breakpoints and faults in words."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.faults import FaultKind, parse_fault
from toolplanner_core.runs.presentation.debug_words import (
    FAULT_WORDS,
    describe_breakpoint,
    describe_fault,
    what_of,
)
from toolplanner_gui.viewmodels.item_models import Row, TableModel


def rows(on: str) -> list[Row]:
    return [Row(cells=(name, "1"), key=name, is_on=name in on) for name in ("a", "b", "c")]


CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


@pytest.fixture
def model(qtmodeltester) -> TableModel:
    made = TableModel(("Name", "Hits"), numbers=(1,))
    made.set_rows(rows("ac"))
    qtmodeltester.check(made)
    return made


def test_row_when_switched_then_says_so_and_changes_only_with_its_owner(
    model: TableModel, qtbot: QtBot
) -> None:
    index = model.index(1, 0)
    with qtbot.waitSignal(model.switched) as caught:
        assert model.setData(index, CHECKED, Qt.ItemDataRole.CheckStateRole)
    assert caught.args == ["b", True]
    assert index.data(Qt.ItemDataRole.CheckStateRole) == UNCHECKED
    with qtbot.waitSignal(model.dataChanged):
        model.update_rows(rows("abc"))
    assert index.data(Qt.ItemDataRole.CheckStateRole) == CHECKED
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "b, 1, on"
    assert model.index(1, 1).data(Qt.ItemDataRole.CheckStateRole) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("failure=exhausted", "Stops when a toolkit is exhausted"),
        (
            'toolkit="Fuel prices",at=before_call,hits=3',
            "Stops when a call is about to be sent in Fuel prices, from hit 3 on",
        ),
        (
            'api=*,at=after_call,if=\'error == "timeout"\',log="{title}"',
            'Says when a call has come back: *, if error == "timeout": “{title}”',
        ),
        ("kind=question", "Stops when any question to the model begins or ends"),
        ("risk=write", "Stops when a call begins or ends, risk write"),
    ],
)
def test_breakpoint_when_said_then_reads_as_a_sentence(text: str, words: str) -> None:
    assert describe_breakpoint(parse_breakpoint(text)) == words


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"at": "before_replan"}, "A new plan is about to be made"),
        ({"toolkit": "fuel", "at": "before_call"}, "fuel: a call is about to be sent"),
        ({"api": "Zorb*", "toolkit": "Maps"}, "Zorb* in Maps: a call begins or ends"),
        ({"risk": "write"}, "Risk write: a call begins or ends"),
        ({"api": "in*", "risk": "write"}, "in*, risk write: a call begins or ends"),
    ],
)
def test_breakpoint_when_named_then_begins_with_what_tells_it_from_others(
    parts: dict[str, str], words: str
) -> None:
    assert what_of(parts) == words


@pytest.mark.parametrize("kind", FaultKind)
def test_fault_of_every_kind_when_said_then_has_words(kind: FaultKind) -> None:
    said = describe_fault(parse_fault(f"{kind}:toolkit=Maps,next=2"))
    assert said.startswith(FAULT_WORDS[kind])
    assert said.endswith("the first 2 calls of each run of the toolkit Maps")
