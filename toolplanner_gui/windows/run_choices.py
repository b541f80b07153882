"""What the query bar offers: strategies, models and providers, from the registries of the core."""

import os
from typing import NamedTuple

from toolplanner_gui.windows.query_bar import Entry


class RunChoices(NamedTuple):
    """Entries of the three combo boxes."""

    strategies: list[Entry]
    models: list[Entry]
    providers: list[Entry]


def read_run_choices() -> RunChoices:
    """Load the registries; on a reader thread, since plug-ins import their libraries."""
    from toolplanner_core.llm.model import models
    from toolplanner_core.providers.provider import providers
    from toolplanner_core.strategies.strategy import strategies

    offline = models.get("offline")
    answering = [
        Entry(
            title=offline.title[:1].upper() + offline.title[1:],
            data="offline",
            explanation="Plans without a language model, by rules and similarity. No key needed.",
        )
    ]
    named = os.environ.get("OPENAI_MODEL", "")
    if named:
        answering.append(
            Entry(
                title=f"openai:{named}",
                data=f"openai:{named}",
                explanation="The language model named by OPENAI_MODEL.",
            )
        )
    # The first is what a newcomer runs: one that works without a language model.
    ordered = sorted(strategies, key=lambda each: each.needs_model)
    return RunChoices(
        [Entry(title=s.title, data=s.id, explanation=s.description) for s in ordered],
        answering,
        [
            Entry(
                title="Workspace default",
                data="auto",
                explanation="The provider that is the default of this workspace.",
            ),
            *(
                Entry(
                    title=p.title,
                    data=p.id,
                    explanation="May have effects outside this program."
                    if p.touches_world
                    else "Has no effect outside this program.",
                )
                for p in providers
            ),
        ],
    )
