"""Cards mark the words that differ, the order says why, and regions are worked one by one."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyleOptionComboBox

from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_core.curation.questions.queue.agreement import Agreement, BandAgreement
from toolplanner_core.curation.questions.queue.listing import QuestionChoice
from toolplanner_core.curation.questions.queue.proposing import Proposed
from toolplanner_core.curation.questions.queue.queue import ReviewStatus
from toolplanner_core.words.glossary import explain_term
from toolplanner_core.words.word_diff import mark_differences
from toolplanner_core.workspace.toolkits import get_toolkit
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.review_list import RegionBox, ReviewProgress
from toolplanner_gui.panels.review_panel import ReviewPanel


@pytest.fixture
def panel(opened: AppContext, qtbot) -> ReviewPanel:
    made = ReviewPanel(opened)
    qtbot.addWidget(made)
    made.resize(800, 560)
    made.show()
    qtbot.waitUntil(lambda: opened.review.current is not None and made.is_idle)
    return made


def test_standing_when_many_were_accepted_together_then_agreement_is_of_those_that_were_read(
    qtbot,
) -> None:
    standing = ReviewProgress()
    qtbot.addWidget(standing)
    read = BandAgreement(kind="merge", low=0.7, high=0.8, accepted=1, rejected=1)
    for accepted, words in (
        (9, "10 answered · 0 left · you agreed with 50% of 2 answered one by one"),
        (1, "2 answered · 0 left · you agreed with 50%"),
    ):
        status = ReviewStatus(
            waiting={},
            accepted=accepted,
            rejected=1,
            skipped=0,
            agreement=Agreement({("merge", 2): read}),
        )
        standing.show_status(status, 0)
        assert standing.words.text() == words


def test_words_when_two_texts_are_compared_then_those_the_other_lacks_are_marked() -> None:
    one, other = mark_differences("Price of a share, now.", "Price of a Share yesterday")
    assert one == "Price of a share, {+now.+}"
    assert other == "Price of a Share {+yesterday+}"
    assert mark_differences("same", "same") == ("same", "same")
    assert mark_differences("all of it", "nothing else here") == ("all of it", "nothing else here")


def test_card_when_two_toolkits_are_compared_then_texts_and_parameters_are_marked(
    panel: ReviewPanel, qtbot
) -> None:
    review = panel.context.review
    two = (CandidateKind.MERGE, CandidateKind.MOVE, CandidateKind.SPLIT)
    marked, texts = "", ""
    for question in [each for each in review.questions if each.kind in two]:
        review.look_at(question.key)
        qtbot.waitUntil(lambda: panel.is_idle and review.cards.card is not None)
        one, other = panel.card.sides
        assert not one.isHidden()
        assert not other.isHidden()
        marked += one.parameters.text() + other.parameters.text()
        described = get_toolkit(panel.context.workspace, question.toolkits[0]).description
        assert one.text.isHidden() == (not described), question.kind
        texts += one.text.text() + other.text.text()
        assert panel.card.horizontalScrollBar().maximum() == 0, "nothing is cut at 800 pixels"
    assert "Parameters: " in marked
    assert "<b><u>" in marked
    assert "<b><u>" in texts
    assert panel.list.width() >= 140


def test_list_when_shown_then_worth_falls_and_says_why(panel: ReviewPanel) -> None:
    model = panel.list.model
    worth = [float(model.row(row).cells[1]) for row in range(model.rowCount())]
    assert worth == sorted(worth, reverse=True)
    assert f"Worth {worth[0]:.1f} = " in model.row(0).tooltip
    assert panel.card.likely.text().startswith("Asked here because a yes means ")
    said = model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert explain_term("Worth") in said
    assert explain_term("Worth") in panel.card.likely.toolTip()


def test_questions_when_a_region_is_chosen_then_only_its_own_are_listed(
    panel: ReviewPanel, qtbot
) -> None:
    review = panel.context.review
    assert panel.regions.isHidden(), "the demo has no regions"
    waiting = review.questions
    of_two = next(question for question in waiting if len(question.toolkits) > 1)
    kits = frozenset(of_two.toolkits[:1])
    box = RegionBox()
    qtbot.addWidget(box)
    box.chosen.connect(review.choose_region)
    others = frozenset(t for q in waiting for t in q.toolkits) - kits
    box.fill([("Money", kits), ("Rest", others)], waiting, None)
    place = next(i for i in range(box.count()) if box.itemText(i).startswith("Money"))
    box.activated.emit(place)
    assert review.choice == QuestionChoice(toolkits=kits)
    here = review.questions
    assert here == [q for q in waiting if not kits.isdisjoint(q.toolkits)]
    assert panel.kinds.itemText(0) == f"All {len(here):,}"
    left = f"{len(here):,} left here, {len(waiting):,} left in all"
    assert left in panel.standing.words.text()
    several = sum(not kits.isdisjoint(q.toolkits) and not others.isdisjoint(q.toolkits)
                  for q in waiting)  # fmt: skip
    assert several > 0
    assert box.itemText(0) == f"All regions {len(waiting):,}"
    assert f"{several:,} are about toolkits of several regions" in box.toolTip()
    # Of a whole catalogue, in the width that it asks for.
    option = QStyleOptionComboBox()
    box.resize(box.sizeHint())
    box.setItemText(0, "All regions 12,493")
    box.initStyleOption(option)
    assert option.currentText == "All regions 12,493"
    box.fill([("Money", kits), ("Rest", others)], waiting, kits)
    assert box.currentText().startswith("Money")
    box.activated.emit(0)
    assert review.questions == waiting


def test_card_when_nothing_is_proposed_then_there_is_no_accept(panel: ReviewPanel, qtbot) -> None:
    review, answers = panel.context.review, panel.context.answers
    bar = panel.answer_bar
    review.look_at(review.questions[0].key)
    qtbot.waitUntil(lambda: panel.is_idle and review.is_read)
    assert not bar.accept_button.isHidden()
    card = review.cards.card
    assert card is not None
    review.cards.card = replace(card, proposed=Proposed(None, "Nothing is better."))
    review.cards.changed.emit()
    assert bar.accept_button.isHidden()
    assert not bar.reject_button.isHidden()
    waiting = len(review.questions)
    answers.accept()
    assert len(review.questions) == waiting, "a yes to nothing is none"
