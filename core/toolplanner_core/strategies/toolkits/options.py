"""The options of Tool-Planner, and what of them concerns its toolkits and its planner."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from toolplanner_core.options.option import option
from toolplanner_core.prompts.render import OBSERVATION_LIMIT, TOOLKIT_TEXT

if TYPE_CHECKING:
    # Whoever lists strategies and their options plans nothing.
    from toolplanner_core.strategies.toolkits.planning import PlannerLimits
    from toolplanner_core.strategies.toolkits.steps import CandidatePolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPlannerOptions:
    """Options of the strategy; the defaults are the paper's where it names one."""

    max_in_toolkit: int | None = option(
        9,
        "APIs tried in one toolkit at most, those that fit best.",
        title="Tries in a toolkit",
        minimum=1,
        none_means="all of its APIs",
    )
    max_replans: int = option(3, "Revised plans at most.", title="Replans", minimum=0)
    max_steps: int = option(8, "Steps of one plan at most.", title="Steps", minimum=1)
    parallel: bool = option(
        True, "Steps that do not need each other run at the same time.", title="In parallel"
    )
    shortlist: int = option(60, "Toolkits offered to the planner at most, best first.", minimum=1)
    toolkit_text: int | None = option(
        TOOLKIT_TEXT,
        "Characters of each toolkit's text that the planner is shown.",
        title="Characters of a toolkit",
        minimum=20,
        none_means="the whole text",
    )
    member_order: Literal["similarity", "random"] = option(
        "similarity",
        "Order in which the APIs of a toolkit are tried.",
        title="Order in a toolkit",
        choices={
            "similarity": "by similarity to the step, and by health",
            "random": "by chance, as in the paper's prompt",
        },
    )
    next_api: Literal["model", "rank", "random"] = option(
        "model",
        "Who chooses the API that is tried after a failure.",
        title="After a failure",
        choices={
            "model": "a model that sees the failures, or gives the toolkit up",
            "rank": "the next one in order",
            "random": "chance",
        },
    )
    searches: int = option(
        2,
        "How often the planner may look for more toolkits by its own words before it plans.",
        minimum=0,
        maximum=5,
    )
    observation_limit: int = option(
        OBSERVATION_LIMIT,
        "Characters of a result that a model is shown; the whole value is kept.",
        title="Characters of a result",
        minimum=100,
        maximum=100_000,
    )
    toolkits: bool = option(
        True, "Off = plans over single APIs, without fallbacks (the paper's table 4)."
    )

    @property
    def manner(self) -> "CandidatePolicy":
        """How the APIs of a toolkit are tried."""
        from toolplanner_core.strategies.toolkits.steps import CandidatePolicy

        return CandidatePolicy(
            max_members=self.max_in_toolkit,
            order=self.member_order,
            next_api=self.next_api,
            single=not self.toolkits,
        )

    @property
    def limits(self) -> "PlannerLimits":
        """What the planner may do."""
        from toolplanner_core.strategies.toolkits.planning import PlannerLimits

        return PlannerLimits(
            max_steps=self.max_steps,
            searches=self.searches,
            observation=self.observation_limit,
            toolkit_text=self.toolkit_text,
            single=not self.toolkits,
        )
