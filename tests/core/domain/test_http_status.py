"""One table of HTTP statuses: its classes, and that no other module keeps one of its own."""

import ast
from pathlib import Path

import pytest

import toolplanner_core
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.http_status import class_of_status, is_busy, is_perhaps_done, may_pass

CORE = Path(toolplanner_core.__file__).parent
TELLING = {401, 403, 408, 429, 502, 503, 504}
"""Statuses that only a table of meanings holds together."""
MADE_UP = {"providers/simulated.py", "runs/stages/fault_injection.py"}
"""Where statuses are sent for a class, not read."""


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (200, None), (304, None), (400, ErrorClass.INVALID_PARAMETER),
        (401, ErrorClass.UNAUTHORISED), (402, ErrorClass.NOT_SUBSCRIBED),
        (403, ErrorClass.UNAUTHORISED), (404, ErrorClass.NOT_FOUND), (408, ErrorClass.TIMEOUT),
        (410, ErrorClass.NOT_FOUND), (415, ErrorClass.WRONG_FORMAT),
        (429, ErrorClass.RATE_LIMITED), (500, ErrorClass.SERVER_ERROR),
        (599, ErrorClass.SERVER_ERROR),
    ],
)  # fmt: skip
def test_status_when_read_then_has_one_class(status: int, error: ErrorClass | None) -> None:
    assert class_of_status(status) is error


def test_status_without_a_class_of_its_own_when_read_then_the_caller_says_which() -> None:
    assert class_of_status(418, otherwise=ErrorClass.WRONG_FORMAT) is ErrorClass.WRONG_FORMAT
    assert class_of_status(404, otherwise=ErrorClass.WRONG_FORMAT) is ErrorClass.NOT_FOUND


def test_statuses_when_asked_again_then_only_those_that_pass() -> None:
    assert [status for status in (400, 404, 409, 425, 429, 500, 503) if may_pass(status)] == [
        409, 425, 429, 500, 503,
    ]  # fmt: skip
    assert [status for status in (None, 429, 500, 503) if is_busy(status)] == [429, 503]
    assert [status for status in (None, 400, 500, 503, 504) if is_perhaps_done(status)] == [
        500, 504,
    ]  # fmt: skip


def test_modules_when_read_then_one_alone_keeps_a_table_of_statuses() -> None:
    found: set[str] = set()
    for path in CORE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                numbers = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
                if len(TELLING & {n for n in numbers if isinstance(n, int)}) > 1:
                    found.add(path.relative_to(CORE).as_posix())
    assert found - MADE_UP == {"domain/http_status.py"}
