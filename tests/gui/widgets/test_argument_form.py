"""A form from a JSON schema, in step with the raw JSON."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit

from toolplanner_gui.widgets.argument_form import MISSING, ArgumentField, ArgumentForm
from toolplanner_gui.widgets.json_editor import JsonEditor

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Name of a <b>city</b>."},
        "days": {"type": "integer", "default": 3},
        "unit": {"type": "string", "enum": ["metric", "imperial"]},
        "alerts": {"type": "boolean"},
        "box": {"type": "array", "items": {"type": "number"}},
    },
    "required": ["city"],
}


@pytest.fixture
def form(theme, qtbot) -> ArgumentForm:
    made = ArgumentForm()
    qtbot.addWidget(made)
    made.show_arguments(SCHEMA, {"city": "Vienna", "unit": "metric"})
    made.resize(400, 600)
    made.show()
    return made


def type_into(form: ArgumentForm, qtbot, name: str, text: str) -> None:
    editor = form.field(name).editor
    assert isinstance(editor, QLineEdit)
    editor.clear()
    qtbot.keyClicks(editor, text)


def test_form_shows_values_required_marks_defaults_and_choices(form: ArgumentForm) -> None:
    assert form.values == {"city": "Vienna", "unit": "metric"}
    assert json.loads(form.json.text) == form.values
    assert form.field("city").editor.accessibleName() == "city, required"
    days = form.field("days").editor
    assert isinstance(days, QLineEdit)
    assert days.placeholderText() == "not given: 3"
    unit = form.field("unit").editor
    assert isinstance(unit, QComboBox)
    assert [unit.itemText(i) for i in range(unit.count())] == ["not given", "metric", "imperial"]
    assert not form.is_changed


def test_field_when_typed_changes_the_json_with_the_type_of_the_schema(
    form: ArgumentForm, qtbot
) -> None:
    with qtbot.waitSignal(form.changed):
        type_into(form, qtbot, "days", "5")
    type_into(form, qtbot, "box", "[1, 2.5]")
    assert json.loads(form.json.text) == {
        "city": "Vienna", "unit": "metric", "days": 5, "box": [1, 2.5],
    }  # fmt: skip
    assert form.is_changed
    type_into(form, qtbot, "days", "many")
    assert form.values["days"] == "many", "what does not fit stays as it was typed"


def test_json_when_typed_fills_the_fields_and_keeps_names_the_schema_lacks(
    form: ArgumentForm, qtbot
) -> None:
    text = '{"city": "", "alerts": true, "box": [3], "extra": {"a": 1}}'
    with qtbot.waitSignal(form.changed):
        form.json.field.setPlainText(text)
    assert form.field("alerts").value is True
    assert form.field("unit").value is MISSING
    assert form.field("city").value == ""
    assert form.values["extra"] == {"a": 1}
    type_into(form, qtbot, "days", "1")
    assert form.values["extra"] == {"a": 1}
    assert form.values["city"] == "", "an empty text is not the same as none"


def test_broken_json_is_said_and_the_form_keeps_the_last_values(form: ArgumentForm) -> None:
    form.json.field.setPlainText('{"city": "Graz",')
    assert "This is not JSON" in form.json.note
    assert form.misfit
    assert form.values == {"city": "Vienna", "unit": "metric"}
    form.json.field.setPlainText("[1]")
    assert form.misfit == "Arguments are a JSON object: {…}"
    form.restore()
    assert not form.misfit
    assert not form.is_changed


def test_problem_stands_at_the_field_it_names(form: ArgumentForm) -> None:
    form.show_problem("\"days\": 'many' is not of type integer")
    assert "integer" in form.field("days").problem
    form.show_problem("The server does not know this")
    assert not form.field("days").problem
    assert form.problem == "The server does not know this"


def test_schema_that_is_broken_still_gives_a_form(theme, qtbot) -> None:
    form = ArgumentForm()
    qtbot.addWidget(form)
    for schema in ({}, {"properties": []}, {"properties": {"a": "x"}, "required": 3}):
        form.show_arguments(schema, {"a": 1})
        assert form.values == {"a": 1}


def test_form_stands_beside_the_json_when_there_is_room(form: ArgumentForm, qtbot) -> None:
    qtbot.waitUntil(lambda: form.json.mapTo(form, form.json.rect().topLeft()).x() < 50)
    form.resize(900, 600)
    qtbot.waitUntil(lambda: form.json.mapTo(form, form.json.rect().topLeft()).x() > 300)


def test_editor_takes_text_that_is_not_json_where_that_is_allowed(theme, qtbot) -> None:
    editor = JsonEditor("Result", takes_text=True)
    qtbot.addWidget(editor)
    editor.set_text("12 degrees")
    assert (editor.value, editor.problem) == ("12 degrees", "")
    assert editor.note == "Taken as text, since it is not JSON"
    editor.set_text('{"degrees": 12')
    assert editor.problem
    editor.set_value({"degrees": 12})
    assert (editor.value, editor.note) == ({"degrees": 12}, "")
    editor.set_text("[" * 100_000)
    assert editor.problem


def test_editor_when_it_is_no_json_then_the_bar_stands_before_the_sentence(theme, qtbot) -> None:
    editor = JsonEditor("Result", takes_text=True)
    qtbot.addWidget(editor)
    editor.resize(300, 200)
    editor.show()
    for text in ("12 degrees", "{cheapest: 1.99"):
        editor.set_text(text)
    [label] = [each for each in editor.findChildren(QLabel) if each.isVisible() and each.text()]
    assert label.text() == editor.problem
    assert label.frameWidth() > 0 or label.contentsRect().left() > 0, "room for the bar"
    assert editor.field.property("role") == "field", "it looks as what one writes in"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(kind=st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "odd"]),
       value=JSON_VALUES)  # fmt: skip
def test_field_keeps_every_value_until_it_is_edited(theme, qapp, kind: str, value) -> None:
    field = ArgumentField("a", {"type": kind}, is_required=False)
    field.set_value(value)
    assert type(field.value) is type(value)
    assert field.value == value
    field.deleteLater()
