"""An error that nobody has caught: a report without anybody's data, a log that stays small."""

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import qVersion
from PySide6.QtWidgets import QApplication

from toolplanner_core.jobs.isolation import build_fault_report
from toolplanner_core.keys import register_secrets
from toolplanner_gui.bridge.crash_handler import CrashHandler
from toolplanner_gui.bridge.log_file import start_log_file

SECRET = "sk-canary-4711"


def fail(folder: Path) -> None:
    try:
        raise KeyError(SECRET)
    except KeyError as error:
        raise ValueError(f"{SECRET} in {folder}/customers.csv") from error


@pytest.fixture
def failed(tmp_path: Path) -> BaseException:
    """An error that tells of somebody's folder."""
    with pytest.raises(ValueError) as caught:
        fail(tmp_path)
    return caught.value


@pytest.fixture
def crashes(qapp: QApplication) -> Iterator[CrashHandler]:
    made = CrashHandler()
    yield made
    made.close()
    made.deleteLater()


def test_report_when_an_error_carries_data_then_only_places_and_kinds_are_in_it(
    failed: BaseException, tmp_path: Path
) -> None:
    report = build_fault_report(failed)
    assert SECRET not in report and str(tmp_path) not in report and "customers" not in report
    assert "ValueError" in report and "KeyError" in report
    assert "test_crashes.py:" in report and " fail" in report


def test_error_when_it_reaches_python_then_it_is_reported_and_logged(
    crashes: CrashHandler, failed: BaseException, qtbot, caplog: pytest.LogCaptureFixture
) -> None:
    error = failed
    with qtbot.waitSignal(crashes.happened) as said:
        sys.excepthook(type(error), error, error.__traceback__)
    assert said.args == [build_fault_report(error, beside=f"Qt {qVersion()}")]
    assert "An error that nobody has caught" in caplog.text


def test_error_when_it_ends_a_thread_then_the_gui_thread_hears_of_it(
    crashes: CrashHandler, qtbot, tmp_path: Path
) -> None:
    heard_on: list[int] = []
    crashes.happened.connect(lambda _: heard_on.append(threading.get_ident()))
    with qtbot.waitSignal(crashes.happened) as said:
        thread = threading.Thread(target=fail, args=(tmp_path,))
        thread.start()
        thread.join()
    assert "ValueError" in said.args[0]
    assert heard_on == [threading.get_ident()]


def test_hooks_when_closed_then_they_are_those_of_before(qapp: QApplication) -> None:
    before = (sys.excepthook, threading.excepthook)
    CrashHandler().close()
    assert (sys.excepthook, threading.excepthook) == before


def test_log_when_much_is_written_then_three_files_of_a_megabyte_are_kept(tmp_path: Path) -> None:
    handler = start_log_file(tmp_path / "logs" / "window.log")
    assert handler is not None
    try:
        for _ in range(50):
            logging.getLogger("toolplanner_gui").error("x" * 100_000)
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    files = list((tmp_path / "logs").iterdir())
    assert len(files) == 3
    assert max(file.stat().st_size for file in files) <= 1_000_000


def test_log_when_an_error_carries_a_key_then_it_is_blacked_out(tmp_path: Path) -> None:
    place = tmp_path / "window.log"
    handler = start_log_file(place)
    assert handler is not None
    register_secrets("canary-loaded-key")
    try:
        try:
            raise ValueError("cannot reach https://x.example/?q=canary-loaded-key") from KeyError(
                "sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCD"
            )
        except ValueError:
            logging.getLogger("toolplanner_gui").exception("Failed with canary-loaded-key")
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    said = place.read_text("utf-8")
    assert "Failed with" in said and "ValueError" in said
    assert "canary-loaded-key" not in said and "sk-proj-" not in said


def test_log_when_its_folder_cannot_be_made_then_the_program_goes_on(tmp_path: Path) -> None:
    (tmp_path / "logs").touch()
    assert start_log_file(tmp_path / "logs" / "window.log") is None
