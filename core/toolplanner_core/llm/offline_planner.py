"""The model "offline": an honest planner without a language model. Found by the registry of
models."""

from toolplanner_core.llm.model import ModelContext, ModelPlugin
from toolplanner_core.llm.offline.planner import LABEL, OfflinePlanner
from toolplanner_core.options.option import NoOptions


def _make(
    name: str,  # noqa: ARG001 - there is one
    context: ModelContext,
    options: NoOptions,  # noqa: ARG001 - nothing to choose
) -> OfflinePlanner:
    return OfflinePlanner(context)


PLUGIN = ModelPlugin(
    id="offline",
    title=LABEL,
    description="Rules and word statistics on this machine: free, always there, never surprising.",
    make=_make,
    is_free=True,
    answers_only_planner=True,
)
