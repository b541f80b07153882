"""What the review shows when one comes back: after taking answers back, for another batch, for the
next card."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.gui.panels.test_review_panel import Analyst, open_review
from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_gui.windows.main_window import MainWindow

Key = Qt.Key


@pytest.fixture
def on_demo(window: MainWindow, demo: Path, qtbot) -> Analyst:
    return open_review(window, demo, qtbot)


def test_answers_when_taken_back_then_the_next_of_the_list_comes_up(on_demo: Analyst) -> None:
    review = on_demo.context.review
    first = review.questions[0].key
    for _ in range(3):
        on_demo.press(Key.Key_R)
    for _ in range(3):
        on_demo.press(Key.Key_Z)
    assert review.current is not None and review.current.key == first
    on_demo.press(Key.Key_R)
    assert review.current is not None
    assert review.current.key == review.questions[0].key


def test_batch_when_opened_again_then_it_speaks_of_what_is_listed_now(on_demo: Analyst) -> None:
    context, panel = on_demo.context, on_demo.panel
    strip = panel.strip
    context.review.choose_kind(CandidateKind.SPLIT)
    on_demo.settle()
    panel.open_batch()
    assert strip.words.text().startswith(f"{len(context.review.questions)} question")
    strip.threshold.setValue(0.5)
    place = strip.accept_button.x() + strip.accept_button.width()
    strip.accept_button.click()
    on_demo.qtbot.waitUntil(lambda: context.answers.batch is not None)
    on_demo.settle()
    assert "accepted" in strip.words.text() and not strip.undo_button.isHidden()
    on_demo.qtbot.waitUntil(lambda: strip.accept_button.x() + strip.accept_button.width() == place)
    panel.close_batch()
    assert context.review.state is not None
    waiting = context.review.state.waiting
    other = next(one.kind for one in waiting if one.kind is not CandidateKind.SPLIT)
    context.review.choose_kind(other)
    on_demo.settle()
    panel.open_batch()
    n = len(context.review.questions)
    assert strip.words.text().startswith(f"{n} question")
    assert f"“{other.value}”" in strip.words.text()
    assert strip.undo_button.isHidden()
    best = max(one.probability for one in waiting if one.kind is other)
    assert strip.threshold.value() <= min(0.85, best), "it opens on what there is"
    assert n > 0


def test_regions_when_a_kind_is_chosen_then_its_questions_are_counted(on_demo: Analyst) -> None:
    context, panel = on_demo.context, on_demo.panel
    context.review.choose_kind(CandidateKind.SPLIT)
    on_demo.settle()
    assert panel.regions.itemText(0) == f"All regions {len(context.review.questions):,}"


def test_card_when_the_next_question_comes_up_then_it_is_shown_from_its_top(
    on_demo: Analyst,
) -> None:
    panel, bar = on_demo.panel, on_demo.panel.card.verticalScrollBar()
    on_demo.window.resize(1000, 500)
    on_demo.qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    on_demo.press(Key.Key_R)
    assert panel.card.title.text()
    assert bar.value() == 0
