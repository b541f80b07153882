"""What probing would call and ask, for the dialog before it, and the run that does it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import option
from toolplanner_core.providers.provider import providers
from toolplanner_core.providers.routes import routes_of
from toolplanner_core.runs.config.call_routing import MIXED
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.strategies.probe import ProbeOptions
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeChoices:
    """What a person chooses before probing: options of the strategy, and the budget of the run."""

    writing: bool = option(
        False,
        "Also APIs that may change something; each such call asks first.",
        title="Also changing ones",
    )
    tries: int = option(3, "Probes of one API in a round at most.", minimum=1, maximum=20)
    rounds: int = option(
        3, "Rounds with the help of others at most; 0 = each by itself.", minimum=0, maximum=20
    )
    max_api_calls: int = option(
        100, "API calls at most.", title="Calls at most", minimum=1, maximum=100_000
    )
    max_model_calls: int = option(
        200,
        "Questions to the model at most.",
        title="Questions at most",
        minimum=1,
        maximum=100_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbePlan:
    """Probing of some APIs.

    Attributes:
        apis: those that would be probed.
        left_out: how many may change something and are not.
        providers: who would call, by source.
    """

    apis: tuple[Api, ...]
    left_out: int
    choices: ProbeChoices
    providers: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def asking(self) -> int:
        """How many of them ask a person before each call."""
        return sum(api.risk is not Risk.READ for api in self.apis)

    @property
    def most_calls(self) -> int:
        """API calls at most: what programs could make, or the budget."""
        most = self._most_probes * ProbeOptions().most_calls
        return min(most, self.choices.max_api_calls)

    @property
    def most_questions(self) -> int:
        """Questions at most: a program for each probe, and who may help, or the budget."""
        most = self._most_probes + len(self.apis) * self.choices.rounds
        return min(most, self.choices.max_model_calls)

    @property
    def words(self) -> str:
        """What it takes, in sentences."""
        left_out = counted(
            self.left_out,
            "API that may change something is left out",
            "APIs that may change something are left out",
        )
        n = len(self.apis)
        if not n:
            return f"{left_out}: none is left." if self.left_out else "No API is chosen."
        calls, questions = (
            counted(self.most_calls, "call"),
            counted(self.most_questions, "question"),
        )
        said = (
            f"{counted(n, 'API')}: {counted(n, 'question')} to the model and {counted(n, 'call')}"
            f" if each works at once, at most {questions} and {calls}."
        )
        if self.asking:
            said += f" {counted(self.asking, 'API')} may change something: each call asks first."
        return f"{said} {left_out}." if self.left_out else said

    def called_by(self, api: Api) -> str:
        """The provider that would call an API."""
        known = self.providers.get(api.source)
        return providers.title_of(known) if known else "nobody"

    def spec(self, model: str) -> RunSpec:
        """The run.

        Raises:
            BadInput: nothing is to be probed.
        """
        if not self.apis:
            raise BadInput("Nothing can be probed", why=self.words)
        of = self.choices
        return RunSpec(
            query=" ".join(api.id for api in self.apis),
            strategy="probe",
            model=model,
            provider=MIXED,
            options={"writing": of.writing, "tries": of.tries, "rounds": of.rounds},
            limits=Limits(
                max_api_calls=of.max_api_calls,
                max_model_calls=of.max_model_calls,
                max_seconds=None,
            ),
        )

    @property
    def _most_probes(self) -> int:
        return len(self.apis) * self.choices.tries * (1 + self.choices.rounds)


def probe_plan(
    workspace: Workspace, rowids: Sequence[int], choices: ProbeChoices | None = None
) -> ProbePlan:
    """What probing these APIs would take. Blocks."""
    choices = choices or ProbeChoices()
    found = list(apis_by_rowid(workspace, rowids).values())
    fit = [api for api in found if choices.writing or api.risk is Risk.READ]
    return ProbePlan(
        apis=tuple(fit),
        left_out=len(found) - len(fit),
        choices=choices,
        providers={route.source: route.provider for route in routes_of(workspace)},
    )
