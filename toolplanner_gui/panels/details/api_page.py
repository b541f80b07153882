"""Details of an API: documentation as plain text, parameters, where it comes from."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget

from toolplanner_core.curation.looking.details import AUTHOR_WORDS, ApiDetails, why_in_words
from toolplanner_core.domain.api import Api, Parameter, Risk
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.probing.stored_protocols import ProtocolComparison
from toolplanner_core.risk_overrides import risk_overrides
from toolplanner_core.words.formatting import counted, one_line, score
from toolplanner_gui.panels.details.run_uses import RunUseList
from toolplanner_gui.theme.icons import colour_swatch
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of, page_of, row_of
from toolplanner_gui.widgets.buttons import link_button, push_button, set_icon
from toolplanner_gui.widgets.editable_text import EditableText
from toolplanner_gui.widgets.labels import breakable, rule, text_label
from toolplanner_gui.widgets.program_view import program_view
from toolplanner_gui.widgets.views import scroll_vertically

if TYPE_CHECKING:
    from toolplanner_core.runs.searching.usage import RunUse

_RISKS = {
    Risk.READ: "only reads",
    Risk.WRITE: "writes",
    Risk.DESTRUCTIVE: "may delete or pay",
}
_PARAMETERS_AT_ONCE = 40
_LONG_NAME = 20
"""Letters of a parameter's name; a longer one has lines of its own."""
_MARKS = "/._?&="
"""Behind these an address or a key may go on in the next line."""
_TEXT = "What the API does, in short"
_TEXT_IS_FOR = "Searching and grouping go by it; what a person writes, no model replaces."


class ApiPage(QScrollArea):
    """Emits `toolkit_wanted` when the toolkit's name is clicked, `api_wanted` with the row id of a
    similar API, `told` with what a person wrote of what the API does, `run_wanted` with a run and
    a node of it."""

    toolkit_wanted = Signal()
    api_wanted = Signal(int)
    text_edited = Signal(str)
    run_wanted = Signal(object, object)

    text: EditableText
    """In short what the API does; there is one as soon as an API is shown."""

    def __init__(self) -> None:
        super().__init__()
        scroll_vertically(self)
        self.setAccessibleName("Details of the API")
        self._api: Api | None = None

    def is_writing(self, api: Api) -> bool:
        """Whether a person writes about it just now."""
        return self._api is not None and self._api.id == api.id and self.text.is_editing

    def keep_text(self) -> None:
        """Take what a person writes about the API that is shown."""
        if self._api is not None:
            self.text.keep()

    def show_api(self, api: Api, toolkit: Toolkit | None, colour: str | None) -> None:
        """Show an API and the toolkit it belongs to, with the toolkit's colour."""
        self._api = api
        page = QWidget()
        page.setProperty("role", "page")
        shown = breakable(api.title)
        title = text_label(shown, role="heading", is_wrapped=True, is_selectable=True)
        column = column_of(title, of=page, margins=(EDGE, SPACE, EDGE, EDGE), gap=GAP)
        if toolkit is not None:
            link = link_button(toolkit.name, self.toolkit_wanted.emit)
            if colour is not None:
                set_icon(link, colour_swatch(colour))
            link.setToolTip("Show the toolkit this API belongs to")
            column.addWidget(link)
        self._why = text_label(role="dim", is_wrapped=True, name="Why the API is here")
        self._calls = text_label(is_wrapped=True, name="Calls in all runs")
        for label in (self._why, self._calls):
            label.hide()
            column.addWidget(label)
        column.addWidget(
            text_label(breakable(api.description), is_wrapped=True, is_selectable=True)
            if api.description
            else text_label("No description.", role="dim")
        )
        if api.tool_description:
            of = breakable(f"About {api.tool}")
            column.addWidget(text_label(of, role="section", is_wrapped=True))
            about = breakable(api.tool_description)
            column.addWidget(text_label(about, role="dim", is_wrapped=True, is_selectable=True))
        self._add_parameters(column, api)
        self._author = text_label(role="dim", is_wrapped=True, name="Who wrote its text")
        self.text = EditableText(_TEXT, is_long=True)
        self.text.edited.connect(self.text_edited)
        self._told = page_of(
            text_label("In short", role="section"), self.text, self._author, gap=GAP
        )
        self._told.hide()
        column.addWidget(self._told)
        self._learnt = column_of(gap=GAP)
        self._near = column_of(gap=0)
        self.runs = RunUseList("Runs that called the API", is_low=True)
        self._runs_title = text_label("Runs that called it", role="section")
        self._runs_title.hide()
        column.addWidget(self._runs_title)
        column.addWidget(self.runs)
        self.runs.hide()
        self.runs.run_wanted.connect(self.run_wanted)
        column.addLayout(self._learnt)
        column.addLayout(self._near)
        column.addWidget(rule())
        column.addLayout(self._origin(api))
        column.addStretch(1)
        self.setWidget(page)

    def show_facts(self, facts: ApiDetails, calls: str, colours: Mapping[ToolkitId, str]) -> None:
        """Say why the API shown is where it is, how its calls ended, and what is similar."""
        self._why.setText(" ".join(why_in_words(facts.why)))
        self._why.show()
        self._calls.setText(calls)
        self._calls.setVisible(bool(calls))
        self.text.set_text(facts.told.text)
        self._author.setText(f"Written {AUTHOR_WORDS[facts.told.author]}. {_TEXT_IS_FOR}")
        self._told.show()
        if facts.learnt is not None:
            self._show_learnt(facts.learnt)
        if not facts.neighbours:
            return
        self._near.addWidget(text_label("Similar APIs", role="section"))
        for near in facts.neighbours:
            title = f"{score(near.cosine)}  {one_line(near.title)}"
            link = link_button(title, lambda rowid=near.rowid: self.api_wanted.emit(rowid))
            colour = None if near.toolkit is None else colours.get(near.toolkit)
            if colour is not None:
                set_icon(link, colour_swatch(colour))
            link.setToolTip(plain_tooltip(f"{near.title}\nSimilarity {score(near.cosine)}"))
            self._near.addWidget(link)

    def show_uses(self, uses: "Sequence[RunUse]") -> None:
        """The runs that called it are known now."""
        self.runs.show_uses(uses)
        for widget in (self._runs_title, self.runs):
            widget.setVisible(bool(uses))

    def _show_learnt(self, learnt: ProtocolComparison) -> None:
        found = learnt.kept.protocol
        for part in (
            text_label("Learnt by probing", role="section"),
            text_label(learnt.description, role="dim", is_wrapped=True),
            text_label(found.question, is_wrapped=True, is_selectable=True),
            program_view("Example of its use", found.program),
        ):
            self._learnt.addWidget(part)

    def _add_parameters(self, column: QVBoxLayout, api: Api) -> None:
        parameters = api.parameter_list
        if not parameters:
            column.addWidget(text_label("No parameters", role="section"))
            return
        column.addWidget(text_label(counted(len(parameters), "parameter"), role="section"))
        rows = column_of(gap=GAP)
        column.addLayout(rows)
        for parameter in parameters[:_PARAMETERS_AT_ONCE]:
            rows.addWidget(_parameter_row(parameter))
        rest = parameters[_PARAMETERS_AT_ONCE:]
        if rest:

            def show_rest() -> None:
                more.hide()
                for parameter in rest:
                    rows.addWidget(_parameter_row(parameter))

            more = push_button(f"Show {len(rest):,} more", show_rest, role="link")
            column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)

    def _origin(self, api: Api) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(EDGE)
        grid.setVerticalSpacing(SPACE)
        grid.setColumnStretch(1, 1)
        facts = (
            ("Call", api.call_in_words),
            ("Risk", _risk_words(api)),
            ("Category", api.category),
            ("Source", api.source),
            ("Key", api.key),
            ("Id", api.id),
        )
        for name, value in facts:
            if value:
                row = grid.rowCount()
                grid.addWidget(text_label(name, role="dim"), row, 0, Qt.AlignmentFlag.AlignTop)
                said = text_label(
                    breakable(value, after=_MARKS), is_wrapped=True, is_selectable=True
                )
                grid.addWidget(said, row, 1)
        return grid


