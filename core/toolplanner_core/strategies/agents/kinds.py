"""Kinds of nodes of a search by agents, and where it may be held."""

from toolplanner_core.domain.nodes import NodeKind, Shown
from toolplanner_core.domain.stop_points import Choice, StopPoint

_SEEN = (
    Shown("looked", "Looked at"),
    Shown("made", "Gave work to"),
    Shown("added", "Added"),
)

ROUND = NodeKind(
    id="search_round",
    word="round",
    icon="autorenew",
    is_numbered=True,
    is_unit=False,
    counted="reflections",
    counted_from=2,
    shown=(
        Shown("why", "Why"),
        Shown("woken", "Woken"),
        Shown("removed", "Left the pool"),
        Shown("pool", "Pool", is_column=True),
    ),
)
META_AGENT = NodeKind(id="meta_agent", word="meta-agent", icon="sitemap-outline", shown=_SEEN)
CATEGORY_AGENT = NodeKind(
    id="category_agent",
    word="category agent",
    icon="folder-search-outline",
    identity=("category",),
    compared=("category",),
    shown=_SEEN,
)
TOOL_AGENT = NodeKind(
    id="tool_agent",
    word="tool agent",
    icon="magnify",
    identity=("tools",),
    compared=("tools",),
    shown=_SEEN,
)
FOUND = NodeKind(
    id="found_api",
    word="pooled API",
    icon="tray-plus",
    on_map=True,
    identity=("api",),
    compared=("api",),
)
SOLVING = NodeKind(id="pool_solver", word="solver", icon="puzzle-outline", is_unit=False)

WAKE = StopPoint(
    id="before_reflection",
    kind="reflection",
    word="Before agents are woken:",
    event="agents are about to be woken, since the query is not solved",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Wake these",
    take_hint="Choose who searches on.",
    skip="End the search",
    skip_hint="Nobody is woken, and the run ends unsolved.",
    chosen_word="Woken",
)

AGENT_KINDS = (ROUND, META_AGENT, CATEGORY_AGENT, TOOL_AGENT, FOUND, SOLVING)
