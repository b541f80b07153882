"""A fine-tuning job over the real client and a loopback service: sent, watched, cancelled."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.tuning_service import TuningEndpoint, tuning_endpoint

from toolplanner_core.cli.app import run_command_line
from toolplanner_core.errors import BadInput, Cancelled, ModelUnavailable
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.training.finetuning import TuningService

TURNS = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "u"},
    {"role": "assistant", "content": "a"},
]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[TuningEndpoint]:
    with tuning_endpoint() as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setattr("toolplanner_core.training.finetuning.POLL_S", 0.0)
        yield made


@pytest.fixture
def training_set(tmp_path: Path) -> Path:
    file = tmp_path / "set.jsonl"
    file.write_text("\n".join([json.dumps({"messages": TURNS})] * 12), encoding="utf-8")
    return file


def test_tuning_when_started_from_the_terminal_then_sent_watched_and_its_model_named(
    endpoint: TuningEndpoint, training_set: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["train", "tune", str(training_set), "small"]) == 0
    assert training_set.read_bytes() in endpoint.files[0]
    assert b"fine-tune" in endpoint.files[0]
    assert endpoint.asked == [{"model": "small", "training_file": "file-1"}]
    seen = capsys.readouterr()
    assert "Job ftjob-1: succeeded" in seen.out and "openai:ft:small" in seen.out
    told = [line for line in seen.err.splitlines() if line.startswith("It is ")]
    assert told == [f"It is {status}" for status in endpoint.said], "each thing once, in order"


def test_tuning_when_it_fails_or_is_cancelled_then_says_why_and_ends_with_another_code(
    endpoint: TuningEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.course[:] = ["running", "failed"]
    assert run_command_line(["train", "watch", "ftjob-1"]) == 1
    assert "failed: the set is too small" in capsys.readouterr().out
    endpoint.course[:] = ["running"]
    assert run_command_line(["train", "watch", "ftjob-1", "--cancel"]) == 1
    assert "cancelled" in capsys.readouterr().out


def test_watching_when_stopped_then_the_job_goes_on(endpoint: TuningEndpoint) -> None:
    endpoint.course[:] = ["running"]
    progress = Progress()

    def stop(_seconds: float) -> None:
        progress.cancel()

    with pytest.raises(Cancelled):
        TuningService().watch("ftjob-1", hear=str, progress=progress, pause=stop)
    assert endpoint.course == ["running"]


def test_tuning_when_nothing_may_leave_or_the_set_is_wrong_then_nothing_is_sent(
    endpoint: TuningEndpoint, training_set: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = TuningService()
    service.address = "https://tuning.example/v1"
    with pytest.raises(BadInput, match="was not sent"):
        service.start(training_set, model="small")
    training_set.write_text("{}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="is no training set"):
        TuningService().start(training_set, model="small")
    assert (endpoint.files, endpoint.asked) == ([], [])


def test_tuning_when_the_service_refuses_then_says_what_it_said(
    endpoint: TuningEndpoint, training_set: Path
) -> None:
    endpoint.refuses = True
    with pytest.raises(ModelUnavailable, match="this key may not"):
        TuningService().start(training_set, model="small")
