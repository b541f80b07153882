"""Above the run tree: which run it is, how it stands, and its answer or why there is none."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.observation import INJECTED, SIMULATED
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.presentation.run_columns import (
    ended_words,
    evidence_words,
    said_words,
)
from toolplanner_core.runs.presentation.run_list import calls_words, former_words, provider_words
from toolplanner_core.runs.presentation.states import NODE_LOOKS, status_look
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.runs.tree.formatting import (
    cost_words,
    count_words,
    evidence_lines,
    evidence_title,
    token_words,
    verdict_lines,
)
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.words.formatting import duration, one_line
from toolplanner_core.words.glossary import explain_term
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.labels import ElidedLabel, text_label
from toolplanner_gui.widgets.truncated_text import ExpandingText

_NOTE = 120
"""Characters of a person's note; all of it stands in the tooltip of the list of runs."""
_SHORT = 60
"""Characters of a reason that fit the line of facts; longer ones stand below, in full."""


_FACTS = ("Ended", "Evidence", "Said of it")
_NO_ANSWER, _NOBODY = "no answer to check", "nobody has judged it"
_NOTHING = "nothing to judge"


class _Fact(QWidget):
    """One of the three things that are never mixed: a word of what it is, and what it says."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._words = text_label(is_wrapped=True, name=title)
        name = text_label(title, role="dim")
        name.setToolTip(plain_tooltip(explain_term(title)))
        # The titles stand on one line, however much is said below one of them.
        column_of(name, self._words, of=self, gap=0).addStretch(1)

    def text(self) -> str:
        """What it says."""
        return self._words.text()

    def say(self, words: str) -> None:
        """Say something else; Qt lays the window out for each text."""
        if words != self._words.text():
            self._words.setText(words)


class RunHeader(QWidget):
    """Title, facts, what happened, the answer and what shows it, and the switch that folds what
    went well.

    Args:
        folds_finished: how the switch stands at first.
    """

    fold_toggled = Signal(bool)

    def __init__(self, *, folds_finished: bool) -> None:
        super().__init__()
        self._is_low = False
        self.title = ElidedLabel(role="heading")
        self.facts = text_label(role="dim", is_wrapped=True)
        self.ended, self.replies, self.said = (_Fact(title) for title in _FACTS)
        self._standing = QWidget()
        cells = (self.ended, self.replies, self.said)
        row_of(*((cell, 1) for cell in cells), of=self._standing, gap=EDGE)
        self.story = ExpandingText("What happened")
        self.answer = ExpandingText("Answer")
        self.evidence = ExpandingText("What shows it", lines=2)
        self.fold = icon_button("unfold-less-horizontal", "Fold steps that went well")
        self.fold.setCheckable(True)
        self.fold.setChecked(folds_finished)
        self.fold.toggled.connect(self.fold_toggled)
        lines = column_of(self.title, self.facts, gap=2)
        # Here and not in the title bar of the dock: in the centre of a layout there is none.
        row = row_of((lines, 1), (self.fold, 0, Qt.AlignmentFlag.AlignTop), gap=GAP)
        texts = (self.story, self.answer, self.evidence)
        margins = (EDGE, GAP, EDGE, GAP)
        self._column = column_of(row, self._standing, *texts, of=self, margins=margins, gap=SPACE)

    def set_low(self, is_low: bool) -> None:
        """Leave the room to the tree: what is cut can be shown whole, and the inspector has it."""
        self._is_low = is_low
        around = SPACE if is_low else GAP
        self._column.setContentsMargins(EDGE, around, EDGE, around)
        for text, lines in ((self.story, 4), (self.answer, 4), (self.evidence, 2)):
            text.set_few_lines(2 if is_low else lines)
        self.evidence.setVisible(bool(self.evidence.text()) and not is_low)
        self._standing.setVisible(bool(self.ended.text()) and not is_low)

    def show_run(
        self,
        run: int | None,
        root: Node,
        summary: RunSummary | None,
        *,
        is_held: bool,
        story: str,
    ) -> None:
        """Say how a run stands.

        Args:
            root: the node of the run itself.
            story: what failed and what took over, "" = nothing.
        """
        self.title.set_text(f"Run {run} · {root.title}")
        whole = describe_run_facts(root, summary)
        facts = describe_run_facts(root, summary, is_short=True) if self._is_low else whole
        self._say_facts(f"Held{facts[facts.index(' · ') :]}" if is_held else facts)
        # The day by which "tomorrow" is meant is said where there is no room for it, too.
        self.facts.setToolTip("" if facts == whole else plain_tooltip(whole))
        self._say_standing(summary)
        self.story.set_text(story)
        self.story.setVisible(bool(story))
        answer = str(root.data.get("answer", "") or "")
        said = answer or (root.reason if len(root.reason) > _SHORT else "")
        self.answer.set_text(said)
        self.answer.setVisible(bool(said))
        lines = evidence_lines(root.data)
        lines[:1] = [f"{evidence_title(root.data)}: {line}" for line in lines[:1]]
        verdicts = root.data.get("verdicts", ()) if summary is None else summary.verdicts
        lines[:0] = verdict_lines(verdicts)
        if summary is not None and (former := former_words(summary)):
            lines.insert(0, former)
        shown = "\n".join(lines)
        self.evidence.set_text(shown)
        self.evidence.setVisible(bool(shown) and not self._is_low)

    def _say_standing(self, summary: RunSummary | None) -> None:
        """How it ended, what its replies show and what is said of it, side by side."""
        is_over = summary is not None and summary.status is not Status.RUNNING
        ended = ended_words(summary) if summary is not None and is_over else ""
        self._standing.setVisible(bool(ended) and not self._is_low)
        self.ended.say(ended)
        if summary is not None and ended:
            self.replies.say(evidence_words(summary) or _NO_ANSWER)
            self.said.say(said_words(summary) or (_NOBODY if summary.answer else _NOTHING))

    def _say_facts(self, facts: str) -> None:
        if facts != self.facts.text():  # Qt lays the window out for each text
            self.facts.setText(facts)


def describe_run_facts(root: Node, summary: RunSummary | None, *, is_short: bool = False) -> str:
    """State, who planned, who answered, and the totals, in one line.

    Args:
        is_short: leave out which day it is where the calls are answered.
    """
    data = root.data
    status = data.get("status")
    if status and summary is not None and summary.status is not Status.RUNNING:
        status = summary.status  # with what was said of its answer since
    ended = status_look(Status(status), str(data.get("strategy", ""))) if status else None
    word = (ended or NODE_LOOKS[root.state]).word
    parts = [f"{word.capitalize()} in a simulation" if data.get(SIMULATED) else word.capitalize()]
    if root.reason and len(root.reason) <= _SHORT:
        if any(said in root.reason.lower() for said in (word, "not answered")):
            parts.clear()  # the reason says so by itself
        parts.append(root.reason)
    if data.get(INJECTED) and ended is None:
        parts.append("your faults strike it")  # once it is over, what failed is told
    provider = provider_words({**data, "day": ""} if is_short else data)
    strategy = strategies.title_of(str(data.get("strategy", "")))
    parts.append(f"{strategy} with {data.get('model', '')} on {provider}")
    if data.get("parent_run"):
        went_on = data.get("fork_reason") == "go on"
        parts.append(f"{'goes on from' if went_on else 'fork of'} run {data['parent_run']}")
    if summary is not None and summary.is_imported:
        parts.append("imported")
    if summary is not None and summary.status is not Status.RUNNING:
        parts.append(calls_words(summary))
        parts += count_words(summary.counts)
        if summary.tokens:
            parts.append(token_words(summary.tokens, summary.estimated_tokens))
        if summary.cost != 0:
            parts.append(f"cost {cost_words(summary.cost)}")
        parts.append(duration(summary.seconds))
    if summary is not None and summary.note:
        parts.append(f"note: {one_line(summary.note, _NOTE)}")
    return " · ".join(parts)


AT_ONCE = 2_000
"""Nodes of a stored run whose story is found in the window's thread, in 5 ms."""


class StoryCache(QObject):
    """Goes through all nodes once, however often the head is shown; in a thread if they are many.

    Args:
        newest: finds the story of a long run in a thread.

    Signals:
        told: the story is another one, without an event.
    """

    told = Signal()

    def __init__(self, newest: LatestRequest, parent: QObject) -> None:
        super().__init__(parent)
        self._newest = newest
        self._nodes: Mapping[NodePath, Node] = {}
        self._seq = -1
        self._text = ""

    def of(self, nodes: Mapping[NodePath, Node], seq: int, *, is_live: bool) -> str:
        """The story as far as it is known now; `told` follows if it is not.

        Args:
            nodes: of the run.
            seq: number of its last event.
            is_live: whether the nodes still change, so that no other thread may read them.
        """
        if nodes is not self._nodes or seq != self._seq:
            self._nodes, self._seq = nodes, seq
            self._newest.forget()
            if is_live or len(nodes) <= AT_ONCE:
                self._text = run_headline(nodes)
            else:
                self._text = ""
                self._newest.ask(lambda: run_headline(nodes), self._take)
        return self._text

    def _take(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.told.emit()
