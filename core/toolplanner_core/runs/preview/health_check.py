"""What a health check would call, for the question before it, and the run that does it."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.observation import HEALTH_CHECK
from toolplanner_core.providers.routes import routes_of
from toolplanner_core.runs.config.call_routing import MIXED
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.strategies.health import is_checkable
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid

_LISTED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """A check of some APIs.

    Attributes:
        apis: those that would be called.
        left_out: how many would not.
        providers: who would call, by source.
    """

    apis: tuple[Api, ...]
    left_out: int
    providers: dict[str, str]

    @property
    def spec(self) -> RunSpec:
        """The run."""
        return RunSpec(
            query=" ".join(api.id for api in self.apis),
            strategy=HEALTH_CHECK,
            provider=MIXED,
            limits=Limits(max_api_calls=3 * len(self.apis)),
        )

    @property
    def words(self) -> str:
        """What is called and what is not, in a sentence or two."""
        if not self.apis:
            return (
                "None of these can be called by itself: they may change something, or their"
                " documentation gives no values to call with."
            )
        said = "They only read, and are called with the values that their documentation gives."
        if self.left_out:
            said += f" {counted(self.left_out, 'other')} may change something or give no values."
        return said

    @property
    def listed(self) -> str:
        """A line for each, and how many more."""
        lines = [
            f"{api.title} · {api.call_in_words} · by {self.providers.get(api.source, 'nobody')}"
            for api in self.apis[:_LISTED]
        ]
        more = len(self.apis) - _LISTED
        return "\n".join([*lines, f"and {more:,} more"] if more > 0 else lines)


def health_check(workspace: Workspace, rowids: Sequence[int], *, most: int = 500) -> HealthCheck:
    """What a check of these APIs would call. Blocks."""
    found = list(apis_by_rowid(workspace, rowids).values())
    fit = [api for api in found if is_checkable(api)]
    return HealthCheck(
        apis=tuple(fit[:most]),
        left_out=len(found) - len(fit),
        providers={route.source: route.provider for route in routes_of(workspace)},
    )
