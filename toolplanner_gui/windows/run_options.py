"""The button that says how a query is run, and what it opens: the form, and presets of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QToolButton,
    QWidget,
)

from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.providers.routes import usual_providers
from toolplanner_core.runs.config.presets import (
    delete_preset,
    in_words,
    is_as_usual,
    is_paper_preset,
    paper_preset_names,
    paper_preset_words,
    preset_names,
    preset_row,
    read_preset,
    remember_choice,
    remembered_choice,
    save_preset,
    usual_run,
)
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import rule, text_label
from toolplanner_gui.widgets.views import scrolled

if TYPE_CHECKING:
    # Loaded with all that can be chosen, when somebody looks at it.
    from toolplanner_gui.forms.run_form import RunForm


_WIDTH = 460


_WIDEST = 52
"""Characters on the button; its tooltip says all."""


_BESIDE_SCREEN = 96
"""Pixels of the screen's height that the form never covers."""


class RunOptionsButton(QToolButton):
    """Shows the choice in a few words; without a choice made, everything is as usual."""

    changed = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("role", "field")
        self.setText("How it runs")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("How the query is run")
        self._form: RunForm | None = None
        self._popup: RunOptionsPopup | None = None
        self.clicked.connect(lambda _=False: self.open_popup())
        self._usual = usual_run()
        # What was imported may be served by others than before.
        context.catalogue_changed.connect(self.fill)
        context.preferences_changed.connect(self._on_preferences_changed)

    def fill(self) -> None:
        """Say what is chosen. Its form is made when somebody looks at it, or chose another way:
        that what is as usual fits is known without one."""
        self._context.tasks.spawn(self._fill(), owner=self)

    @property
    def form(self) -> RunForm:
        """What can be chosen, made at first use."""
        if self._form is None:
            self._make()
        assert self._form is not None
        return self._form

    @property
    def popup(self) -> RunOptionsPopup:
        """The form as it opens under the button, with presets."""
        if self._popup is None:
            self._popup = RunOptionsPopup(self._context, self._context.file, self.form, self)
            self._popup.only_selected.toggled.connect(lambda _is_checked: self._name())
        return self._popup

    @property
    def problem(self) -> str:
        """Why a query cannot be run like this, "" = it can."""
        return "" if self._form is None else self._form.problem

    def spec(self, query: str) -> RunSpec:
        """How a query shall be run.

        Raises:
            BadInput: an option does not fit.
        """
        usual = replace(usual_run(), query=query)
        return usual if self._form is None else self._form.spec(usual)

    @property
    def is_over_selected(self) -> bool:
        """Whether a run may see the APIs alone that are selected when it begins."""
        return self._popup is not None and self._popup.only_selected.isChecked()

    def open_popup(self) -> None:
        """Open the form under the button, in a moment where it was never opened before."""
        if self._form is not None:
            self.popup.open_below(self)
        else:
            self._context.tasks.spawn(self._open_first(), owner=self)

    async def _open_first(self) -> None:
        await self._context.tasks.in_thread(_load)
        self.popup.open_below(self)

    async def _fill(self) -> None:
        workspace = self._context.file
        serving = await self._context.tasks.in_thread(lambda: usual_providers(workspace))
        usual = self._usual
        if self._form is None and is_as_usual(workspace):
            words = await self._context.tasks.in_thread(lambda: in_words(usual, serving))
            if self._form is None:
                self._say(words)
            return
        await self._context.tasks.in_thread(_load)
        self.form.name_default_providers(serving)
        self._name()

    def _make(self) -> None:
        from toolplanner_gui.forms.run_form import RunForm

        self._form = form = RunForm()
        form.name_default_providers(usual_providers(self._context.file))
        with suppress(UserError):  # a plug-in that was chosen may be gone
            form.put(remembered_choice(self._context.file))
        form.edited.connect(self._name)
        self._name()

    def _on_preferences_changed(self) -> None:
        """What nobody chose is as usual also when that changes."""
        before, self._usual = self._usual, usual_run()
        if self._form is None:
            self.fill()
        elif not self._form.problem and preset_row(self._form.spec()) == preset_row(before):
            self._form.put(self._usual)
            self._name()

    def _name(self) -> None:
        over = "Selected APIs · " if self.is_over_selected else ""
        self._say(f"{over}{self.form.words}")

    def _say(self, words: str) -> None:
        self.setText(one_line(words, _WIDEST))
        self.setToolTip(self.problem or f"How the query is run (Ctrl+Shift+O): {words}")
        self.changed.emit()


def _load() -> None:
    from toolplanner_gui.forms.run_form import load_run_plugins

    load_run_plugins()


