"""Risk by rule: read only on evidence, destructive whenever a verb says so."""

import pytest

from toolplanner_core.domain.api import Risk
from toolplanner_core.sources.risk import risk_of


@pytest.mark.parametrize(
    ("method", "name", "description", "risk"),
    [
        ("GET", "Current weather", "", Risk.READ),
        ("get", "/v1/users/{id}", "", Risk.READ),
        ("HEAD", "ping", "", Risk.READ),
        ("GET", "List canceled orders", "", Risk.READ),
        ("GET", "sendMessage", "", Risk.WRITE),
        ("GET", "remove_item", "", Risk.DESTRUCTIVE),
        ("GET", "item", "Deletes an item of the basket", Risk.DESTRUCTIVE),
        ("POST", "Translate text", "", Risk.READ),
        ("POST", "searchFlights", "", Risk.READ),
        ("POST", "getOrCreateUser", "", Risk.WRITE),
        ("POST", "Get token", "Creates a token", Risk.WRITE),
        ("POST", "users", "", Risk.WRITE),
        ("POST", "cancelOrder", "", Risk.DESTRUCTIVE),
        ("POST", "User: delete", "", Risk.DESTRUCTIVE),
        ("PUT", "get", "", Risk.WRITE),
        ("PATCH", "search", "", Risk.WRITE),
        ("DELETE", "Get weather", "", Risk.DESTRUCTIVE),
        ("", "get_weather", "", Risk.READ),
        ("", "weather", "", Risk.WRITE),
        ("", "", "", Risk.WRITE),
        ("POST", "天气", "", Risk.WRITE),
    ],
)
def test_risk_when_guessed_then_a_wrong_read_is_avoided(method, name, description, risk):
    assert risk_of(method, name, description) is risk
