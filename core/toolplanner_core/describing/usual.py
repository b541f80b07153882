"""Which model describes, and asking it from its opening to its end."""

import os

from toolplanner_core.describing.estimate import DescribeEstimate
from toolplanner_core.describing.job import DescribeLimits, DescribeReport, ask_all
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.model import ModelContext, make_model, models, parse_model_spec
from toolplanner_core.llm.prices import price_of
from toolplanner_core.settings import load_settings
from toolplanner_core.workspace import Workspace


def usual_model() -> str:
    """The model that a person saved as the usual one; "" = none."""
    name = os.environ.get("OPENAI_MODEL") or load_settings().endpoint.model
    return f"openai:{name}" if name else ""


def describing_model(spec: str | None) -> str:
    """The model that is meant, or the usual one.

    Raises:
        NotFound: there is no such kind of model.
        BadInput: none is meant, or it cannot describe.
    """
    chosen = spec or usual_model()
    if not chosen:
        raise BadInput(
            "No model was chosen", todo="Name one, such as openai:NAME, or save the usual one"
        )
    if models.get(parse_model_spec(chosen).kind).answers_only_planner:
        raise BadInput("Describing needs a language model", todo="Choose one, such as openai:NAME")
    return chosen


async def ask_model(
    workspace: Workspace,
    found: DescribeEstimate,
    spec: str,
    *,
    limits: DescribeLimits | None = None,
    progress: Progress,
) -> DescribeReport:
    """Open a model and ask it what is not known yet.

    Raises:
        ModelUnavailable: it lacks a key or an address.
        Cancelled: a person stopped it; the answers so far are kept.
    """
    model, price = make_model(spec, ModelContext(encode=None)), price_of(workspace, spec)
    try:
        return await ask_all(
            workspace, found, model, spec=spec, price=price, limits=limits, progress=progress
        )
    finally:
        await model.close()
