"""Health of APIs from the calls in the log."""

import json
from pathlib import Path

from sqlite_utils import Database

from tests.fixtures.curated import curated_workspace
from toolplanner_core.domain.observation import EXAMPLE_MODEL
from toolplanner_core.workspace.call_statistics import CallFigures, call_figures


def test_figures_add_up_and_keep_the_newest_error() -> None:
    one = CallFigures(n_ok=1, n_failed=1, last_error="timeout", last_error_us=5)
    other = CallFigures(n_ok=2, n_failed=1, last_error="server", last_error_us=9)
    both = one.plus(other)
    assert (both.n_ok, both.n_failed, both.n, both.last_error) == (3, 2, 5, "server")
    assert other.plus(one) == both


def test_time_when_one_reply_was_timed_then_said_once() -> None:
    one = CallFigures(n_ok=1, n_failed=0, elapsed_ms=(600.0,))
    assert one.words == "1 of 1 call ok, in 600 ms"
    assert one.plus(one).words == "2 of 2 calls ok, half within 600 ms, 95 % within 600 ms"


def test_words_when_something_was_not_there_then_said_apart() -> None:
    one = CallFigures(n_ok=1, n_failed=1, n_absent=2)
    assert one.words == "1 of 2 calls ok, 2 more asked for what is not there"
    assert one.health == 0.5
    assert one.plus(one).n_absent == 4
    none = CallFigures(n_ok=0, n_failed=0, n_absent=3)
    assert none.words == "3 calls asked for what is not there: none tells its health"
    assert (none.health, one.plus(none).words) == (
        None, "1 of 2 calls ok, 5 more asked for what is not there",
    )  # fmt: skip


def _add_runs(db: Database) -> None:
    for run, model in ((1, "m"), (2, "m"), (3, "m"), (4, EXAMPLE_MODEL)):
        db.execute(
            "INSERT INTO runs(id, query, strategy, model, provider, options, status,"
            " started_us, app_version) VALUES(?, 'q', 's', ?, 'p', '{}', 'solved', 1, '')",
            [run, model],
        )


def test_calls_of_all_runs_are_counted_by_api(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        assert call_figures(workspace) == {}
        ids = dict(workspace.reader().execute("SELECT rowid, id FROM apis").fetchall())

        def write(db: Database) -> None:
            _add_runs(db)
            events = [
                (1, 1, "call.sent", "a/call.1", {"api": ids[1]}),
                (1, 2, "call.failed", "a/call.1", {"error": "server_error", "origin": "demo"}),
                (1, 3, "call.sent", "a/call.2", {"api": ids[2]}),
                (1, 4, "call.returned", "a/call.2", {}),
                (2, 1, "call.sent", "a/call.1", {"api": ids[1]}),
                (2, 2, "call.returned", "a/call.1", {}),
                # Its request stands in the parent's log.
                (2, 3, "call.returned", "a/call.9", {}),
                # An API that is not in the catalogue any more.
                (2, 4, "call.sent", "a/call.3", {"api": "0" * 16}),
                (2, 5, "call.failed", "a/call.3", {"error": "server"}),
                # A right answer to a question about what is not there.
                (2, 6, "call.sent", "a/call.4", {"api": ids[2]}),
                (2, 7, "call.failed", "a/call.4", {"error": "empty_result"}),
                # An example chose to fail.
                (4, 1, "call.sent", "a/call.1", {"api": ids[1]}),
                (4, 2, "call.failed", "a/call.1", {"error": "server_error", "origin": "demo"}),
                # Nobody's failures: injected, decided by a person, simulated, stopped.
                *(
                    (3, 2 * n + half, kind, f"a/call.{n}", body)
                    for n, (origin, error) in enumerate(
                        [
                            ("injected fault", "server_error"),
                            ("a person", "timeout"),
                            ("simulated", "not_found"),
                            ("virtual", "server_error"),
                            ("demo", "cancelled"),
                            ("not sent", "unauthorised"),
                        ]
                    )
                    for half, kind, body in (
                        (0, "call.sent", {"api": ids[2]}),
                        (1, "call.failed", {"error": error, "origin": origin}),
                    )
                ),
            ]
            for run, seq, kind, path, body in events:
                db.execute(
                    "INSERT INTO events VALUES(?, ?, ?, 0, ?, ?, NULL, NULL, 'provider', ?)",
                    [run, seq, 10 * run + seq, kind, path, json.dumps(body)],
                )

        workspace.writer.run(write)
        found = call_figures(workspace)
    assert found == {
        1: CallFigures(n_ok=1, n_failed=1, last_error="server error", last_error_us=12),
        2: CallFigures(n_ok=1, n_failed=0, n_absent=1),
    }
