"""The table model, and rows that change under a selection."""

from PySide6.QtCore import QPersistentModelIndex, Qt

from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel


def rows(*keys: int) -> list[Row]:
    return [Row(cells=(f"Row {k}", str(k)), key=k) for k in keys]


def make_model() -> TableModel:
    return TableModel(("Name", "Number"), numbers=(1,))


def test_model_is_a_faithful_item_model(qapp, qtmodeltester) -> None:
    model = make_model()
    model.set_rows(rows(1, 2, 3))
    qtmodeltester.check(model)


def test_update_when_rows_come_first_keeps_what_is_pointed_at(qapp) -> None:
    model = make_model()
    model.set_rows(rows(2, 1))
    kept = QPersistentModelIndex(model.index(1, 0))
    model.update_rows(rows(4, 3, 2, 1))
    assert (kept.row(), kept.data(KEY_ROLE)) == (3, 1)
    model.update_rows([*rows(4, 3, 2), Row(cells=("Other", "1"), key=1)])
    assert kept.data() == "Other"


def test_update_when_the_order_changes_keeps_what_is_pointed_at(qapp) -> None:
    model = make_model()
    model.set_rows(rows(1, 2, 3))
    kept = QPersistentModelIndex(model.index(2, 1))
    model.update_rows(rows(3, 1, 2))
    assert (kept.row(), kept.column(), kept.data(KEY_ROLE)) == (0, 1, 3)
    assert [model.index(row, 0).data() for row in range(3)] == ["Row 3", "Row 1", "Row 2"]


def test_tooltip_never_holds_markup_of_a_cell(qapp) -> None:
    model = make_model()
    model.set_rows([Row(cells=("<img src=x>", ""), key=1)])
    tip = model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "<img" not in tip
