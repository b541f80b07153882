"""The model "offline": an honest planner without a language model. Found by the registry of
models."""

from toolplanner_core.llm.model import ModelContext, ModelPlugin
from toolplanner_core.llm.offline.planner import LABEL, OfflinePlanner


def _make(name: str, context: ModelContext) -> OfflinePlanner:  # noqa: ARG001 - one kind only
    return OfflinePlanner(context)


PLUGIN = ModelPlugin(id="offline", title=LABEL, make=_make, is_free=True)
