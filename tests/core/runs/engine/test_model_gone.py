"""A model that gives no answer ends a run with who, why and what to do."""

import asyncio

import pytest
from fixtures.scripted_run import ScriptedProvider, make_api, make_parts

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.model import ModelError, ModelRequest, Reply
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.workspace import Workspace


class Gone:
    """Answers nothing."""

    label = "gone"

    def __init__(self, error: ErrorClass, todo: str = "") -> None:
        self._error, self._todo = error, todo

    async def complete(self, request: ModelRequest) -> Reply:
        raise ModelError(
            self._error, "The endpoint http://x/v1 said so", is_transient=False, todo=self._todo
        )

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("error", "todo"),
    [
        (ErrorClass.NETWORK, "Start the server, or give another address in Edit > Preferences"),
        (ErrorClass.TIMEOUT, "one that is loading a model answers later"),
        (ErrorClass.UNAUTHORISED, "Look at the key of this endpoint in Edit > Preferences"),
    ],
)
def test_run_when_its_model_is_gone_then_says_where_why_and_what_to_do(
    workspace: Workspace, error: ErrorClass, todo: str
) -> None:
    parts = make_parts({"One": [make_api("a_1")]}, Gone(error), ScriptedProvider())
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts))
    assert done.status is Status.NOT_MEASURED
    assert done.reason.startswith(
        f"No usable answer from the model ({error.replace('_', ' ')}):"
        " The endpoint http://x/v1 said so. "
    )
    assert todo in done.reason


def test_run_when_what_failed_says_what_to_do_then_that_is_said(workspace: Workspace) -> None:
    model = Gone(ErrorClass.BAD_PAYLOAD, "Look at the log of the endpoint")
    parts = make_parts({"One": [make_api("a_1")]}, model, ScriptedProvider())
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts))
    assert done.reason == (
        "No usable answer from the model (bad payload): The endpoint http://x/v1 said so."
        " Look at the log of the endpoint"
    )
