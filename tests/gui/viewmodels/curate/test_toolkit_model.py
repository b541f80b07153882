"""The toolkit tree: virtual, sortable, a faithful item model."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from toolplanner_core.curation.looking.details import ToolkitMember
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.curation.looking.toolkit_rows import Grouping
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.viewmodels.curate.toolkit_model import ROWID_ROLE, TOOLKIT_ROLE, ToolkitModel

SIZES = {1: 3, 2: 450, 3: 0, 4: 12}
NEW = ToolkitId(9)


def make_model(reads: list[tuple[int, int, int]] | None = None) -> ToolkitModel:
    def read(toolkit: ToolkitId, begin: int, n: int) -> Sequence[ToolkitMember]:
        if reads is not None:
            reads.append((toolkit, begin, n))
        end = min(SIZES.get(toolkit, 0), begin + n)
        return [
            ToolkitMember(rowid=toolkit * 1000 + i, title=f"API {i}", description="<b>text</b>")
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


def test_order_when_figures_come_after_the_list_then_it_is_theirs_and_stays(qapp) -> None:
    class Figures:
        def __init__(self) -> None:
            self.known: dict[int, float] = {}

        def cohesion(self, toolkit: ToolkitId) -> float | None:
            return self.known.get(toolkit)

        def health(self, toolkit: ToolkitId) -> None:
            return None

    figures = Figures()
    model = ToolkitModel(lambda *_: [], figures=figures)
    model.sort(ToolkitColumn.COHESION, Qt.SortOrder.DescendingOrder)
    kits = [Toolkit(id=ToolkitId(i), name=f"T{i}", description="", size=5) for i in (1, 2, 3)]
    model.set_toolkits(kits, {})
    assert [t.id for t in model.toolkits] == [1, 2, 3], "by name as long as nothing is known"
    figures.known = {1: 0.5, 2: 0.9, 3: 0.7}
    model.figures_changed()
    assert [t.id for t in model.toolkits] == [2, 3, 1]
    figures.known = {1: 0.99, 2: 0.9, 3: 0.7}
    model.figures_changed()
    assert [t.id for t in model.toolkits] == [2, 3, 1], "until somebody sorts"


def test_sorting_keeps_what_is_pointed_at(qapp) -> None:
    model = make_model()
    model.fetchMore(model.index_of(ToolkitId(4)))
    toolkit = QPersistentModelIndex(model.index_of(ToolkitId(4)))
    member = QPersistentModelIndex(model.index(2, 0, model.index_of(ToolkitId(4))))
    model.sort(ToolkitColumn.NAME, Qt.SortOrder.AscendingOrder)
    assert toolkit.data() == "Toolkit 1"
    assert toolkit.row() == 0
    assert (member.data(ROWID_ROLE), member.data(TOOLKIT_ROLE)) == (4002, 4)
    model.sort(ToolkitColumn.SIZE, Qt.SortOrder.DescendingOrder)
    names = [model.index(r, 0).data() for r in range(4)]
    assert names == ["Toolkit 3", "Toolkit 1", "Toolkit 4", "Toolkit 2"]
    assert toolkit.row() == 1


def test_tooltip_of_foreign_text_shows_its_words_without_its_marks(qapp) -> None:
    model = make_model()
    index = model.index_of(ToolkitId(1))
    model.fetchMore(index)
    tip = model.index(0, 0, index).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == '<p style="white-space:pre-wrap">API 0\ntext</p>'


def in_regions(model: ToolkitModel) -> None:
    region_of = {ToolkitId(1): 0, ToolkitId(2): 1, ToolkitId(3): 0}
    model.set_regions(Grouping(("Small", "Large"), region_of))


def texts(model: ToolkitModel, parent: QModelIndex | None = None) -> list[str]:
    above = parent or QModelIndex()
    return [model.index(row, 0, above).data() for row in range(model.rowCount(above))]


def test_regions_hold_their_toolkits_and_are_a_faithful_model(qapp, qtmodeltester) -> None:
    model = make_model()
    in_regions(model)
    assert texts(model) == ["Large", "Other toolkits", "Small"]
    small = model.index(2, 0)
    assert texts(model, small) == ["Toolkit 4", "Toolkit 2"]
    assert small.siblingAtColumn(ToolkitColumn.SIZE).data() == "3"
    toolkit = model.index_of(ToolkitId(1))
    assert toolkit.parent() == small
    model.fetchMore(toolkit)
    assert model.index(0, 0, toolkit).parent() == toolkit
    qtmodeltester.check(model)


def test_regions_after_an_edit_keep_what_is_pointed_at(qapp, qtmodeltester) -> None:
    model = make_model()
    in_regions(model)
    toolkit = QPersistentModelIndex(model.index_of(ToolkitId(4)))
    small = QPersistentModelIndex(model.index(2, 0))
    kits = [t for t in model.toolkits if t.id != 3]
    new = Toolkit(id=ToolkitId(9), name="New", description="", size=0)
    model.follow([*kits, new], {ToolkitId(3), ToolkitId(9), ToolkitId(1)})
    assert texts(model, model.index(2, 0)) == ["Toolkit 4"]
    assert texts(model, model.index(1, 0)) == ["Toolkit 1", "New"]
    model.sort(ToolkitColumn.NAME, Qt.SortOrder.DescendingOrder)
    assert texts(model) == ["Small", "Other toolkits", "Large"]
    assert (small.row(), small.data()) == (0, "Small")
    assert toolkit.data() == "Toolkit 1"
    model.set_regions(None)
    assert not model.has_regions
    assert len(texts(model)) == 4
    in_regions(model)
    qtmodeltester.check(model)


def test_rows_when_edited_then_stand_where_the_order_wants_them(qapp, qtmodeltester) -> None:
    model = make_model()
    model.sort(ToolkitColumn.SIZE, Qt.SortOrder.DescendingOrder)
    pointed = QPersistentModelIndex(model.index_of(ToolkitId(1)))
    moved: list[bool] = []
    model.rowsMoved.connect(lambda *_: moved.append(True))
    kits = [replace(t, size={1: 500, 2: 2}.get(t.id, t.size)) for t in model.toolkits]
    model.follow(kits, {ToolkitId(1), ToolkitId(2)})
    assert [t.size for t in model.toolkits] == [500, 12, 2, 0]
    assert (pointed.row(), pointed.data()) == (0, "Toolkit 4")
    assert moved, "rows move one by one: what is open and where it is scrolled to stay"
    model.follow([replace(t, size=t.size + 1) for t in model.toolkits], {ToolkitId(4)})
    assert [t.id for t in model.toolkits] == [1, 4, 2, 3]
    model.sort(ToolkitColumn.NAME)
    kits = [replace(t, name="A" if t.id == 1 else t.name) for t in model.toolkits]
    model.follow(kits, {ToolkitId(1)})
    assert texts(model) == ["A", "Toolkit 1", "Toolkit 2", "Toolkit 3"]
    qtmodeltester.check(model)


def test_regions_when_edited_then_the_largest_stands_first(qapp, qtmodeltester) -> None:
    model = make_model()
    in_regions(model)
    model.sort(ToolkitColumn.SIZE, Qt.SortOrder.DescendingOrder)
    kits = [replace(t, size={2: 10, 3: 40}.get(t.id, t.size)) for t in model.toolkits]
    model.follow(kits, {ToolkitId(2), ToolkitId(3)})
    assert texts(model) == ["Small", "Other toolkits", "Large"]
    assert texts(model, model.index(0, 0)) == ["Toolkit 2", "Toolkit 4"]
    qtmodeltester.check(model)


def test_region_when_painted_again_then_its_colour_is_known_until_its_toolkits_differ(qapp) -> None:
    class Colours(dict[ToolkitId, str]):
        reads = 0

        def get(self, key: ToolkitId, default: str | None = None) -> str | None:
            Colours.reads += 1
            return super().get(key, default)

    def has_colour() -> bool:
        return small.data(Qt.ItemDataRole.DecorationRole) is not None

    model = make_model()
    in_regions(model)
    small = model.index(2, 0)
    model.set_colours(Colours({ToolkitId(i): "#ff0000" for i in SIZES}))
    assert has_colour()
    reads = Colours.reads
    assert has_colour()
    assert Colours.reads == reads
    grouping = Grouping(
        ("Small", "Large"), {ToolkitId(1): 0, ToolkitId(2): 1, ToolkitId(3): 0, NEW: 0}
    )
    assert model.follow_regions(grouping)
    new = Toolkit(id=NEW, name="New", description="", size=2)
    model.follow([*model.toolkits, new], {NEW})
    assert not has_colour(), "the new one has none yet"
    model.follow([t for t in model.toolkits if t.id != NEW], {NEW})
    assert has_colour()
    model.set_colours({ToolkitId(1): "#ff0000", ToolkitId(3): "#00ff00"})
    assert not has_colour()


def test_colours_when_those_of_few_change_then_they_and_their_regions_alone_are_painted(
    qapp,
) -> None:
    model, painted = make_model(), list[list[QModelIndex] | None]()
    in_regions(model)
    colours = {ToolkitId(i): "#ff0000" for i in SIZES}
    model.set_colours(colours)
    model.looks_changed.connect(painted.append)
    model.set_colours({**colours, ToolkitId(1): "#00ff00"})
    toolkit = model.index_of(ToolkitId(1))
    assert painted == [[toolkit, toolkit.parent()]]
