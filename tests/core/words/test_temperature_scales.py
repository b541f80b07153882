"""The scale of temperatures that a reply gives bare, as the documentation says it."""

from typing import Any

import pytest

from toolplanner_core.words.reply_values import add_temperature_scale

CELSIUS = "Weather forecast for a city: temperatures in Celsius, chance of rain."


@pytest.mark.parametrize(
    ("value", "documented", "named"),
    [
        ({"temp_min": 0.5}, CELSIUS, {"temp_min_celsius": 0.5}),
        ([{"days": {"tempMax": 6}}], CELSIUS, [{"days": {"tempMax_celsius": 6}}]),
        ({"temperature": 41}, "In °F and miles.", {"temperature_fahrenheit": 41}),
        ({"temp_c": 4, "rain": 1, "temperament": 2, "temp": "cold"}, CELSIUS, None),
        ({"temperature": 4, "unit": "C"}, CELSIUS, None),
        ({"temperature": 4}, "Converts between Celsius and Fahrenheit.", None),
        ({"temperature": 4}, "Weather of a city.", None),
        ({"temp_c": {"temp": True}}, CELSIUS, None),
        ("4", CELSIUS, None),
    ],
)
def test_with_scale_when_a_field_is_a_bare_temperature_then_it_names_the_documented_scale(
    value: Any, documented: str, named: Any
) -> None:
    assert add_temperature_scale(value, documented) == (value if named is None else named)
