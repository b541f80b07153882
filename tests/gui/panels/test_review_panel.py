"""The review in the window, by keys: what is asked, answered, taken back, accepted together."""

from pathlib import Path

import pytest
from fixtures.review_world import faulty_workspace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace.curated_tables import all_exclusions, all_links
from toolplanner_core.workspace.verdicts import Verdict, load_verdicts
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.review_panel import AnswerBar, ReviewPanel
from toolplanner_gui.windows.main_window import MainWindow

Key = Qt.Key


class Analyst:
    """Presses keys in the Review layout and waits until the answer is on disk and on screen."""

    def __init__(self, window: MainWindow, context: AppContext, qtbot) -> None:
        self.window, self.context, self.qtbot = window, context, qtbot
        self.panel = window.workspace_view.docks.panel("review")
        assert isinstance(self.panel, ReviewPanel)

    def press(self, key: Key) -> None:
        self.qtbot.keyClick(self.window, key)
        self.settle()

    def settle(self) -> None:
        context = self.context
        self.qtbot.waitUntil(
            lambda: context.review.is_idle and context.curation.is_idle and context.answers.is_idle,
            timeout=30_000,
        )

    def look_at_merge(self) -> Candidate:
        """Look at the best question about a merge."""
        review = self.context.review
        merge = next(one for one in review.questions if one.kind is CandidateKind.MERGE)
        review.look_at(merge.key)
        self.settle()
        return merge

    @property
    def labels(self) -> list[str]:
        assert self.context.workspace is not None
        return [entry.label for entry in list_history(self.context.workspace)]

    @property
    def verdicts(self) -> dict[str, Verdict]:
        assert self.context.workspace is not None
        return {key: one.verdict for key, one in load_verdicts(self.context.workspace).items()}


def open_review(window: MainWindow, path: Path, qtbot) -> Analyst:
    context = window._context
    context.tasks.spawn(context.open_workspace(path), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=30_000)
    window.show_layout("review")
    qtbot.waitUntil(lambda: context.review.state is not None, timeout=60_000)
    made = Analyst(window, context, qtbot)
    made.settle()
    return made


@pytest.fixture
def on_demo(window: MainWindow, demo: Path, qtbot) -> Analyst:
    """The demo workspace."""
    return open_review(window, demo, qtbot)


@pytest.fixture
def analyst(window: MainWindow, tmp_path: Path, qtbot) -> Analyst:
    """A small workspace in which a merge is asked for."""
    with faulty_workspace(tmp_path / "faulty.toolplanner") as workspace:
        path = workspace.path
    return open_review(window, path, qtbot)


def test_review_by_keys_then_answers_are_kept_and_the_next_question_comes_up(
    analyst: Analyst,
) -> None:
    context, review, panel = analyst.context, analyst.context.review, analyst.panel
    first = analyst.look_at_merge()
    assert panel.card.title.text() == first.title
    assert [line.name for line in panel.card.signals.shown] == [
        name.capitalize() for name in first.signals
    ]
    assert "Joins it" in panel.card.text
    assert "→" in panel.card.consequences.text()
    # The map shows what is asked about.
    assert context.selection.count == sum(
        toolkit.size for toolkit in context.catalogue.toolkits if toolkit.id in first.toolkits
    )
    n = len(review.questions)

    analyst.press(Key.Key_A)
    assert len(analyst.labels) == 1
    assert context.catalogue.toolkit(ToolkitId(first.toolkits[1])) is None
    second = review.current
    assert second is not None
    assert second.key != first.key
    analyst.press(Key.Key_R)
    third = review.current
    assert third is not None
    analyst.press(Key.Key_S)
    assert analyst.verdicts == {
        first.key: Verdict.ACCEPTED,
        second.key: Verdict.REJECTED,
        third.key: Verdict.SKIPPED,
    }
    shown = {one.key for one in review.questions}
    assert not shown & {first.key, second.key, third.key}
    assert len(shown) <= n
    assert "2 answered" in panel.standing.words.text()
    assert "agreed with 50%" in panel.standing.words.text()
    assert panel.kinds.findText("Skipped 1") > 0

    # Take back all three, the newest first: the edit is undone by the last.
    for question in (third, second, first):
        analyst.press(Key.Key_Z)
        assert review.current is not None
        assert review.current.key == question.key
    assert analyst.verdicts == {}
    assert context.catalogue.toolkit(ToolkitId(first.toolkits[1])) is not None
    assert context.curation.redo_label


