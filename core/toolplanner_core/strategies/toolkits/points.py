"""The stop points of plans over toolkits: a fallback, an exhausted toolkit, a replan, a plan that
is given up."""

from toolplanner_core.domain.stop_points import Choice, StopPoint

FALLBACK = StopPoint(
    id="before_fallback",
    kind="fallback",
    word="Before a fallback:",
    event="a fallback is about to be chosen",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Fall back",
    take_hint="Choose the API that is tried next.",
    skip="Do without",
    skip_hint="The toolkit is given up; the run makes another plan if it may.",
    takes_any_api=True,
    chosen_word="Fallback chosen",
    counted="fallbacks",
    cause_kind="attempt",
    cause_state="fell_back",
)
EXHAUSTED = StopPoint(
    id="toolkit_exhausted",
    kind="fallback",
    word="Toolkit exhausted:",
    event="a toolkit is exhausted",
    allowed=frozenset({Choice.TAKE, Choice.GIVE_UP}),
    take="Try another API",
    take_hint="Choose any other API for this step.",
    takes_any_api=True,
    is_stepped=False,
    failure="exhausted",
    chosen_word="Toolkit exhausted",
    counted="fallbacks",
    cause_kind="attempt",
    cause_state="fell_back",
)
REPLAN = StopPoint(
    id="before_replan",
    kind="replan",
    word="Before a new plan:",
    event="a new plan is about to be made",
    allowed=frozenset({Choice.SKIP, Choice.GIVE_UP}),
    skip="Make no new plan",
    skip_hint="What is left of this plan is still done; then the run answers with what it has.",
    chosen_word="Replan decided",
)
PLAN_FAILED = StopPoint(
    id="plan_failed",
    kind="plan",
    word="The plan has failed:",
    event="the plan is given up",
    is_stepped=False,
    failure="fatal",
)
POINTS = (FALLBACK, EXHAUSTED, REPLAN, PLAN_FAILED)
