"""A part that cannot be made stands plainly; what concerns the whole goes through."""

import logging
from pathlib import Path

import platformdirs
import pytest

from toolplanner_core.errors import BadInput, Cancelled, ToolPlannerError
from toolplanner_core.jobs.isolation import Isolation, PartKind, problem_of

NAMES = PartKind("name", "names", "such a name begins with “Unnamed”")
SECRET = "sk-canary-4711"


def broken() -> str:
    raise ValueError(f"{SECRET} was not foreseen")


def test_make_when_nothing_fails_then_the_part_is_as_it_was_made() -> None:
    isolation = Isolation()
    assert isolation.make(NAMES, lambda: "Weather", lambda: "Unnamed") == "Weather"
    assert isolation.failures == ()
    assert problem_of(isolation.failures) is None


def test_make_when_a_part_fails_then_it_is_plain_and_logged_and_its_place_is_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    isolation = Isolation()
    with caplog.at_level(logging.INFO):
        assert isolation.make(NAMES, broken, lambda: "Unnamed", part="the third") == "Unnamed"
    (failure,) = isolation.failures
    assert (failure.kind, failure.part, failure.times) == (NAMES, "the third", 1)
    assert "test_isolation.py:" in failure.report and "ValueError" in failure.report
    assert "Traceback" in caplog.text


@pytest.mark.parametrize(
    "error",
    [Cancelled("Stopped"), BadInput("No"), MemoryError(), KeyboardInterrupt(), SystemExit()],
)
def test_make_when_it_concerns_the_whole_then_it_goes_through(error: BaseException) -> None:
    def stop() -> str:
        raise error

    isolation = Isolation()
    with pytest.raises(type(error)):
        isolation.make(NAMES, stop, lambda: "Unnamed")
    assert isolation.failures == ()


def test_problem_when_many_failed_alike_then_one_line_names_a_file_without_anybodys_data() -> None:
    isolation = Isolation()
    for _ in range(3):
        isolation.make(NAMES, broken, lambda: "Unnamed")
    first, again = problem_of(isolation.failures), problem_of(isolation.failures)
    assert isinstance(first, ToolPlannerError) and again is not None
    assert first.sentence == again.sentence
    assert "3 names (such a name begins with “Unnamed”)" in first.sentence
    assert "\n" not in first.sentence and SECRET not in first.sentence
    file = next(word for word in first.sentence.split() if word.endswith(".txt"))
    report = Path(file).read_text("utf-8")
    assert report.count("test_isolation.py:") == 1
    assert SECRET not in report


def test_problem_when_no_file_can_be_written_then_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    isolation = Isolation()
    isolation.make(NAMES, broken, lambda: "Unnamed")
    (tmp_path / "file").touch()
    monkeypatch.setattr(
        platformdirs, "user_log_path", lambda *_, **__: tmp_path / "file" / "nowhere"
    )
    problem = problem_of(isolation.failures)
    assert problem is not None
    assert "no report could be written" in problem.sentence
