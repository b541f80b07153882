"""A fine-tuning job at an OpenAI-compatible service: a training set goes there, the job is started,
watched and, if wanted, cancelled. The service trains and charges; here is only asked.

The set holds queries and documentation, so it leaves this machine with the person's leave only.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.endpoints import OPENAI_URL, endpoint_key, may_send_texts, usual_address
from toolplanner_core.errors import BadInput, ModelUnavailable
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.openai_failures import failure_of
from toolplanner_core.training.finetuning import check_tuning_lines

if TYPE_CHECKING:
    pass

POLL_S = 10.0
_ENDED = ("succeeded", "failed", "cancelled")
_EVENTS = 100
"""Events that are asked for at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningState:
    """Where a job stands.

    Attributes:
        status: in the service's words: "validating_files", "running", "succeeded" ...
        model: that was made, "" as long as there is none; what a run takes as `openai:MODEL`.
        error: why it failed, "" if it did not.
        trained_tokens: that the service charges, None as long as it does not say.
    """

    job: str
    status: str
    model: str
    error: str
    trained_tokens: int | None

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens."""
        return self.status in _ENDED


class TuningService:
    """The person's usual endpoint, as a service that tunes."""

    def __init__(self) -> None:
        from openai import OpenAI

        self.address = usual_address() or OPENAI_URL
        key = endpoint_key(self.address)
        self._client: OpenAI = OpenAI(api_key=key or "none", base_url=self.address, max_retries=2)

    def start(self, file: Path, *, model: str) -> str:
        """Send a training set and start a job on it; the job's id.

        Raises:
            BadInput: the set breaks the format, or no leave was given for its texts.
            ModelUnavailable: the service refuses, or cannot be reached.
        """
        problems = check_tuning_lines(file.read_text(encoding="utf-8").splitlines())
        if problems:
            raise BadInput(f"{file.name} is no training set", why="; ".join(problems[:3]))
        if not may_send_texts(self.address):
            raise BadInput(
                f"{file.name} was not sent to {self.address}",
                why="It holds queries and documentation of this workspace",
                todo="Allow it with --allow; that is remembered on this machine",
            )
        with _failures(self.address), file.open("rb") as opened:
            sent = self._client.files.create(file=opened, purpose="fine-tune")
            made = self._client.fine_tuning.jobs.create(training_file=sent.id, model=model)
        return made.id

    def state(self, job: str) -> TuningState:
        """Where a job stands.

        Raises:
            ModelUnavailable: the service knows no such job, or cannot be reached.
        """
        with _failures(self.address):
            found = self._client.fine_tuning.jobs.retrieve(job)
        return TuningState(
            job=found.id,
            status=found.status,
            model=found.fine_tuned_model or "",
            error=(found.error.message or "") if found.error else "",
            trained_tokens=found.trained_tokens,
        )

    def cancel(self, job: str) -> None:
        """Have the service end a job.

        Raises:
            ModelUnavailable: as `state`.
        """
        with _failures(self.address):
            self._client.fine_tuning.jobs.cancel(job)

    def watch(
        self,
        job: str,
        *,
        hear: Callable[[str], None],
        progress: Progress,
        pause: Callable[[float], None] = time.sleep,
    ) -> TuningState:
        """Look at a job until it is over; each thing that the service says is heard once.

        Raises:
            Cancelled: by the person; the job itself goes on.
            ModelUnavailable: as `state`.
        """
        known: set[str] = set()
        while True:
            progress.check()
            state = self.state(job)
            with _failures(self.address):
                events = self._client.fine_tuning.jobs.list_events(job, limit=_EVENTS).data
            for event in reversed(events):  # the newest comes first
                if event.id not in known:
                    known.add(event.id)
                    hear(event.message)
            if state.is_over:
                return state
            progress.report(f"Tuning: {state.status}", 0, None)
            pause(POLL_S)


@contextmanager
def _failures(address: str) -> Generator[None]:
    import openai

    try:
        yield
    except openai.OpenAIError as error:
        failed = failure_of(error)
        is_key = failed.error is ErrorClass.UNAUTHORISED
        todo = "Check the key of this endpoint" if is_key else ""
        raise ModelUnavailable(
            f"The tuning service {address} did not do that", why=failed.message, todo=todo
        ) from error
