"""Choose one plug-in of a registry, with its options below."""

import os
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from toolplanner_core.options.option import NoOptions
from toolplanner_core.options.published import PublishedSettings, differences_in_words
from toolplanner_core.registry import BrokenPlugin, Registry
from toolplanner_core.settings import load_settings
from toolplanner_gui.forms.option_form import OptionForm, form_label, form_rows
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import ignore_wheel


class PluginChoice(QWidget):
    """What is written here is kept for each plug-in while others are looked at.

    Args:
        registry: whose plug-ins are loaded already, since they may import large libraries.
        title: of the choice, such as "Provider".
        otherwise: a first entry that is no plug-in, "" = there is none.
        other_spec: what `spec` says for it.
        is_explained: say below what the chosen one does, and not only in its tooltip.
    """

    edited = Signal()
    """Another plug-in, or an option of it, was chosen."""

    def __init__(
        self,
        registry: Registry[Any],
        title: str,
        *,
        otherwise: str = "",
        other_spec: str = "",
        is_explained: bool = True,
    ) -> None:
        super().__init__()
        self._is_explained = is_explained
        self._registry = registry
        self._other_spec = other_spec
        self._told = ""
        self._forms: dict[str, OptionForm] = {}
        self.combo = ignore_wheel(QComboBox())
        self.combo.setAccessibleName(title)
        if otherwise:
            self.combo.addItem(otherwise, "")
        for plugin in registry:
            self.combo.addItem(plugin.title[:1].upper() + plugin.title[1:], plugin.id)
            self.combo.setItemData(
                self.combo.count() - 1, _explained(plugin), Qt.ItemDataRole.ToolTipRole
            )
        for broken in registry.broken:
            self._add_broken(broken)
        self.name = QLineEdit()
        self._problem = text_label(role="problem", is_wrapped=True)
        self._explanation = text_label(role="dim", is_wrapped=True)
        self.paper = push_button("Settings of the paper", self._on_paper, role="link")
        head = QWidget()
        self._rows = form_rows(head)
        self._rows.addRow(form_label(title, self.combo), self.combo)
        self._rows.addRow(form_label("Name", self.name), self.name)
        self._rows.addRow(form_label("", self), self._problem)
        self._rows.addRow(form_label("", self), self._explanation)
        self._rows.addRow(form_label("", self), self.paper)
        self._column = column_of(head, of=self, gap=GAP)
        self.combo.currentIndexChanged.connect(self._on_chosen)
        self.name.textChanged.connect(lambda _text: self.check())
        self.name.textEdited.connect(self.edited)
        self._on_chosen()

    @property
    def plugin_id(self) -> str:
        """The chosen plug-in, "" for the entry that is none."""
        return self.combo.currentData() or ""

    @property
    def form(self) -> OptionForm:
        """The options of what is chosen, or told."""
        return self._form_of(self.plugin_id or self._told)

    def tell(self, plugin_id: str) -> None:
        """Under the entry that is no plug-in, show the options of the one that was found for it."""
        if plugin_id == self._told:
            return
        self._told = plugin_id
        if not self.plugin_id:
            self._show_form()

    @property
    def spec(self) -> str:
        """What is chosen, as commands name it: "ID" or "ID:NAME"."""
        name = self.name.text().strip()
        is_named = bool(name) and self._named(self.plugin_id)
        return f"{self.plugin_id}:{name}" if is_named else self.plugin_id or self._other_spec

    @property
    def problem(self) -> str:
        """What does not fit first, "" = nothing."""
        return self._problem.text() or self.form.problem

    @property
    def values(self) -> dict[str, Any]:
        """Its options that differ from the defaults.

        Raises:
            BadInput: one does not fit.
        """
        return self.form.values

    def put(self, spec: str, values: Mapping[str, Any]) -> None:
        """Show a choice.

        Raises:
            NotFound: there is no such plug-in.
            BadInput: an option does not fit.
        """
        if spec == self._other_spec:
            self.combo.setCurrentIndex(0)
            return
        plugin_id, _, name = spec.partition(":")
        self._registry.get(plugin_id)
        self.combo.setCurrentIndex(self.combo.findData(plugin_id))
        self.name.setText(name)
        self.form.put(values)

    def set_tab_order_after(self, before: QWidget) -> QWidget:
        """Come in the order of the tab key after a widget. Returns the last field."""
        QWidget.setTabOrder(before, self.combo)
        QWidget.setTabOrder(self.combo, self.name)
        QWidget.setTabOrder(self.name, self.paper)
        return self.form.set_tab_order_after(self.paper)

    def check(self, otherwise: str = "") -> None:
        """Say in place that a name is missing, else what somebody else found wrong, if anything."""
        named = self._named(self.plugin_id)
        is_missing = bool(named) and not self.name.text().strip()
        problem = f"Write the {named[:1].lower()}{named[1:]}" if is_missing else otherwise
        self._problem.setText(problem)
        self._rows.setRowVisible(self._problem, bool(problem))

    def set_empty_choice_label(self, words: str) -> None:
        """Name the entry that is no plug-in."""
        self.combo.setItemText(0, words)

    def _add_broken(self, broken: BrokenPlugin) -> None:
        """Listed with the reason, so that nobody looks for it in vain; it cannot be chosen."""
        self.combo.addItem(f"{broken.name} (left out)", broken.name)
        last = self.combo.count() - 1
        why = f"{broken.distribution} brings it, and it cannot be used: {broken.reason}"
        self.combo.setItemData(last, why, Qt.ItemDataRole.ToolTipRole)
        self.combo.setItemData(last, 0, Qt.ItemDataRole.UserRole - 1)  # no flags: disabled

    def _form_of(self, plugin_id: str) -> OptionForm:
        """Made at first use: few of many plug-ins are looked at."""
        if plugin_id not in self._forms:
            kind = self._registry.get(plugin_id).options if plugin_id else NoOptions
            form = OptionForm(kind, of=f"{self._registry.what} {plugin_id}")
            form.edited.connect(self.edited)
            self._column.addWidget(form)
            form.set_tab_order_after(self.paper)
            self._forms[plugin_id] = form
        return self._forms[plugin_id]

    def _show_form(self) -> None:
        shown = self.form
        for form in self._forms.values():
            form.setVisible(form is shown and bool(form.editors))

    def _named(self, plugin_id: str) -> str:
        """What the name after the colon is, "" where there is none."""
        return getattr(self._registry.get(plugin_id), "named", "") if plugin_id else ""

    def _on_chosen(self) -> None:
        chosen = self.plugin_id
        self._show_form()
        named = self._named(chosen)
        if named and not self.name.text():
            usual = getattr(self._registry.get(chosen), "named_in", "")
            own = load_settings().endpoint.model if usual else ""
            self.name.setText(os.environ.get(usual, own) if usual else "")
        self.name.setPlaceholderText(named)
        self.name.setAccessibleName(named or "Name")
        self._rows.setRowVisible(self.name, bool(named))
        is_told = self._is_explained and bool(chosen)
        description = _explained(self._registry.get(chosen)) if is_told else ""
        self._explanation.setText(description)
        self._rows.setRowVisible(self._explanation, bool(description))
        paper = self._published(chosen)
        told = differences_in_words(self._registry.get(chosen)) if paper else ""
        self.paper.setToolTip(plain_tooltip(told, limit=2000))
        self._rows.setRowVisible(self.paper, paper is not None)
        self.check()
        self.edited.emit()

    def _published(self, plugin_id: str) -> PublishedSettings | None:
        plugin = self._registry.get(plugin_id) if plugin_id else None
        return getattr(plugin, "published", None)

    def _on_paper(self) -> None:
        paper = self._published(self.plugin_id)
        if paper is not None:
            self.form.put(paper.options)


def _explained(plugin: Any) -> str:
    """What a plug-in does; some kinds know more to say than their description."""
    return getattr(plugin, "explanation", plugin.description)