class RunOptionsPopup(QFrame):
    """A row of presets over the form; Escape closes it, what was chosen stays chosen."""

    def __init__(
        self, context: AppContext, workspace: Workspace, form: RunForm, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.setAccessibleName("How the query is run")
        self._context, self._workspace, self._form = context, workspace, form
        self.presets = QComboBox()
        self.presets.setEditable(True)
        self.presets.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.presets.setAccessibleName("Preset")
        line = self.presets.lineEdit()
        assert line is not None
        line.setAccessibleName("Preset")
        line.setPlaceholderText("Preset: choose one, or write a name to save this")
        self.save = push_button("Save", self._on_save)
        self.delete = push_button("Delete", self._on_delete)
        self._problem = text_label(role="problem", is_wrapped=True)
        self._problem.hide()
        self.only_selected = QCheckBox("Let it see the selected APIs alone")
        self.only_selected.setToolTip(
            plain_tooltip("The candidates of the task: those that are selected when it begins")
        )
        self.usual = push_button("As usual", self._on_usual, role="link")
        column_of(
            row_of((self.presets, 1), self.save, self.delete, gap=GAP),
            self._problem,
            rule(),
            (scrolled(form), 1),
            self.only_selected,
            (self.usual, 0, Qt.AlignmentFlag.AlignLeft),
            of=self,
            margins=(EDGE,) * 4,
            gap=GAP,
        )
        form.set_tab_order_after(self.delete)
        self.presets.activated.connect(lambda _position: self._on_chosen())
        line.returnPressed.connect(self._on_save)
        self.presets.editTextChanged.connect(self._on_state_changed)
        form.edited.connect(self._on_state_changed)
        self.list_presets()

    def open_below(self, button: QWidget) -> None:
        """Show it under a button, within the screen."""
        screen = button.screen().availableGeometry()
        at = button.mapToGlobal(QPoint(0, button.height() + GAP // 2))
        wanted = self._form.sizeHint().height() + _BESIDE_SCREEN
        room = screen.bottom() - at.y() - GAP
        self.resize(QSize(_WIDTH, min(wanted, room)))
        at.setX(max(screen.left(), min(at.x(), screen.right() - _WIDTH)))
        self.move(at)
        self.show()
        self._form.strategy.combo.setFocus(Qt.FocusReason.PopupFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        with suppress(BadInput):
            remember_choice(self._workspace, self._form.spec())

    def list_presets(self, chosen: str = "") -> None:
        """Offer the presets of the workspace."""
        self.presets.clear()
        names = [*preset_names(self._workspace), *paper_preset_names()]
        for position, name in enumerate(dict.fromkeys(names)):
            self.presets.addItem(name)
            told = plain_tooltip(paper_preset_words(name), limit=2000)
            self.presets.setItemData(position, told, Qt.ItemDataRole.ToolTipRole)
        self.presets.setCurrentIndex(self.presets.findText(chosen) if chosen else -1)
        self._on_state_changed()

    def _on_chosen(self) -> None:
        try:
            self._form.put(read_preset(self._workspace, self.presets.currentText()))
        except UserError as error:
            self._say(error.sentence)
            return
        self._on_state_changed()

    def _on_usual(self) -> None:
        self._form.put(usual_run())
        self.only_selected.setChecked(False)

    def _on_save(self) -> None:
        if not self.save.isEnabled():
            return
        workspace, name, spec = self._workspace, self.presets.currentText(), self._form.spec()

        async def flow() -> None:
            saved = await self._context.tasks.in_thread(lambda: save_preset(workspace, name, spec))
            self.list_presets(saved)
            self._context.show_message(f"Saved the preset “{saved}”")

        self._context.tasks.spawn(flow(), owner=self)

    def _on_delete(self) -> None:
        workspace, name = self._workspace, self.presets.currentText()

        async def flow() -> None:
            await self._context.tasks.in_thread(lambda: delete_preset(workspace, name))
            self.list_presets()
            self._context.show_message(f"Deleted the preset “{name}”")

        self._context.tasks.spawn(flow(), owner=self)

    def _on_state_changed(self) -> None:
        name, is_right = self.presets.currentText().strip(), not self._form.problem
        is_saved, is_paper = name in preset_names(self._workspace), is_paper_preset(name)
        is_same = is_saved and is_right
        if is_same:
            preset = read_preset(self._workspace, name)
            is_same = preset_row(preset) == preset_row(self._form.spec())
        self.delete.setEnabled(is_saved)
        self.save.setEnabled(bool(name) and is_right and not is_same and not is_paper)
        self.save.setText("Replace" if is_saved and not is_same else "Save")
        self._say("")

    def _say(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
