"""Preferences: the endpoint that answers for models, its key, and a try that shows what it can do.

They belong to the person, not to a workspace. The key goes to the system's keychain, never into a
file.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from toolplanner_core.domain.operation import Origin
from toolplanner_core.endpoints import ENDPOINT_SCHEME, ENDPOINTS, endpoint_key, preset_of
from toolplanner_core.errors import UserError
from toolplanner_core.keys import KeyLocation, KeyName, person_keys
from toolplanner_core.llm.capabilities import forget_capabilities, known_capabilities
from toolplanner_core.prompts.question import Role
from toolplanner_core.settings import EndpointSettings, load_settings, save_settings
from toolplanner_core.words.formatting import counted
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.box_layouts import form_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

if TYPE_CHECKING:
    # Loaded with the first test: it brings the client of endpoints.
    from toolplanner_core.llm.endpoint_check import EndpointCheck, EndpointReport

_WIDTH = 600
_MOST_LEARNED = 3
"""Models of an endpoint whose capabilities are shown."""
_OTHER = "Another address"
_KEY_HINT = "Kept in the system's keychain; empty = as it is, or OPENAI_API_KEY"
_OTHERWISE = {
    Role.ACTING: "The usual one; without it the offline planner",
    Role.PLANNING: "The one that acts",
    Role.JUDGING: "The one that acts",
}
_MODES = {
    "auto": "As the endpoint likes, found out once",
    "schema": "By JSON schema",
    "tools": "By function calls",
    "text": "In words",
}


class PreferencesDialog(Dialog):
    """Fields of one endpoint; nothing is stored before Save."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Preferences")
        self.setMinimumWidth(_WIDTH)
        now = load_settings().endpoint
        words = "The language models that runs can use: any endpoint that speaks like OpenAI's."
        self.paragraph(words, role="dim")
        self.preset = named(QComboBox(), "Service")
        self.preset.addItems([*(each.title for each in ENDPOINTS), _OTHER])
        self.address = named(QLineEdit(now.base_url or ENDPOINTS[0].base_url), "Address")
        self.key = named(QLineEdit(), "Key")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.model = _model_field("Usual model", now.model, "None")
        self.roles = {
            role: _model_field(f"Model for {role}", now.roles.get(role, ""), otherwise)
            for role, otherwise in _OTHERWISE.items()
        }
        self.mode = named(QComboBox(), "How typed answers are asked for")
        for mode, words in _MODES.items():
            self.mode.addItem(words, mode)
        self.mode.setCurrentIndex(max(0, self.mode.findData(now.answer_mode)))
        self.stream = QCheckBox("Receive replies in pieces")
        self.stream.setChecked(now.stream)
        rows = {
            "Service": self.preset,
            "Address": self.address,
            "Key": self.key,
            "Usual model": self.model,
            **{f"Model for {role}": combo for role, combo in self.roles.items()},
            "Typed answers": self.mode,
            "": self.stream,
        }
        self.column.addLayout(form_of(*rows.items()))
        for field in self.roles.values():
            field.setToolTip(_SAMPLING_HINT)
        self.model.setToolTip("Offered where a language model is chosen; it also describes tools")
        self.works = text_label("It works.", role="strong", name="What the test came to")
        self.problem = text_label(role="problem", is_wrapped=True, name="Why it does not work")
        self.told = text_label(role="dim", is_wrapped=True, name="What the endpoint can do")
        self.test_button = push_button("Test the connection", self._on_test)
        self.stop_button = push_button("Stop the test", self._stop_test)
        self.stop_button.hide()
        self._trial: EndpointCheck | None = None
        self.save_button = push_button("Save", self.accept, role="primary")
        self.learned = text_label(is_wrapped=True, role="dim", name="What was learned of it")
        self.forget_button = push_button("Forget what was learned", self._on_forget)
        self.forget_button.setToolTip("It is found out again when a model is asked next")
        self.forget_button.setAutoDefault(False)
        self.add(row_of(self.test_button, self.stop_button, self.forget_button, 1, gap=GAP))
        self.add(self.works, self.problem, self.told, self.learned, self.banner, 1)
        self._say("")
        self._add_links()
        self.add_buttons(self.save_button)
        self.preset.activated.connect(self._on_preset)
        self.address.textChanged.connect(self._on_address)
        self._on_address()

    def _add_links(self) -> None:
        """Buttons that open what else belongs to models."""
        shell = self.context.shell
        self.prompts_button = push_button("Prompts …", lambda: shell.open(dialog_commands.prompts))
        self.prompts_button.setToolTip("What models are told in the open workspace")
        self.prompts_button.setAutoDefault(False)
        self.prompts_button.setEnabled(self.context.workspace is not None)
        self.prices_button = push_button("Prices …", lambda: shell.open(dialog_commands.prices))
        self.prices_button.setToolTip("What models cost you, in all workspaces")
        self.prices_button.setAutoDefault(False)
        self.budgets_button = push_button("Budgets …", lambda: shell.open(dialog_commands.budgets))
        self.budgets_button.setToolTip("What a run and a day may cost you")
        self.budgets_button.setAutoDefault(False)
        buttons = (self.prompts_button, self.prices_button, self.budgets_button)
        self.add(row_of(*buttons, 1, gap=GAP))

    @property
    def settings(self) -> EndpointSettings:
        """What is written in the fields."""
        return EndpointSettings(
            base_url=self.address.text().strip() or None,
            answer_mode=self.mode.currentData(),
            stream=self.stream.isChecked(),
            model=_name_in(self.model),
            roles={role: name for role, field in self.roles.items() if (name := _name_in(field))},
        )

    def accept(self) -> None:
        """Store all and close; stays open where something is wrong."""
        try:
            origin = Origin.of(self.settings.base_url or "")
            if value := self.key.text().strip():
                where = person_keys().save(KeyName(origin, ENDPOINT_SCHEME), value)
                if where is KeyLocation.SESSION:
                    said = "This system has no keychain: the key is kept until the program ends."
                    self.context.show_message(said)
            save_settings(replace(load_settings(), endpoint=self.settings))
        except UserError as error:
            self.show_error(error)
            return
        self.context.preferences_changed.emit()
        super().accept()

    def _on_preset(self, position: int) -> None:
        if position < len(ENDPOINTS):
            self.address.setText(ENDPOINTS[position].base_url)
        self.address.setFocus()

    def _on_address(self) -> None:
        preset = preset_of(self.address.text())
        position = ENDPOINTS.index(preset) if preset is not None else len(ENDPOINTS)
        self.preset.setCurrentIndex(position)
        needs_key = preset is None or preset.needs_key
        self.key.setPlaceholderText(_KEY_HINT if needs_key else "None is needed")
        self._show_learned()

    def _show_learned(self) -> None:
        """What is known of the models at this address."""
        address = self.address.text().strip()
        known = known_capabilities(address) if address else []
        fields = (self.model, *self.roles.values())
        chosen = {_name_in(field).partition("?")[0] for field in fields}
        known.sort(key=lambda each: each.model not in chosen)
        lines = [f"{each.model}: {each.words}." for each in known[:_MOST_LEARNED] if each.words]
        if len(known) > _MOST_LEARNED:
            lines.append(f"And {counted(len(known) - _MOST_LEARNED, 'model')} more.")
        self.learned.setText("\n".join(["Learned of it:", *lines]) if lines else "")
        self.learned.setVisible(bool(lines))
        self.forget_button.setVisible(bool(known))

    def _say(self, told: str, *, works: bool = False, problem: str = "") -> None:
        """Show what a test came to; what is empty takes no room."""
        self.works.setVisible(works)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.told.setText(told)
        self.told.setVisible(bool(told))

    def _on_forget(self) -> None:
        try:
            forget_capabilities(self.address.text().strip())
        except OSError as error:
            self.show_error(error, doing="Forgetting what was learned")
        self._say("")
        self._show_learned()

    def done(self, result: int) -> None:
        """Close; a test that still asks is stopped."""
        self._stop_test()
        super().done(result)

    def _stop_test(self) -> None:
        if self._trial is not None:
            self._trial.stop()

    def _on_test(self) -> None:
        from toolplanner_core.llm.endpoint_check import EndpointCheck

        self.banner.dismiss()
        self._say("Asking … What says nothing for a minute is given up.")
        self._trial = EndpointCheck()
        self._show_testing(True)
        self.context.tasks.spawn(self._test(self._trial), owner=self)

    async def _test(self, trial: "EndpointCheck") -> None:
        settings, typed = self.settings, self.key.text().strip()
        address = settings.base_url or ""
        try:
            Origin.of(address)
            report = await self.context.tasks.in_thread(
                lambda: trial.run(address, typed or endpoint_key(address), settings)
            )
        except UserError as error:
            self._say("")
            self.show_error(error)
        else:
            self._show_report(report)
        # Not reached where the dialog was closed meanwhile.
        self._trial = None
        self._show_learned()
        self._show_testing(False)

    def _show_testing(self, is_on: bool) -> None:
        """The keyboard goes with the button that takes the other's place."""
        had_focus = self.stop_button.hasFocus() or self.test_button.hasFocus()
        self.test_button.setEnabled(not is_on)
        self.stop_button.setVisible(is_on)
        if had_focus:
            (self.stop_button if is_on else self.test_button).setFocus()

    def _show_report(self, report: "EndpointReport | None") -> None:
        if report is None:
            self._say("The test was stopped; nothing was found out.")
        else:
            told = "\n".join(report.lines)
            self._say(told, works=report.works, problem=report.problem)
            only = report.models[0] if len(report.models) == 1 else ""
            _offer(self.model, report.models, otherwise=only)
            for field in self.roles.values():
                _offer(field, report.models)


_SAMPLING_HINT = (
    "How its replies are drawn goes behind its name: NAME?temperature=0.7&top_p=0.9&seed=1"
    "&reasoning_effort=low&reply_tokens=500"
)


def _model_field(title: str, chosen: str, otherwise: str) -> QComboBox:
    """A model by its name; `otherwise` says what an empty one means."""
    field = named(QComboBox(), title)
    field.setEditable(True)
    field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    field.setEditText(chosen)
    line = field.lineEdit()
    assert line is not None
    line.setPlaceholderText(otherwise)
    line.setAccessibleName(title)
    return field


def _name_in(field: QComboBox) -> str:
    return field.currentText().strip()


def _offer(field: QComboBox, models: Sequence[str], *, otherwise: str = "") -> None:
    chosen = field.currentText()
    field.clear()
    field.addItems(models)
    field.setEditText(chosen or otherwise)


PLUGIN = DialogPlugin.of(dialog_commands.preferences, PreferencesDialog)
