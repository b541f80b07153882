"""Recorded calls: import, exact and similar answers, typed failures; never an invention."""

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.providers.classify import observe
from toolplanner_core.providers.provider import CallLimits, providers
from toolplanner_core.providers.recorded import RecordedOptions
from toolplanner_core.sources.recordings import (
    canonical_arguments,
    import_recordings,
    is_recordings_file,
)
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting

LINES = [
    {
        "category": "Logistics", "tool": "suivi_colis", "fn": "latest",
        "calls": [
            {"input": {"carrierid": "CA1", "is_id": 7}, "response": {"state": "sent"}},
            {"input": {"carrierid": "CA2", "is_id": 8}, "response": {"state": "lost"}},
            {"input": {"carrierid": "CA3"}, "response": "Delivered", "truncated": True},
            {"input": {}, "response": "", "error": "Missing input parameters."},
        ],
    }
]  # fmt: skip


def api(key: str = "Logistics/suivi_colis/latest") -> Api:
    return Api(
        id=ApiId("0" * 16), source="toolbench", key=key, category="Logistics", tool="Suivi Colis",
        name="Latest", method="GET", url="", description="", tool_description="",
        parameters={"type": "object", "properties": {}}, response_schema=None, risk=Risk.READ,
        doc_hash="",
    )  # fmt: skip


@pytest.fixture
def recorded(workspace: Workspace, tmp_path: Path) -> Workspace:
    path = tmp_path / "calls.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, LINES)).encode()))
    report = import_recordings(workspace, path, progress=Progress())
    assert (report.recorded_apis, report.added, report.rejected) == (1, 4, [])
    return workspace


def call(workspace: Workspace, arguments: dict[str, Any], **options: Any) -> RawResult:
    provider = providers.get("recorded").make(workspace, RecordedOptions(**options))
    return asyncio.run(provider.call(api(), arguments, CallLimits()))


def test_call_when_recorded_exactly_then_gives_that_reply(recorded: Workspace) -> None:
    result = call(recorded, {"carrierId": "CA2", "id": "8"})
    assert json.loads(result.body) == {"state": "lost"}
    assert (result.status, result.origin) == (200, "recorded · exact")


def test_call_when_only_the_names_are_recorded_then_gives_the_closest_and_says_so(
    recorded: Workspace,
) -> None:
    result = call(recorded, {"carrierId": "unknown", "id": 8}, exact_only=False)
    assert json.loads(result.body) == {"state": "lost"}
    assert result.origin == "recorded · for carrierid CA2, id 8"


def test_call_when_nothing_else_is_said_then_similar_ones_do_not_count(recorded: Workspace) -> None:
    result = call(recorded, {"carrierId": "unknown", "id": 8})
    assert result.failure is ErrorClass.NOT_FOUND


def test_call_when_nothing_fits_then_fails_and_lists_what_was_recorded(recorded: Workspace) -> None:
    result = call(recorded, {"colour": "red"})
    assert (result.failure, result.body) == (ErrorClass.NOT_FOUND, "")
    assert result.message == (
        "No recording of Suivi Colis · Latest for colour red. Recorded are replies to other"
        " arguments: (carrierid,id); no arguments; (carrierid). Ask with one of these sets, or run"
        " it live once and keep its replies as recorded calls."
    )


def test_call_when_other_values_were_recorded_then_says_which_and_what_to_do(
    recorded: Workspace,
) -> None:
    result = call(recorded, {"carrierid": "CA9", "is_id": 7})
    assert result.failure is ErrorClass.NOT_FOUND
    assert "for carrierid CA9, id 7. Recorded are its replies for carrierid CA1, id 7; " in (
        result.message
    )
    assert result.message.endswith('switch off "Exact arguments only" to be given the nearest.')
    provider = providers.get("recorded").make(recorded, RecordedOptions())
    other = api("Logistics/suivi_colis/other")
    unknown = asyncio.run(provider.call(other, {"id": 1}, CallLimits()))
    assert "nor for anything else. Run it live once and keep its replies" in unknown.message


def test_call_when_the_recording_is_an_error_then_has_its_class(recorded: Workspace) -> None:
    assert call(recorded, {}).failure is ErrorClass.MISSING_PARAMETER


def test_call_when_the_reply_was_cut_then_says_so(recorded: Workspace) -> None:
    result = call(recorded, {"carrierid": "CA3"})
    assert (result.content_type, result.body) == ("text/plain", "Delivered")
    assert "cut" in result.message


def test_provider_when_nothing_is_recorded_then_says_how_to_import(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="Import a file of them, or keep the replies of a run"):
        providers.get("recorded").make(workspace, RecordedOptions())


def test_import_when_repeated_then_changes_nothing(recorded: Workspace, tmp_path: Path) -> None:
    report = import_recordings(recorded, tmp_path / "calls.jsonl.gz", progress=Progress())
    assert (report.added, report.unchanged) == (0, 4)
    assert get_setting(recorded, "default_provider") == "recorded"


def test_import_when_lines_are_broken_then_rejects_them_by_number(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = tmp_path / "calls.jsonl"
    good = json.dumps(LINES[0])
    path.write_text("\n".join([good, "{broken", "[]", '{"tool": "x"}', "[" * 5000]))
    report = import_recordings(workspace, path, progress=Progress())
    assert report.added == 4
    assert [one.where for one in report.rejected] == [
        f"calls.jsonl, line {n}" for n in (2, 3, 4, 5)
    ]


def test_import_when_the_archive_is_cut_then_says_so(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(LINES[0]).encode() * 50)[:-20])
    with pytest.raises(BadInput, match="cannot be read"):
        import_recordings(workspace, path, progress=Progress())


@pytest.mark.parametrize("content", [b"", b"hello", b"[]", b'{"name": "x"}', b"\x1f\x8bxx"])
def test_file_when_it_is_something_else_then_is_not_taken_for_recordings(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    assert not is_recordings_file(path)


@given(
    st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=5) | st.booleans()),
)
def test_canonical_arguments_when_written_as_texts_then_are_the_same(
    arguments: dict[str, Any],
) -> None:
    as_texts = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in arguments.items()
    }
    assert canonical_arguments(arguments) == canonical_arguments(as_texts)


@pytest.mark.slow
def test_import_when_all_real_recordings_then_is_complete(
    workspace: Workspace, shared_data: Path
) -> None:
    path = shared_data / "toolbench" / "recorded_calls.jsonl.gz"
    assert is_recordings_file(path)
    report = import_recordings(workspace, path, progress=Progress())
    assert report.recorded_apis == 10_400
    assert report.added + report.unchanged == 55_143
    assert not report.rejected


@pytest.mark.parametrize(
    ("response", "error", "failure"),
    [
        ({"error": "", "value": 3}, "", None),
        ({"log": "error error error", "n_errors": 0}, "", None),
        ("The error function is 0.84", "", None),
        ("", "An error occurred", ErrorClass.SERVER_ERROR),
        ("", "Rate limit exceeded", ErrorClass.RATE_LIMITED),
    ],
)
def test_reply_when_it_holds_the_bare_word_error_then_that_alone_is_no_class(
    workspace: Workspace, tmp_path: Path, response: Any, error: str, failure: ErrorClass | None
) -> None:
    said = {"input": {"q": 1}, "response": response, **({"error": error} if error else {})}
    path = tmp_path / "calls.jsonl"
    path.write_text(json.dumps(LINES[0] | {"calls": [said]}), encoding="utf-8")
    import_recordings(workspace, path, progress=Progress())
    assert observe(call(workspace, {"q": 1}), api()).error is failure
