"""Every plug-in of every kind has a form that says and checks what its flags say and check."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import pytest
from PySide6.QtWidgets import QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.errors import BadInput
from toolplanner_core.layout.layout import layouts
from toolplanner_core.llm.model import models
from toolplanner_core.options.option import describe_options, option
from toolplanner_core.options.values import make_options
from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.config.spec import Limits
from toolplanner_core.sources.source import sources
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_gui.forms.option_editor import NumberBox
from toolplanner_gui.forms.option_form import OptionForm
from toolplanner_gui.forms.plugin_choice import PluginChoice
from toolplanner_gui.widgets.input_fields import ElidingCombo

REGISTRIES = (sources, embedders, clusterings, layouts, providers, models, strategies)
CLASSES = {
    f"{registry.kind}-{plugin.id}": plugin.options for registry in REGISTRIES for plugin in registry
} | {"limits": Limits}


class Colour(StrEnum):
    """An enum as options have them."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class AllKinds:
    """One option of each kind."""

    box: bool = option(True, "On or off.")
    maybe: bool | None = option(None, "On, off or neither.", none_means="as it comes")
    whole: int = option(3, "A count.", minimum=1, maximum=9, unit="APIs")
    most: int | None = option(None, "A bound.", minimum=0, none_means="no limit")
    share: float = option(0.0005, "A share.", minimum=0, maximum=1)
    cost: float | None = option(None, "A cost.", minimum=0, none_means="no limit")
    text: str = option("", "A text.")
    word: str | None = option(None, "A word.", none_means="none")
    colour: Colour = option(Colour.RED, "A colour.", choices={Colour.RED: "as blood"})
    way: Literal["up", "down"] | None = option(None, "A way.", none_means="stay")
    colours: tuple[Colour, ...] = option((Colour.RED,), "Colours.")
    counts: tuple[int, ...] = option((), "Counts.", minimum=2)


OTHER = {
    "box": False, "maybe": False, "whole": 9, "most": 0, "share": 0.25, "cost": 1.5, "text": "a, b",
    "word": "yes", "colour": "blue", "way": "down", "colours": ["blue", "red"], "counts": [2, 3],
}  # fmt: skip


@pytest.mark.parametrize("options", CLASSES.values(), ids=CLASSES.keys())
def test_form_when_made_of_a_plugin_then_names_explains_and_holds_its_defaults(
    qtbot: QtBot, options: type[Any]
) -> None:
    form = OptionForm(options, of="x")
    qtbot.addWidget(form)
    declared = describe_options(options)
    assert [*form.editors] == [each.name for each in declared]
    for each in declared:
        editor = form.editors[each.name]
        assert each.explanation in editor.field.toolTip()
        assert each.explanation in editor.field.accessibleDescription()
        assert editor.field.accessibleName() == each.title
    assert form.instance == options()
    assert (form.values, form.problem) == ({}, "")


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_choice_when_each_is_chosen_then_shows_its_options_only(
    qtbot: QtBot, registry: Any
) -> None:
    choice = PluginChoice(registry, "One", otherwise="Nobody", other_spec="auto")
    qtbot.addWidget(choice)
    choice.show()
    assert (choice.spec, choice.values) == ("auto", {})
    for plugin in registry:
        choice.put(plugin.id, {})
        assert choice.spec == plugin.id
        assert [*choice.form.editors] == [each.name for each in describe_options(plugin.options)]
        shown = [form for form in choice.findChildren(OptionForm) if form.isVisible()]
        assert shown == ([choice.form] if choice.form.editors else [])
        assert choice.name.isVisible() == bool(getattr(plugin, "named", ""))


def test_form_when_filled_with_every_kind_then_gives_it_back(qtbot: QtBot) -> None:
    form = OptionForm(AllKinds, of="x")
    qtbot.addWidget(form)
    kinds = {name: type(editor.field) for name, editor in form.editors.items()}
    assert kinds == {
        "box": QCheckBox, "maybe": ElidingCombo, "whole": NumberBox, "most": NumberBox,
        "share": NumberBox, "cost": NumberBox, "text": QLineEdit, "word": QLineEdit,
        "colour": ElidingCombo, "way": ElidingCombo, "colours": QLineEdit, "counts": QLineEdit,
    }  # fmt: skip
    form.put(OTHER)
    assert form.values == OTHER
    assert form.instance == make_options(AllKinds, OTHER, of="x")
    form.put({"whole": 4})
    assert form.values == {"whole": 4}


def test_form_when_typed_into_then_what_does_not_fit_is_said_under_the_field(qtbot: QtBot) -> None:
    form = OptionForm(AllKinds, of="x")
    qtbot.addWidget(form)
    edited: list[bool] = []
    form.edited.connect(lambda: edited.append(True))
    field = form.editors["counts"].field
    qtbot.keyClicks(field, "5, 1")
    assert form.problem == form.editors["counts"].problem
    assert form.problem == "Choose a list, each a whole number from 2 up."
    assert form.editors["colours"].problem == ""
    with pytest.raises(BadInput, match="the option counts of x"):
        assert form.values
    qtbot.keyClicks(field, "0")
    assert (form.problem, form.values) == ("", {"counts": [5, 10]})
    assert len(edited) == 5


def test_number_when_emptied_then_none_where_that_fits(qtbot: QtBot) -> None:
    form = OptionForm(AllKinds, of="x")
    qtbot.addWidget(form)
    form.put({"most": 7})
    box = form.editors["most"].field
    assert isinstance(box, NumberBox)
    box.selectAll()
    qtbot.keyClicks(box, "12")
    assert form.values == {"most": 12}
    box.clear()
    box.interpretText()
    assert form.values == {}
    texts = [form.editors[name].field.text() for name in ("whole", "share")]  # type: ignore[union-attr]
    assert texts == ["3 APIs", "0.0005"]


@pytest.mark.parametrize("typed", ["0.25", "0,25", ",25"])
def test_number_when_typed_with_a_comma_then_not_another_one(qtbot: QtBot, typed: str) -> None:
    form = OptionForm(AllKinds, of="x")
    qtbot.addWidget(form)
    box = form.editors["share"].field
    assert isinstance(box, NumberBox)
    box.selectAll()
    qtbot.keyClicks(box, typed)
    box.interpretText()
    assert form.values["share"] == 0.25