def _risk_words(api: Api) -> str:
    said = risk_overrides().get(api.id)
    if said is None or said.risk is not api.risk:
        return _RISKS[api.risk]
    return f"{_RISKS[api.risk]}, as you said; documented: {_RISKS[said.documented]}"


def _parameter_row(parameter: Parameter) -> QWidget:
    is_long = len(parameter.name) > _LONG_NAME
    shown = breakable(parameter.name, after=_MARKS)
    name = text_label(shown, is_wrapped=is_long, is_selectable=True)
    name.setStyleSheet("font-weight: 600;")
    needed = text_label("required" if parameter.required else "optional", role="dim")
    kind = text_label(parameter.type, role="dim")
    head = row_of(kind, 1, needed, gap=GAP) if is_long else row_of(name, kind, 1, needed, gap=GAP)
    texts = filter(None, (describe_values(parameter.schema), parameter.description))
    texts = map(breakable, texts)
    said = (text_label(t, role="dim", is_wrapped=True, is_selectable=True) for t in texts)
    return page_of(*((name, head) if is_long else (head,)), *said, gap=2)


def describe_values(schema: Mapping[str, Any]) -> str:
    """What a value may be, and what it is by default: 'one of "a", "b" · default "a"'."""
    parts: list[str] = []
    choices: Any = schema.get("enum")
    if isinstance(choices, list) and choices:
        shown = ", ".join(_json(c) for c in choices[:12])
        parts.append(f"one of {shown}" + (", …" if len(choices) > 12 else ""))
    if "default" in schema:
        parts.append(f"default {_json(schema['default'])}")
    if schema.get("format"):
        parts.append(f"format {schema['format']}")
    return " · ".join(parts)


def _json(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), 80)
