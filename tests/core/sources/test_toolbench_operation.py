"""What a ToolBench document says about calling: server, path, places, key."""

import pytest

from toolplanner_core.domain.operation import ArgumentPlace, Operation, RequestPart
from toolplanner_core.sources.toolbench import operation_of

QUERY, PATH, HEADER = (
    ArgumentPlace(within=within)
    for within in (RequestPart.QUERY, RequestPart.PATH, RequestPart.HEADER)
)


def called(method: str, url: str, *parameters: str) -> Operation:
    operation = operation_of(method, url, parameters)
    assert operation is not None
    return operation


def test_operation_when_on_rapidapi_then_key_and_host_are_headers() -> None:
    operation = called("GET", "https://suivi-colis.p.rapidapi.com/tracking/latest", "id")
    assert operation.servers == ("https://suivi-colis.p.rapidapi.com",)
    assert (operation.path, operation.places) == ("/tracking/latest", {"id": QUERY})
    assert operation.headers == {"X-RapidAPI-Host": "suivi-colis.p.rapidapi.com"}
    assert operation.in_words == (
        "GET https://suivi-colis.p.rapidapi.com/tracking/latest · 1 in query"
        " · key in header X-RapidAPI-Key"
    )


def test_operation_when_elsewhere_then_nothing_is_asked() -> None:
    operation = called("", "http://35.188.171.173:8080/api/user?page=1", "name")
    assert operation.servers == ("http://35.188.171.173:8080",)
    assert (operation.method, operation.path) == ("GET", "/api/user?page=1")
    assert (operation.headers, operation.security) == ({}, ())


def test_places_when_the_path_has_variables_then_their_parameters_go_there() -> None:
    operation = called(
        "POST", "https://x.p.rapidapi.com/venues/{venueid}/{id}/{unknown}",
        "venueId", "id", "note", "Content-Type", "X-Token",
    )  # fmt: skip
    assert operation.places == {
        "venueId": ArgumentPlace(within=RequestPart.PATH, name="venueid"),
        "id": PATH,
        "note": QUERY,
        "Content-Type": HEADER,
        "X-Token": HEADER,
    }


@pytest.mark.parametrize(
    "url", ["", "nonsense", "/only/a/path", "ftp://x/y", "https://", "https://[::1/x", "file:///x"]
)
def test_operation_when_the_url_names_no_server_then_there_is_none(url: str) -> None:
    assert operation_of("GET", url, ["a"]) is None


def test_operation_when_the_url_ends_with_the_host_then_the_path_is_a_slash() -> None:
    assert called("GET", "https://x.example").path == "/"
    assert called("GET", "https://x.example?a=1").path == "/?a=1"
