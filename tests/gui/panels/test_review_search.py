"""The questions are searched by words, also while single keys answer them."""

from PySide6.QtCore import Qt

from toolplanner_core.workspace.verdicts import load_verdicts
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.review_panel import ReviewPanel


def test_search_when_words_are_typed_then_only_questions_that_hold_them_are_listed(
    opened: AppContext, qtbot
) -> None:
    panel = ReviewPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(800, 560)
    panel.show()
    review = opened.review
    qtbot.waitUntil(lambda: review.current is not None and panel.is_idle)
    everything = review.questions
    wanted = everything[-1].title.split("“")[1].partition("”")[0]

    panel.search.setFocus()
    qtbot.keyClicks(panel.search, f"  {wanted.upper()} ")
    qtbot.waitUntil(lambda: panel.is_idle)
    words = wanted.casefold().split()
    holding = [q for q in everything if all(word in q.title.casefold() for word in words)]
    assert review.questions == holding
    assert 0 < len(holding) < len(everything)
    assert panel.list.model.rowCount() == len(holding)
    assert panel.kinds.itemText(0) == f"All {len(holding):,}"
    assert opened.workspace is not None
    assert not load_verdicts(opened.workspace), "letters answered nothing"

    qtbot.keyClicks(panel.search, "zzz")
    qtbot.waitUntil(lambda: panel.is_idle)
    assert review.questions == []
    assert panel.search.isVisible(), "it can be widened again"
    assert "No question" in panel.list.more.text()
    qtbot.keyClick(panel.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: panel.is_idle)
    assert review.questions == everything
    assert not panel.list.more.isVisible()

    panel.search.setText(wanted)
    toolkit = next(q.toolkits[0] for q in everything if q.toolkits)
    review.choose_toolkit(toolkit)
    qtbot.waitUntil(lambda: panel.is_idle)
    assert panel.search.text() == "", "what is said of one toolkit is not searched"
