"""A list above, and below it two plans beside each other of what is chosen in the list."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.box_layouts import page_of, row_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import scrolled

_HEIGHTS = (250, 195)


class PlanComparison(QSplitter):
    """The list and both plans.

    Attributes:
        heads, plans: what stands above each plan, and its steps.
    """

    def __init__(self, above: QWidget, left: str, right: str) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.heads = [text_label(title, role="dim") for title in (left, right)]
        self.plans = [text_label(is_wrapped=True, is_selectable=True) for _ in self.heads]
        columns = [
            scrolled(page_of(head, plan, 1, gap=SPACE, role="page"))
            for head, plan in zip(self.heads, self.plans, strict=True)
        ]
        below = QWidget()
        row_of(*((each, 1) for each in columns), of=below, gap=GAP)
        self.addWidget(above)
        self.addWidget(below)
        self.setSizes(_HEIGHTS)
        self.setChildrenCollapsible(False)
