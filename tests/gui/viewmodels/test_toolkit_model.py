"""The toolkit tree: virtual, sortable, a faithful item model."""

from collections.abc import Sequence

from PySide6.QtCore import QPersistentModelIndex, Qt

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.viewmodels.toolkit_model import (
    ROWID_ROLE,
    TOOLKIT_ROLE,
    Column,
    Member,
    ToolkitModel,
)

SIZES = {1: 3, 2: 450, 3: 0, 4: 12}


def make_model(reads: list[tuple[int, int, int]] | None = None) -> ToolkitModel:
    def read(toolkit: ToolkitId, begin: int, n: int) -> Sequence[Member]:
        if reads is not None:
            reads.append((toolkit, begin, n))
        end = min(SIZES[toolkit], begin + n)
        return [
            Member(rowid=toolkit * 1000 + i, title=f"API {i}", description="<b>text</b>")
            for i in range(begin, end)
        ]

    model = ToolkitModel(read)
    model.set_toolkits(
        [
            Toolkit(id=ToolkitId(i), name=f"Toolkit {5 - i}", description="x < y", size=n)
            for i, n in SIZES.items()
        ],
        {ToolkitId(1): "#ff0000"},
    )
    return model


def test_model_is_a_faithful_item_model(qapp, qtmodeltester) -> None:
    model = make_model()
    model.fetchMore(model.index_of(ToolkitId(1)))
    model.fetchMore(model.index_of(ToolkitId(2)))
    qtmodeltester.check(model)


def test_members_when_not_asked_for_are_not_read(qapp) -> None:
    reads: list[tuple[int, int, int]] = []
    model = make_model(reads)
    assert model.rowCount() == 4
    assert model.hasChildren(model.index_of(ToolkitId(2)))
    assert reads == []
    index = model.index_of(ToolkitId(2))
    model.fetchMore(index)
    assert (model.rowCount(index), len(reads)) == (200, 1)
    while model.canFetchMore(index):
        model.fetchMore(index)
    assert model.rowCount(index) == 450
    assert not model.hasChildren(model.index_of(ToolkitId(3)))


def test_sorting_keeps_what_is_pointed_at(qapp) -> None:
    model = make_model()
    model.fetchMore(model.index_of(ToolkitId(4)))
    toolkit = QPersistentModelIndex(model.index_of(ToolkitId(4)))
    member = QPersistentModelIndex(model.index(2, 0, model.index_of(ToolkitId(4))))
    model.sort(Column.NAME, Qt.SortOrder.AscendingOrder)
    assert toolkit.data() == "Toolkit 1"
    assert toolkit.row() == 0
    assert (member.data(ROWID_ROLE), member.data(TOOLKIT_ROLE)) == (4002, 4)
    model.sort(Column.SIZE, Qt.SortOrder.DescendingOrder)
    names = [model.index(r, 0).data() for r in range(4)]
    assert names == ["Toolkit 3", "Toolkit 1", "Toolkit 4", "Toolkit 2"]
    assert toolkit.row() == 1


def test_tooltip_of_foreign_text_is_escaped(qapp) -> None:
    model = make_model()
    index = model.index_of(ToolkitId(1))
    model.fetchMore(index)
    tip = model.index(0, 0, index).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;text&lt;/b&gt;" in tip
    assert "<b>" not in tip