def test_browsing_when_j_and_k_are_pressed_then_card_and_list_go_along(on_demo: Analyst) -> None:
    review, panel = on_demo.context.review, on_demo.panel
    on_demo.press(Key.Key_J)
    on_demo.press(Key.Key_J)
    assert review.current is review.questions[2]
    assert panel.list.tree.currentIndex().row() == 2
    on_demo.press(Key.Key_K)
    assert review.current is review.questions[1]
    panel.list.tree.setCurrentIndex(panel.list.model.index(4, 0))
    on_demo.settle()
    assert review.current is review.questions[4]
    assert panel.card.title.text() == review.questions[4].title


def test_answer_when_the_next_shall_not_come_up_then_the_card_stays(analyst: Analyst) -> None:
    review, panel = analyst.context.review, analyst.panel
    panel.next_box.setChecked(False)
    first, second = review.questions[:2]
    analyst.press(Key.Key_R)
    assert review.current is not None
    assert review.current.key == first.key
    assert panel.card.answer.text() == "Rejected"
    assert not panel.answer_bar.accept_button.isEnabled()
    analyst.press(Key.Key_J)
    assert review.current.key == second.key


def test_answer_when_questions_were_passed_over_then_none_of_them_comes_up_again(
    on_demo: Analyst,
) -> None:
    review = on_demo.context.review
    passed = [one.key for one in review.questions[:2]]
    on_demo.press(Key.Key_J)
    on_demo.press(Key.Key_J)
    for key in (Key.Key_R, Key.Key_A, Key.Key_S):
        before = review.current
        assert before is not None
        on_demo.press(key)
        assert review.current is not None
        assert review.current.key not in {*passed, before.key}
    # Nor after an edit that ends what is looked at: the list is looked through again.
    at = next(one for one in review.questions[3:] if one.toolkits)
    review.look_at(at.key)
    on_demo.settle()
    passed = [one.key for one in review.questions[: review.questions.index(at)]]
    gone = ToolkitId(at.toolkits[0])
    into = next(t.id for t in on_demo.context.catalogue.toolkits if t.id not in at.toolkits)
    on_demo.context.curation.do(Merge(toolkits=(gone,), into=into))
    on_demo.settle()
    assert review.current is not None
    assert review.current.key not in {*passed, at.key}


def test_review_when_it_is_looked_through_again_then_the_person_stays_at_the_same_question(
    on_demo: Analyst, qtbot
) -> None:
    review = on_demo.context.review
    first = review.questions[0].key
    on_demo.press(Key.Key_J)
    on_demo.press(Key.Key_R)
    here = review.current
    assert here is not None and here.key != first
    review.reading._forget()
    review.reading.begin()
    qtbot.waitUntil(lambda: review.state is not None)
    on_demo.settle()
    assert review.current is not None
    assert review.current.key == here.key
    on_demo.press(Key.Key_R)
    assert review.current is not None
    assert review.current.key not in {first, here.key}


def test_answers_when_the_evidence_is_still_read_then_they_are_off_with_their_keys(
    on_demo: Analyst,
) -> None:
    context, panel = on_demo.context, on_demo.panel
    bar, first = panel.answer_bar, context.review.current
    assert bar.accept_button.isEnabled() and bar.reject_button.isEnabled()
    card = context.review.cards.card
    context.review.cards.card = None
    context.review.cards.changed.emit()
    assert not bar.accept_button.isEnabled() and not bar.reject_button.isEnabled()
    assert bar.skip_button.isEnabled(), "nobody has to read what is put off"
    on_demo.press(Key.Key_A)
    on_demo.press(Key.Key_R)
    assert context.review.current is first and not on_demo.verdicts
    accept = next(action for _, action in all_actions() if action.id == "review.accept")
    assert accept.why_not(context) == "Its evidence is still being read"
    context.review.cards.card = card
    context.review.cards.changed.emit()
    assert bar.accept_button.isEnabled()


def test_take_back_when_the_answer_is_still_being_given_then_that_one_is_taken_back(
    analyst: Analyst,
) -> None:
    first = analyst.look_at_merge()
    analyst.press(Key.Key_A)
    assert analyst.verdicts == {first.key: Verdict.ACCEPTED}
    second = analyst.context.review.current
    assert second is not None
    analyst.qtbot.keyClick(analyst.window, Key.Key_R)
    analyst.press(Key.Key_Z)
    assert analyst.verdicts == {first.key: Verdict.ACCEPTED}
    assert analyst.context.review.current is not None
    assert analyst.context.review.current.key == second.key


def test_never_when_a_merge_then_the_toolkits_are_kept_apart(analyst: Analyst) -> None:
    context = analyst.context
    analyst.look_at_merge()
    analyst.press(Key.Key_N)
    assert context.workspace is not None
    assert list(all_links(context.workspace.reader()).values()) == [LinkKind.CANNOT]


