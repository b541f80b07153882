"""How a query is run, as one form: strategy, models by role, provider, limits."""

import dataclasses
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import models, parse_model_spec
from toolplanner_core.prompts.question import Role
from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.run_parts import refuse_without_model
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_gui.forms.option_form import OptionForm
from toolplanner_gui.forms.plugin_choice import PluginChoice
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.labels import rule, text_label

USUAL = RunSpec(query="")


def load_run_plugins() -> None:
    """Load what a `RunForm` offers; on a reader thread, since plug-ins import their libraries."""
    for registry in (strategies, models, providers):
        registry.plugins  # noqa: B018 - loads them


class RunForm(QWidget):
    """Made after `load_run_plugins`; shows the defaults."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self.strategy = PluginChoice(strategies, "Strategy")
        self.acting = PluginChoice(models, "Model for acting")
        self.others = {
            role: PluginChoice(
                models, f"Model for {role}", otherwise="The one that acts", is_explained=False
            )
            for role in Role
            if role is not Role.ACTING
        }
        self.provider = PluginChoice(
            providers, "Provider", otherwise="Default", other_spec=USUAL.provider
        )
        self._seed = USUAL.seed
        self.limits = OptionForm(Limits, of="the run")
        self.column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        self._choices = (self.strategy, self.acting, *self.others.values(), self.provider)
        for parts in ((self.strategy,), (self.acting, *self.others.values()), (self.provider,)):
            for part in parts:
                column.addWidget(part)
                part.edited.connect(self._on_edited)
            column.addWidget(rule())
        column.addWidget(text_label("It may use at most", role="section"))
        column.addWidget(self.limits)
        self.judge = QCheckBox("Have a model judge the answer afterwards")
        self.judge.toggled.connect(self._on_edited)
        column.addWidget(self.judge)
        column.addStretch(1)
        self.limits.edited.connect(self.edited)
        self.put(USUAL)

    @property
    def words(self) -> str:
        """The choice in a few words."""
        acting = self.acting.name.text().strip() if ":" in self.acting.spec else ""
        titles = [c.combo.currentText() for c in (self.strategy, self.acting, self.provider)]
        return " · ".join([titles[0], acting or titles[1], titles[2].removeprefix("Default: ")])

    @property
    def problem(self) -> str:
        """What does not fit first, "" = nothing."""
        return next(filter(None, (part.problem for part in (*self._choices, self.limits))), "")

    def spec(self, base: RunSpec = USUAL) -> RunSpec:
        """`base` with what stands in the form.

        Raises:
            BadInput: an option does not fit.
        """
        named = {role: _model(choice) for role, choice in self.others.items()}
        return dataclasses.replace(
            base,
            seed=self._seed,
            strategy=self.strategy.spec,
            options=self.strategy.values,
            model=_model(self.acting),
            roles={str(role): model for role, model in named.items() if model},
            provider=self.provider.spec,
            provider_options=self.provider.values,
            limits=self.limits.instance,
            judge=self.judge.isChecked(),
        )

    def put(self, spec: RunSpec) -> None:
        """Show how a run is made.

        Raises:
            NotFound: a plug-in is not there.
            BadInput: an option does not fit.
        """
        self.strategy.put(spec.strategy, spec.options)
        _put_model(self.acting, spec.model)
        for role, choice in self.others.items():
            _put_model(choice, spec.roles.get(role, ""))
        self.provider.put(spec.provider, spec.provider_options)
        limits = {each.name: getattr(spec.limits, each.name) for each in dataclasses.fields(Limits)}
        self.limits.put(limits)
        self._seed = spec.seed
        self.judge.setChecked(spec.judge)
        self._check()

    def set_tab_order_after(self, before: QWidget) -> None:
        """Come in the order of the tab key after a widget."""
        for choice in self._choices:
            before = choice.set_tab_order_after(before)
        QWidget.setTabOrder(self.limits.set_tab_order_after(before), self.judge)

    def name_default_providers(self, ids: Sequence[str]) -> None:
        """Say who answers when nobody is chosen: the providers of the workspace's sources."""
        self.provider.set_empty_choice_label(f"Default: {', '.join(map(providers.title_of, ids))}")

    def _on_edited(self) -> None:
        self._check()
        self.edited.emit()

    def _check(self) -> None:
        try:
            refuse_without_model(strategies.get(self.strategy.spec), self.acting.spec)
        except BadInput as error:
            self.acting.check(error.sentence)
        else:
            self.acting.check()


def _model(choice: PluginChoice) -> str:
    return str(parse_model_spec(choice.spec).with_values(choice.values)) if choice.spec else ""


def _put_model(choice: PluginChoice, spec: str) -> None:
    kind, name, values = parse_model_spec(spec)
    choice.put(f"{kind}:{name}" if name else kind, values)
