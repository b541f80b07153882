"""Whether a failed call is about what was asked, or about the API."""

import pytest

from toolplanner_core.domain.failure import EXPLANATIONS, ErrorClass, reports_not_found

HEAD = EXPLANATIONS[ErrorClass.NOT_FOUND].split(" (HTTP")[0]


@pytest.mark.parametrize(
    ("said", "status", "is_absent"),
    [
        ("phrase: No translation of 'umbrella'", 404, True),
        ("No place called 'Atlantis'", 404, True),
        ("Nothing was found", 404, True),
        ("City not found", 200, True),
        ("Not Found", 404, False),
        ("", 404, False),
        ("404: Not found", 404, False),
        ("Cannot GET /v1/city", 404, False),
        ("Endpoint '/v1' does not exist", 404, False),
        ("API doesn't exists", 404, False),
        ("No place called 'Atlantis'", 410, False),
        ("OldMet was closed in 2024. Its successor is GET /v3/weather", 200, False),
    ],
)
def test_says_absent_when_not_found_then_only_where_the_reply_is_about_what_was_asked(
    said: str, status: int, is_absent: bool
) -> None:
    message = f"{HEAD} (HTTP {status}): {said}." if said else f"{HEAD} (HTTP {status})."
    assert reports_not_found("not_found", status=status, message=message) is is_absent


@pytest.mark.parametrize(
    ("error", "is_absent"), [("empty_result", True), ("server_error", False), (None, False)]
)
def test_says_absent_when_of_another_class_then_an_empty_reply_only(
    error: str | None, is_absent: bool
) -> None:
    assert reports_not_found(error, status=200, message="No place: found") is is_absent