def open_batch(on_demo: Analyst, kind: CandidateKind) -> int:
    """The strip for all that is half sure of a kind; how many that are."""
    on_demo.context.review.choose_kind(kind)
    on_demo.settle()
    on_demo.press(Key.Key_B)
    on_demo.panel.strip.threshold.setValue(0.5)
    return on_demo.panel.list.model.rowCount()


def accept_batch(on_demo: Analyst) -> None:
    answers = on_demo.context.answers
    on_demo.panel.strip.accept_button.click()
    on_demo.qtbot.waitUntil(lambda: answers.batch is not None and not answers.is_batch_running)
    on_demo.settle()


def test_batch_when_accepted_then_counted_before_and_undone_as_one(on_demo: Analyst) -> None:
    context, panel = on_demo.context, on_demo.panel
    before = sorted((t.id, t.name) for t in context.catalogue.toolkits)
    n = open_batch(on_demo, CandidateKind.SPLIT)
    assert not panel.strip.isHidden()
    assert n == len(context.review.questions) > 1
    assert all(one.probability >= 0.5 for one in context.review.questions)
    assert panel.strip.accept_button.text() == f"Accept {n}"
    context.answers.accept_listed()
    context.answers.stop_batch()
    on_demo.settle()
    assert on_demo.labels == [], "stopped before its edit is made"
    assert panel.strip.undo_button.isHidden()
    accept_batch(on_demo)
    assert context.answers.batch.done + context.answers.batch.left == n
    n_done = context.answers.batch.done
    assert n_done > 1
    assert on_demo.labels[0].endswith(f"and {n_done - 1} more"), "one entry holds all"
    assert len(on_demo.labels) == 1
    assert list(on_demo.verdicts.values()) == [Verdict.ACCEPTED] * n_done
    assert "agreed" not in panel.standing.words.text()
    # It is undone at any time: an edit since stays.
    context.curation.do(Exclude(rowids=(1,), reason="mine"))
    on_demo.settle()
    panel.strip.undo_button.click()
    on_demo.settle()
    assert sorted((t.id, t.name) for t in context.catalogue.toolkits) == before
    assert all_exclusions(context.workspace.reader()) == {1: "mine"}
    assert panel.strip.undo_button.isHidden()
    panel.strip.threshold.setValue(0.5)
    assert panel.list.model.rowCount() == n, "all are asked again"


def test_names_when_persons_wrote_them_then_no_question_is_about_them(on_demo: Analyst) -> None:
    assert all(one.kind is not CandidateKind.NAME for one in on_demo.context.review.questions)


def test_batch_while_it_runs_then_no_evidence_is_shown_and_nothing_else_can_be_answered(
    on_demo: Analyst,
) -> None:
    context, panel = on_demo.context, on_demo.panel
    context.review.choose_kind(CandidateKind.SPLIT)
    on_demo.settle()
    panel.open_batch()
    panel.strip.threshold.setValue(0.5)
    on_demo.settle()
    bar, card = panel.answer_bar, panel.card
    buttons = (bar.accept_button, bar.reject_button, bar.skip_button, bar.never_button)
    seen: list[tuple[bool, bool]] = []

    def look() -> None:
        if context.answers.is_batch_running:
            has_sides = any(not side.isHidden() for side in card.sides)
            seen.append((has_sides, any(button.isEnabled() for button in buttons)))

    for told in (
        context.answers.batch_changed,
        context.review.listed,
        context.review.cards.changed,
    ):
        told.connect(look)
    panel.strip.accept_button.click()
    on_demo.qtbot.waitUntil(
        lambda: context.answers.batch is not None and not context.answers.is_batch_running,
        timeout=60_000,
    )
    on_demo.settle()
    assert len(seen) > 2
    assert not any(has_sides or is_open for has_sides, is_open in seen)
    panel.close_batch()
    context.review.choose_kind(None)
    on_demo.settle()
    assert context.review.current is not None
    assert card.title.text() == context.review.current.title
    assert not card.sides[0].isHidden() and bar.accept_button.isEnabled()


def test_batch_when_a_region_is_chosen_then_only_what_is_listed_is_accepted(
    on_demo: Analyst,
) -> None:
    context, panel = on_demo.context, on_demo.panel
    splits = [one for one in context.review.questions if one.kind is CandidateKind.SPLIT]
    half_sure = [one for one in splits if 0.5 <= one.probability < 1]
    kits = frozenset(ToolkitId(t) for t in half_sure[0].toolkits)
    context.review.choose_region(kits)
    context.review.choose_kind(CandidateKind.SPLIT)
    on_demo.settle()
    panel.open_batch()
    panel.strip.threshold.setValue(1.0)
    on_demo.settle()
    assert context.review.questions == []
    assert not panel.strip.isHidden()
    assert panel.card.isHidden() or not panel.card.isVisible(), "nothing that is not listed"
    panel.strip.threshold.setValue(0.5)
    on_demo.settle()
    listed = context.review.questions
    assert 0 < len(listed) < len([one for one in splits if one.probability >= 0.5])
    assert panel.strip.accept_button.text() == f"Accept {len(listed)}"
    assert context.review.current in listed
    panel.strip.accept_button.click()
    on_demo.qtbot.waitUntil(
        lambda: context.answers.batch is not None and not context.answers.is_batch_running,
        timeout=60_000,
    )
    on_demo.settle()
    assert set(on_demo.verdicts) <= {one.key for one in listed}
    panel.close_batch()
    on_demo.settle()
    assert context.review.choice.above == 0


