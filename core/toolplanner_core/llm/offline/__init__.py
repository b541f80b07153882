"""The model "offline": answers the typed questions by rules and embeddings, without a language
model.

Found by the registry of models, which walks the packages beside it too.
"""

from toolplanner_core.llm.model import OFFLINE_LABEL, ModelPlugin
from toolplanner_core.llm.offline.planner import OfflinePlanner

PLUGIN = ModelPlugin(
    id="offline",
    title=OFFLINE_LABEL,
    description="Rules for the demo and for looking around: free, without a language model.",
    make=lambda _name, context, _options: OfflinePlanner(context),
    is_free=True,
    answers_only_planner=True,
)
