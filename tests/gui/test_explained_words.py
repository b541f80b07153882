"""Every word of the window that is not plain English explains itself where it stands: titles of
columns and panels, and labels of fields, in one sentence."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFormLayout,
    QLabel,
    QTableView,
    QTreeView,
    QWidget,
)

from toolplanner_core.curation.looking.map_finding import WORDS, coherence_in_words
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.layout.layout import layouts
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.words.glossary import concept, explain_concept, explain_term
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.dialog_commands import DialogCommand
from toolplanner_gui.layouts import BY_ID
from toolplanner_gui.panels.panel import places_in
from toolplanner_gui.windows.dialog import dialogs
from toolplanner_gui.windows.docks import PanelTitle
from toolplanner_gui.windows.main_window import MainWindow

NEED_SOMETHING = {
    "crash",
    "replay",
    "import_report",
    "what_is_new",
    "case",
    "console",
    "decisions",
    "edit_effects",
}
PLAIN = frozenset(
    {
        "Action", "Address", "After", "Before", "Breakpoints and faults", "By", "Call", "Called by",
        "Category", "Cause",
        "Comes in", "Description", "Difference", "Differences", "Do", "Documented", "Edit", "Event",
        "Failed", "Failed last time", "Field", "Figure", "File", "Folder", "For", "For whom",
        "Found", "From",
        "How", "How many", "How often", "Into", "Its last runs", "Its name", "Key", "Keys", "Kind",
        "Last run", "Name", "Note", "Of", "Part", "Parts", "Reason", "Run and its calls",
        "Say, do not stop", "Since", "State", "Text", "Texts of", "Time", "To", "Type", "What",
        "What changed", "What goes wrong", "What it says", "When", "Where", "Which", "Which calls",
        "Who", "Why", "With the argument", "Of the agent", "demo", "Argument", "Value",
        "What came of it",
    }
)  # fmt: skip
"""Words that mean here what they mean everywhere."""


def words_of(shown: QWidget) -> Iterator[tuple[str, str]]:
    """Words that stand over columns, panels and beside fields, each with its explanation."""
    for view in shown.findChildren(QAbstractItemView):
        model = view.model()
        has_header = isinstance(view, QTableView) or (
            isinstance(view, QTreeView) and not view.isHeaderHidden()
        )
        for column in range(model.columnCount() if model is not None and has_header else 0):
            ask = (column, Qt.Orientation.Horizontal)
            tip = model.headerData(*ask, Qt.ItemDataRole.ToolTipRole)
            yield str(model.headerData(*ask) or ""), str(tip or "")
    for title in shown.findChildren(PanelTitle):
        yield title.name.text(), title.name.toolTip()
    for form in shown.findChildren(QFormLayout):
        for row in range(form.rowCount()):
            item = form.itemAt(row, QFormLayout.ItemRole.LabelRole)
            label = item.widget() if item is not None else None
            if isinstance(label, QLabel):
                yield label.text().replace("&", ""), label.toolTip()


def test_words_when_they_stand_in_the_window_then_each_is_plain_or_explained(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    context.selection.select_toolkit(context.catalogue.toolkits[0].id)
    context.run_view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    qtbot.waitUntil(lambda: not context.run_view.is_live and bool(context.run_view.summaries))
    context.run_view.select_node(NodePath("plan.1"))
    found: dict[str, str] = {}
    for layout in BY_ID:
        window.show_layout(layout)
        for panel in places_in(layout):
            window.workspace_view.docks.reveal(panel)
        found.update(words_of(window))
    for plugin in dialogs:
        if plugin.id in NEED_SOMETHING:
            continue
        what = {"run": 1} if plugin.id in ("fork", "run_mark") else {}
        window.open(
            DialogCommand(plugin.id),
            **what,
            **({"path": NodePath("")} if plugin.id == "fork" else {}),
        )
        for dialog in window.findChildren(QDialog):
            if dialog.isVisible():
                found.update(words_of(dialog))
                dialog.close()
    unexplained = sorted(word for word, tip in found.items() if word and not tip)
    assert [word for word in unexplained if word not in PLAIN] == []


def test_line_below_the_map_when_it_says_how_points_lie_and_belong_then_each_is_explained(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    canvas = window.workspace_view.docks.panel("map").canvas
    line = canvas._overlays.legend
    notes = {p.legend(p.options()) for p in layouts}
    notes.add("Placed by meaning alone")
    for note in notes:
        line.tell(canvas.points, f"coloured by region · {note.lower()}")
        assert f"{note}: {explain_term(note)}" in line.toolTip()
        assert explain_term(note)
    for least, word in WORDS:
        line.tell(canvas.points, "", coherence_in_words(least))
        assert f"{word.capitalize()} (" in line.toolTip()
        assert explain_concept("togetherness") in line.toolTip()
        assert f"*{word}*" in concept("togetherness").text
        assert least == 0 or f"{least:.0%}".replace("%", " %") in concept("togetherness").text
    at = line.mapTo(canvas, line.rect().center())
    assert canvas.childAt(at) is line, "the mouse finds it, so that its words are told"