def test_batch_when_it_is_closed_then_the_questions_of_before_are_listed_again(
    on_demo: Analyst,
) -> None:
    review, panel = on_demo.context.review, on_demo.panel
    kinds = {one.kind for one in review.questions}
    assert len(kinds) > 1
    panel.open_batch()
    assert {one.kind for one in review.questions} < kinds
    panel.close_batch()
    assert review.choice.is_all
    assert {one.kind for one in review.questions} == kinds


def test_edits_from_elsewhere_when_made_then_the_questions_follow(analyst: Analyst) -> None:
    context = analyst.context
    merge = analyst.look_at_merge()
    into, gone = (ToolkitId(one) for one in merge.toolkits)
    context.curation.do(Merge(toolkits=(gone,), into=into))
    analyst.settle()
    assert merge.key not in {one.key for one in context.review.questions}
    context.curation.undo()
    analyst.settle()
    assert merge.key in {one.key for one in context.review.questions}


def test_toolkit_when_it_shall_be_reviewed_then_only_its_questions_are_listed(
    analyst: Analyst,
) -> None:
    context = analyst.context
    merge = analyst.look_at_merge()
    toolkit = ToolkitId(merge.toolkits[0])
    context.selection.select_toolkit(toolkit)
    action = next(
        a for a in analyst.window.findChildren(type(analyst.window.actions()[0]), "review.selected")
    )
    action.trigger()
    analyst.settle()
    questions = context.review.questions
    assert merge.key in {one.key for one in questions}
    assert all(toolkit in one.toolkits for one in questions)
    assert "only" in analyst.panel.kinds.currentText()


def test_panel_then_everything_for_people_has_a_name_and_keys_are_said(on_demo: Analyst) -> None:
    panel = on_demo.panel
    for widget in (
        panel.kinds,
        panel.list.tree,
        panel.standing.bar,
        panel.card,
        panel.strip.threshold,
    ):
        assert widget.accessibleName()
    for button, key in (
        (panel.answer_bar.accept_button, "A"),
        (panel.answer_bar.reject_button, "R"),
        (panel.answer_bar.skip_button, "S"),
        (panel.answer_bar.never_button, "N"),
        (panel.answer_bar.back_button, "Z"),
    ):
        assert isinstance(button, QPushButton)
        assert f"({key})" in button.text()
        assert f"({key})" in button.toolTip()


def test_panel_when_the_workspace_is_empty_then_it_says_what_to_do(
    context: AppContext, tmp_path: Path, qtbot
) -> None:
    place = tmp_path / "empty.toolplanner"
    context.tasks.spawn(context.new_workspace(place), owner=context)
    qtbot.waitUntil(lambda: context.opened is not None)
    panel = ReviewPanel(context)
    qtbot.addWidget(panel)
    panel.show()
    assert "import and prepare" in panel._empty.sentence


def test_question_when_it_is_about_how_alike_apis_are_then_that_is_called_fit(
    on_demo: Analyst,
) -> None:
    card = on_demo.panel.card
    asked = next(q for q in on_demo.context.review.questions if "cohesion" in q.signals)
    card.show_question(asked, 0.5, "")
    named = [line.name for line in card.signals.shown]
    assert "Fit" in named and "Cohesion" not in named


def test_answers_when_there_is_little_room_then_words_are_whole_without_their_keys(
    analyst: Analyst, qtbot
) -> None:
    around = QWidget()
    qtbot.addWidget(around)
    bar = AnswerBar(analyst.context.answers)
    bar.setParent(around)
    bar.resize(900, 50)
    around.show()
    assert bar.accept_button.text() == "Accept (A)"
    bar.resize(bar.sizeHint().width() - 20, 50)
    buttons = (bar.accept_button, bar.reject_button, bar.back_button)
    assert [button.text() for button in buttons] == ["Accept", "Reject", "Take back"]
    assert all(button.width() >= button.sizeHint().width() for button in buttons)
    bar.resize(900, 50)
    assert bar.accept_button.text() == "Accept (A)"
