"""The card of one question: the signals, both sides, and what "accept" would do.

Shows what it is given; the texts are made once and filled again, so that the next question is there
within a frame. Made by `panels/review_panel.py`.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from toolplanner_core.curation.questions.kinds.candidate import Candidate
from toolplanner_core.curation.questions.queue.card import Card, Side
from toolplanner_core.curation.questions.queue.priority import priority_words, why_here
from toolplanner_core.words.formatting import score
from toolplanner_core.words.glossary import explain_term
from toolplanner_gui.panels.review_group import JoiningToolkits
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of, page_of, row_of
from toolplanner_gui.widgets.diff_view import diff_as_html
from toolplanner_gui.widgets.labels import rule, text_label
from toolplanner_gui.widgets.signal_bars import SignalBars, SignalLine
from toolplanner_gui.widgets.views import scroll_vertically

_WORTH = (
    f"Worth: {explain_term('Worth')} Questions are ordered by it. Mean of the signals: of the"
    " evidence below, each from 0 (speaks against) to 1 (speaks for)."
)


class ComparedSideView(QWidget):
    """One of the two things that are compared."""

    def __init__(self) -> None:
        super().__init__()
        self.role = text_label(role="section", is_selectable=True)
        self.name, self.figures, self.text, self.parameters, self.members = (
            text_label(role=role, is_wrapped=True, is_selectable=True)
            for role in ("heading", "dim", "", "", "")
        )
        for label in (self.text, self.parameters):
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setToolTip("<p>Marked: words that the other side does not have</p>")
        labels = (self.role, self.name, self.figures, self.text, self.parameters, self.members)
        column_of(*labels, 1, of=self, gap=SPACE)

    def show_side(self, side: Side) -> None:
        """Show it."""
        self.role.setText(side.role)
        self.name.setText(side.name)
        lines = [f"• {title}" for title in side.members]
        if side.more:
            lines.append(f"and {side.more:,} more")
        _say(self.figures, side.figures)
        _say(self.text, diff_as_html(side.text))
        named = f"Parameters: {side.parameters}" if side.parameters else ""
        _say(self.parameters, diff_as_html(named))
        _say(self.members, "\n".join(lines))
        self.setAccessibleName(f"{side.role}: {side.name}, {side.figures}")


class QuestionCardView(QScrollArea):
    """Shows a question, and its card when that is there.

    Args:
        plans: what accepting does to plans, shown below its other consequences.
    """

    def __init__(self, plans: QWidget) -> None:
        super().__init__()
        scroll_vertically(self)
        self.setAccessibleName("The question and its evidence")
        self.title = text_label(role="heading", is_wrapped=True)
        self.answer = text_label(role="section")
        self.likely = text_label(role="dim", is_wrapped=True)
        self.signals = SignalBars()
        self.about = text_label(is_wrapped=True)
        self.shared = text_label(role="dim", is_wrapped=True)
        self.does = text_label(is_wrapped=True)
        self.consequences = text_label(role="dim", is_wrapped=True)
        self.consequences.setToolTip(plain_tooltip(f"Silhouette: {explain_term('silhouette')}"))
        self.sides = (ComparedSideView(), ComparedSideView())
        self.joining = JoiningToolkits()
        evidence = (text_label("Evidence", role="section"), self.signals, rule(), self.about)
        compared = (*((side, 1) for side in self.sides), (self.joining, 1))
        sides = row_of(*compared, gap=2 * EDGE)
        accept = text_label("If you accept", role="section")
        accepted = (accept, self.does, self.consequences, plans)
        parts = (self.answer, self.title, self.likely, *evidence, sides, self.shared, rule())
        margins = (EDGE, GAP, EDGE, EDGE)
        self.setWidget(page_of(*parts, *accepted, 1, margins=margins, gap=GAP, role="page"))

    def show_question(self, candidate: Candidate, probability: float, answer: str) -> None:
        """Show what is known at once: the question and its signals."""
        _say(self.answer, answer)
        self.title.setText(candidate.title)
        guess, learned = score(candidate.probability), score(probability)
        by_answers = f" Before your answers so far: {guess}." if guess != learned else ""
        self.likely.setText(f"{why_here(candidate, probability)}{by_answers}")
        worth = priority_words(candidate, candidate.gain * probability)
        self.likely.setToolTip(plain_tooltip(f"{worth}.\n{_WORTH}"))
        self.signals.show_evidence(
            [
                SignalLine(_title(name), signal.value, _without_name(signal.sentence))
                for name, signal in candidate.signals.items()
            ]
        )

    def show_card(self, card: Card | None) -> None:
        """Show both sides and the consequences; None while they are read."""
        sides: Sequence[Side] = () if card is None else card.sides
        is_group = card is not None and card.is_group
        self.joining.setVisible(is_group)
        self.joining.show_sides(sides[1:] if is_group else ())
        beside = sides[:1] if is_group else sides
        for place, view in enumerate(self.sides):
            view.setVisible(place < len(beside))
            if place < len(beside):
                view.show_side(beside[place])
        _say(self.about, "" if card is None else card.about)
        near = "" if card is None or not card.shared else f"Both are near {card.shared}"
        _say(self.shared, near)
        if card is None:
            self.does.setText("Reading …")
        elif card.proposed is None:
            self.does.setText(card.problem)
        else:
            self.does.setText(f"{card.proposed.words} {card.problem}".strip())
        lines = () if card is None else card.consequences
        _say(self.consequences, "\n".join(lines))

    @property
    def text(self) -> str:
        """All that is shown, for screen readers and tests."""
        parts = [self.title.text(), *(one.sentence for one in self.signals.shown)]
        for side in self.sides:
            if not side.isHidden():
                parts += [side.role.text(), side.name.text(), side.members.text()]
        parts += [row.box.text() for row in self.joining.rows]
        parts += [self.does.text(), self.consequences.text()]
        return "\n".join(part for part in parts if part)


def _say(label: QLabel, text: str) -> None:
    """Show a text; nothing takes no room."""
    label.setText(text)
    label.setVisible(bool(text))


def _title(signal: str) -> str:
    """A signal as people read it."""
    return "Fit" if signal == "cohesion" else signal.capitalize()


def _without_name(sentence: str) -> str:
    """The sentence without the name that stands before its bar."""
    name, mark, rest = sentence.partition(": ")
    return rest[:1].upper() + rest[1:] if mark and len(name) < 24 else sentence
