"""Writing what an assistant says: calls of functions whose arguments belong to them."""

from toolplanner_gui.widgets.message_editors import OfferedFunction, TurnEditor

WEATHER = OfferedFunction(
    "weather", "Weather", {"properties": {"city": {}, "days": {}}, "required": ["city"]}
)
ROUTE = OfferedFunction(
    "route", "Route", {"properties": {"start": {}, "days": {}}, "required": ["start", "end"]}
)


def test_call_when_another_function_is_chosen_then_only_its_arguments_stay_and_missing_are_named(
    qtbot,
) -> None:
    editor = TurnEditor("What the assistant says")
    qtbot.addWidget(editor)
    editor.show_turn(
        "", [{"name": "weather", "arguments": {"city": "Oslo", "days": 2}}], [WEATHER, ROUTE]
    )
    (call,) = editor.calls
    assert not call.form.problem
    call.function.setCurrentIndex(1)
    assert editor.value["calls"] == [{"name": "route", "arguments": {"days": 2}}]
    assert call.form.problem == '"start", "end" are required and not given'
    assert not editor.misfit
    call.form.json.set_text('{"start": "Oslo", "end": "Bergen"}')
    call.form.json.edited.emit()
    assert not call.form.problem
    call.function.setCurrentIndex(0)
    assert editor.value["calls"] == [{"name": "weather", "arguments": {"city": "Oslo", "days": 2}}]
