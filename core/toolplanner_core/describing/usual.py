"""Which model describes, and asking it from its opening to its end."""

from toolplanner_core.describing.estimate import DescribeEstimate
from toolplanner_core.describing.job import DescribeLimits, DescribeReport, ask_all
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.day_budget import DayBook
from toolplanner_core.llm.model import ModelContext, make_model
from toolplanner_core.llm.prices import price_of
from toolplanner_core.llm.usual_model import language_model
from toolplanner_core.workspace import Workspace


def describing_model(spec: str | None) -> str:
    """The model that is meant, or the usual one.

    Raises:
        NotFound: there is no such kind of model.
        BadInput: none is meant, or it cannot describe.
    """
    return language_model(spec, "Describing")


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
    DayBook().check(price, spec)
    try:
        return await ask_all(
            workspace, found, model, spec=spec, price=price, limits=limits, progress=progress
        )
    finally:
        await model.close()
