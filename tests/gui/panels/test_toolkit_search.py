"""The search list of the toolkits panel: it follows edits and themes, and says what it lists."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.marks import Exclude, Include
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.settings import get_setting, set_setting
from toolplanner_core.workspace.vectors import EmbedderState, embedder_state, put_embedder_state
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels import toolkit_search
from toolplanner_gui.panels.toolkit_search import FoundToolkit
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel
from toolplanner_gui.viewmodels import api_search
from toolplanner_gui.viewmodels.curate.toolkit_model import DIM_ROLE, TOOLKIT_ROLE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Role


def settle(context: AppContext, qtbot) -> None:
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle, timeout=20_000)


@pytest.fixture
def panel(opened: AppContext, qtbot) -> ToolkitsPanel:
    made = ToolkitsPanel(opened)
    qtbot.addWidget(made)
    made.resize(320, 700)
    made.show()
    settle(opened, qtbot)
    return made


def search(panel: ToolkitsPanel, text: str, qtbot) -> None:
    panel.field.setText(text)
    qtbot.waitUntil(lambda: panel.search._text == text)
    settle(panel.context, qtbot)


def listed(panel: ToolkitsPanel) -> dict[ToolkitId, tuple[str, ...]]:
    """Cells of the rows of toolkits."""
    model = panel.search.model
    rows = map(model.row, range(model.rowCount()))
    return {row.key.id: row.cells for row in rows if isinstance(row.key, FoundToolkit)}


def click(panel: ToolkitsPanel, toolkit: ToolkitId, qtbot) -> None:
    view, model = panel.search.view, panel.search.model
    place = model.position_of(FoundToolkit(toolkit))
    assert place is not None
    box = view.visualRect(model.index(place, 0))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box.center())


def test_search_list_when_a_toolkit_ends_then_its_row_goes_and_the_other_has_the_new_size(
    panel: ToolkitsPanel, qtbot
) -> None:
    context = panel.context
    search(panel, "weather", qtbot)
    one, other = [t.id for t in context.catalogue.named("weather")][:2]
    click(panel, other, qtbot)
    assert context.selection.toolkit == other
    context.curation.do(Merge(toolkits=(one,), into=other))
    settle(context, qtbot)
    assert one not in listed(panel)
    kept = context.catalogue.toolkit(other)
    assert kept is not None
    assert listed(panel)[other] == (kept.name, f"{kept.size} APIs")
    # What was marked is marked, and commands are about it.
    marked = panel.search.view.selectionModel().selectedRows(0)
    assert [index.data(Qt.ItemDataRole.UserRole) for index in marked] == [FoundToolkit(other)]
    assert context.chosen.one_toolkit == kept
    context.curation.undo()
    settle(context, qtbot)
    assert list(listed(panel))[:2] == [one, other], "back at its rank"


def test_search_list_when_the_marked_toolkit_ends_then_rename_is_about_none(
    panel: ToolkitsPanel, qtbot
) -> None:
    context = panel.context
    search(panel, "weather", qtbot)
    one, other = [t.id for t in context.catalogue.named("weather")][:2]
    click(panel, one, qtbot)
    context.curation.do(Merge(toolkits=(one,), into=other))
    settle(context, qtbot)
    assert one not in listed(panel)
    assert context.chosen.is_empty
    rename = next(action for _, action in all_actions() if action.id == "curate.rename")
    assert rename.why_not(context)


def test_lists_when_all_apis_of_a_toolkit_are_excluded_then_both_mark_it(
    panel: ToolkitsPanel, qtbot
) -> None:
    context = panel.context
    kit = context.catalogue.named("weather")[0]
    members = context.catalogue.rowids[context.catalogue.mask_of_toolkit(kit.id)].tolist()
    search(panel, "weather", qtbot)

    def marked() -> tuple[bool, ...]:
        settle(context, qtbot)
        row, mark = (panel.model.index_of(kit.id, c) for c in (0, ToolkitColumn.MARKS))
        found = panel.search.model
        at = found.position_of(FoundToolkit(kit.id))
        assert at is not None
        told = (mark.data(Role.ToolTipRole), found.index(at, 0).data(Role.ToolTipRole))
        return bool(row.data(DIM_ROLE)), *("All its APIs are excluded" in text for text in told)

    assert marked() == (False, False, False)
    context.curation.do(Exclude(rowids=tuple(members[1:])))
    assert marked() == (False, False, False)
    context.curation.do(Exclude(rowids=tuple(members)))
    assert marked() == (True, True, True)
    context.curation.do(Include(rowids=(members[0],)))
    assert marked() == (False, False, False)


def test_search_list_when_a_toolkit_is_renamed_then_it_stays_with_its_new_name(
    panel: ToolkitsPanel, qtbot
) -> None:
    context = panel.context
    search(panel, "weather", qtbot)
    one = context.catalogue.named("weather")[0].id
    place = list(listed(panel)).index(one)
    context.curation.do(Rename(toolkit=one, name="Sun and rain"))
    settle(context, qtbot)
    assert list(listed(panel)).index(one) == place
    assert listed(panel)[one][0] == "Sun and rain"
    n_named = len(context.catalogue.named("weather"))
    assert f"{counted(n_named, 'toolkit')} by name" in panel.search.note.text()


def test_search_list_when_the_colours_change_then_the_dots_have_the_new_ones(
    panel: ToolkitsPanel, qtbot
) -> None:
    context = panel.context
    search(panel, "weather forecast", qtbot)
    model = panel.search.model
    rows = range(model.rowCount())
    at = next(i for i in rows if not isinstance(model.row(i).key, FoundToolkit))
    for colour in ("#112233", "#aabbcc"):
        context.set_colours({t.id: colour for t in context.catalogue.toolkits})
        icon = model.index(at, 0).data(Qt.ItemDataRole.DecorationRole)
        assert icon.pixmap(16, 16).toImage().pixelColor(8, 8) == QColor(colour)


def test_search_list_when_found_by_meaning_then_it_lists_the_toolkits_that_hold_the_apis(
    panel: ToolkitsPanel, qtbot
) -> None:
    context = panel.context
    text = "what is the exchange rate of today"
    assert not context.catalogue.named(text)
    search(panel, text, qtbot)
    rowids = [hit.rowid for hit in panel.search._hits]
    homes = [t.id for t in context.catalogue.toolkits_of(rowids) if t is not None]
    found = listed(panel)
    assert found
    for toolkit, (_, figure) in found.items():
        living = context.catalogue.toolkit(toolkit)
        assert living is not None
        assert figure == f"{homes.count(toolkit)} of {living.size}"
    assert "0 with all" not in panel.search.note.text(), "said already"
    # Those that hold what fits best stand first.
    assert next(iter(found)) == homes[0]
    # One of them loses what was found: the counts follow.
    best = next(iter(found))
    other = next(t.id for t in context.catalogue.toolkits if t.id not in set(homes))
    moved = tuple(r for r, home in zip(rowids, homes, strict=True) if home == best)
    context.curation.do(Move(rowids=moved, to=other))
    settle(context, qtbot)
    assert best not in listed(panel)


def test_search_list_when_not_all_toolkits_are_listed_then_it_says_how_many_are(
    panel: ToolkitsPanel, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    monkeypatch.setattr(toolkit_search, "_TOOLKITS", 1)
    search(panel, "weather", qtbot)
    n = len(panel.context.catalogue.named("weather"))
    assert n > 1
    assert f"1 of {n} toolkits by name" in panel.search.note.text()
    model, view = panel.search.model, panel.search.view
    assert model.index(1, 0).data() == f"{counted(n - 1, 'more toolkit')} by name …"
    view.selectAll()
    assert panel.context.selection.count > 0, "the row of the others is nothing to select"
    view.clearSelection()
    qtbot.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(model.index(1, 0)).center()
    )
    qtbot.waitUntil(lambda: f"1 of {n}" not in panel.search.note.text())
    named = {t.id for t in panel.context.catalogue.named("weather")}
    assert named <= listed(panel).keys()
    assert f"· {n} toolkits by name" in panel.search.note.text()


def test_toolkits_by_name_when_one_is_called_so_then_it_stands_first_and_the_others_by_size() -> (
    None
):
    sizes = {"AccuWeather": 9, "Havo weather": 1, "Weather": 4, "Weather forecasts": 59}
    kits = tuple(
        Toolkit(id=ToolkitId(i), name=name, description="", size=size)
        for i, (name, size) in enumerate(sizes.items())
    )
    found = [kit.name for kit in CuratedCatalogue(toolkits=kits).named("weather")]
    assert found == ["Weather", "Weather forecasts", "Havo weather", "AccuWeather"]


def test_search_list_when_no_api_holds_all_the_words_then_it_says_what_the_nearest_are(
    panel: ToolkitsPanel, qtbot
) -> None:
    search(panel, "exchange forecast sunset", qtbot)
    homes = panel.context.catalogue.toolkits_of([hit.rowid for hit in panel.search._hits])
    n = len({home.id for home in homes if home is not None})
    said = panel.search.note.text()
    assert said.startswith("No API holds all the words of “exchange forecast sunset”")
    assert f"the nearest {len(panel.search._hits)} are shown, in {n} toolkits" in said
    shown = len(listed(panel))
    assert f"({shown} listed)" in said
    assert "hold them" not in said, "no API holds them"


def test_search_list_when_not_all_with_the_words_are_listed_then_it_says_whose_toolkits_it_counts(
    panel: ToolkitsPanel, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    monkeypatch.setattr(api_search, "LIMIT", 3)
    search(panel, "weather", qtbot)
    rowids = [hit.rowid for hit in panel.search._hits]
    n_all = len(panel.search._search.matching)
    assert len(rowids) < n_all
    homes = {t.id for t in panel.context.catalogue.toolkits_of(rowids) if t is not None}
    said = panel.search.note.text()
    start = f"{len(rowids)} APIs of 196, best first, in {counted(len(homes), 'toolkit')} · "
    assert said.startswith(f"{start}{n_all} with all the words · "), said


def test_search_list_when_a_word_means_nothing_then_nothing_is_listed(
    panel: ToolkitsPanel, qtbot
) -> None:
    search(panel, "zzqqxx", qtbot)
    assert panel.search.model.rowCount() == 0
    assert panel.search.note.text() == "Nothing found: no API holds a word of “zzqqxx”"


def test_search_list_when_stop_words_are_searched_then_they_are_not_marked(
    panel: ToolkitsPanel, qtbot
) -> None:
    search(panel, "the weather for a day", qtbot)
    assert panel.search._delegate._spans("The weather forecast a day") == [(4, 11), (23, 26)]


def test_lists_when_something_else_is_selected_elsewhere_then_they_mark_that_alone(
    panel: ToolkitsPanel, qtbot
) -> None:
    context, view = panel.context, panel.search.view
    search(panel, "weather", qtbot)
    one, other = [t.id for t in context.catalogue.named("weather")][:2]
    click(panel, one, qtbot)
    context.selection.select_toolkits((one, other))
    marked = {index.data(KEY_ROLE) for index in view.selectionModel().selectedRows(0)}
    assert marked == {FoundToolkit(one), FoundToolkit(other)}
    elsewhere = next(t for t in context.catalogue.toolkits if t.id not in listed(panel))
    click(panel, one, qtbot)
    context.selection.select_toolkit(elsewhere.id)
    assert not view.selectionModel().selectedRows(0)
    # And the tree below the search, which was hidden meanwhile.
    click(panel, other, qtbot)
    panel.field.setText("")
    qtbot.waitUntil(lambda: panel.pages.currentWidget() is panel.tree)
    tree = panel.tree.selectionModel()
    assert [index.data(TOOLKIT_ROLE) for index in tree.selectedRows(0)] == [other]


def test_search_when_there_are_vectors_then_the_field_and_its_hits_name_words_and_meaning(
    panel: ToolkitsPanel, qtbot
) -> None:
    assert panel.field.placeholderText() == "Search by words and meaning (Ctrl+F)"
    panel.resize(230, 700)
    assert panel.field.placeholderText() == "Words and meaning"
    panel.resize(320, 700)
    assert "LSA: words that stand together in this catalogue" in panel.field.toolTip()
    search(panel, "currency exchange", qtbot)
    hits = panel.search._hits
    model = panel.search.model
    near = [hit for hit in hits if hit.by_meaning]
    assert 0 < len(near) < len(hits)
    for hit in hits:
        place = model.position_of(hit.rowid)
        assert place is not None
        row = model.row(place)
        text = f"{hit.title} {hit.description}".casefold()
        assert row.cells[1].startswith("≈ ") is hit.by_meaning
        assert ("by meaning alone" in row.tooltip) is hit.by_meaning
        assert not (hit.by_meaning and ("currency" in text or "exchange" in text))
    assert f"{len(near)} by meaning alone" in panel.search.note.text()
    assert "found by meaning" in model.headerData(
        0, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    )
    search(panel, "weather curren", qtbot)
    begun = [h for h in panel.search._hits if "curren" in f"{h.title} {h.description}".casefold()]
    assert begun and not any(hit.by_meaning for hit in begun), "half a word is one, too"


def test_search_when_there_are_no_vectors_then_the_field_names_words_only(
    opened: AppContext, qtbot
) -> None:
    assert opened.workspace is not None
    set_setting(opened.workspace, "active_embedder", "")
    panel = ToolkitsPanel(opened)
    qtbot.addWidget(panel)
    settle(opened, qtbot)
    assert panel.field.placeholderText() == "Search by words (Ctrl+F)"
    assert "once the catalogue is prepared" in panel.field.toolTip()


def test_search_when_the_weights_are_missing_then_the_field_names_words_only_from_then_on(
    opened: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(tmp_path / "nothing"))
    workspace = opened.workspace
    assert workspace is not None
    state = embedder_state(workspace, get_setting(workspace, "active_embedder"))
    lost = EmbedderState(id="minilm", kind="minilm", dim=state.dim, state=None)
    put_embedder_state(workspace, lost)
    workspace.writer.run(lambda db: db.execute("UPDATE vectors SET embedder = 'minilm'"))
    set_setting(workspace, "active_embedder", "minilm")
    panel = ToolkitsPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(320, 700)
    panel.show()
    settle(opened, qtbot)
    assert panel.field.placeholderText() == "Search by words and meaning (Ctrl+F)"
    search(panel, "currency exchange", qtbot)
    assert panel.search.note.text().endswith("Found by words only.")
    assert not any(hit.by_meaning for hit in panel.search._hits)
    panel.field.clear()
    assert panel.field.placeholderText() == "Search by words only (Ctrl+F)"
    assert "By meaning" not in panel.field.toolTip()
    assert "all-MiniLM-L6-v2 is not on this machine" in panel.field.toolTip()
    opened.catalogue_changed.emit()
    assert "words only" not in panel.field.placeholderText(), "it may be there by now"


def test_search_list_before_the_first_answer_then_it_says_that_it_searches(
    panel: ToolkitsPanel, qtbot
) -> None:
    panel.field.setText("weather")
    with qtbot.waitSignal(panel.field.searched):
        pass
    assert panel.search.note.text() == "Searching …"
    qtbot.waitUntil(lambda: "best first" in panel.search.note.text())
