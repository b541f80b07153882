"""Both sides of a difference are shown whole, with the words marked that differ."""

from toolplanner_core.words.word_diff import mark_differences
from toolplanner_gui.widgets.diff_view import SideBySide


def test_sides_when_shown_then_whole_and_marked_and_foreign_marks_are_text(qtbot) -> None:
    view = SideBySide("What differs")
    qtbot.addWidget(view)
    view.resize(600, 100)
    assert view.isHidden()
    long = "the forecast for Oslo on Monday is sunny with a light wind from the west " * 4
    one, other = mark_differences(f"{long}<b>x</b>", f"{long.replace('Oslo', 'Bergen')}<b>x</b>")
    view.show_rows(("What", "Left", "Right"), [("Result", one, other)])
    assert not view.isHidden()
    text = view.toPlainText()
    assert text.count("Oslo") == 4
    assert text.count("Bergen") == 4
    assert "<b>x</b>" in text
    html = view.toHtml()
    marked = html.partition("Bergen")[0].rpartition("<span")[2]
    assert "underline" in marked
    view.show_rows(("What", "Left", "Right"), [])
    assert view.isHidden()
