"""Errors as a person reads them."""

import pytest

from toolplanner_core import errors
from toolplanner_core.errors import BadInput, ToolPlannerError
from toolplanner_gui.bridge.errors import describe


def test_describe_when_ours_keeps_its_parts() -> None:
    problem = describe(BadInput("no tools", where="a.zip", why="pictures only", todo="Choose one"))
    assert (problem.what, problem.why, problem.todo) == (
        "a.zip: no tools",
        "pictures only",
        "Choose one",
    )


def test_describe_when_a_file_is_missing_names_it() -> None:
    problem = describe(FileNotFoundError(2, "No such file or directory", "/tmp/gone"))
    assert problem.what == "/tmp/gone: No such file or directory"


def test_describe_when_foreign_says_it_is_our_fault_with_details() -> None:
    try:
        raise ValueError("odd")
    except ValueError as error:
        problem = describe(error, doing="Import")
    assert problem.what.startswith("Import stopped because of a fault in the program")
    assert "ValueError" in problem.details
    assert "test_errors.py:" in problem.details
    assert "Traceback" not in problem.details


KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ToolPlannerError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_error_when_it_does_not_say_what_to_do_then_the_window_does(
    kind: type[ToolPlannerError],
) -> None:
    assert describe(kind("It went wrong")).todo
    assert describe(kind("It went wrong", todo="Do this")).todo == "Do this"
