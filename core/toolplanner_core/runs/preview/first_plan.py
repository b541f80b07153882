"""The first plan of a query alone, by rules, without a run: nothing is logged or called."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Any, cast

from toolplanner_core.domain.ids import ROOT, NodePath, ToolkitId
from toolplanner_core.domain.plan import Task
from toolplanner_core.domain.toolkit import ScoredApi, ScoredToolkit
from toolplanner_core.llm.model import OFFLINE, Model, ModelContext, ModelRequest, make_model
from toolplanner_core.options.values import make_options
from toolplanner_core.prompts.question import Question
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import OutlinedStep, strategies


async def outline_of(spec: RunSpec, catalogue: WorkspaceCatalogue) -> Sequence[OutlinedStep]:
    """What the steps of the first plan would begin with.

    Raises:
        NotFound: no such strategy.
        BadInput: the strategy has no first plan, or an option does not fit.
    """
    strategy = strategies.get(spec.strategy)
    assert strategy.outline is not None, "the caller asks only strategies with a first plan"
    options = make_options(strategy.options, spec.options, of=f"strategy {strategy.id}")
    context = ModelContext(
        encode=catalogue.encode, embedder=catalogue.embedder_id, evidence=catalogue.evidence
    )
    scope = _OutlineScope(make_model(OFFLINE, context), catalogue, spec)
    return await strategy.outline(Task(query=spec.query), cast(RunScope, scope), options)


class _Nowhere:
    """A node of no tree."""

    path: NodePath = ROOT
    seq = 0

    def end(self, *_said: Any, **_more: Any) -> None:
        """Nobody looks."""

    def tell(self, **_data: Any) -> None:
        """Nobody looks."""


class _OutlineScope:
    """The parts of a `RunScope` that a first plan needs; it has no gate, so it can call nothing."""

    def __init__(self, model: Model, catalogue: WorkspaceCatalogue, spec: RunSpec) -> None:
        self._model, self._catalogue = model, catalogue
        self._names: dict[ToolkitId, str] = {}
        self.task = Task(query=spec.query)
        self.random = Random(spec.seed)
        self.toolkits = self.catalogue = self

    async def ask(self, question: Question[Any], **_how: Any) -> Any:
        request = ModelRequest(
            id=question.id,
            question=question,
            messages=(),
            schema=question.schema(),
            temperature=0.0,
        )
        return question.parse((await self._model.complete(request)).data)

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId] = ()
    ) -> list[ScoredToolkit]:
        found = await self._catalogue.shortlist(text, n, without=without)
        self._names.update((each.toolkit.id, each.toolkit.name) for each in found)
        return found

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        return await self._catalogue.members(toolkit, near=near)

    async def search(self, text: str, k: int) -> list[ScoredApi]:
        return await self._catalogue.search(text, k)

    def name_of(self, toolkit: ToolkitId) -> str:
        return self._names.get(toolkit, f"toolkit {toolkit}")

    @asynccontextmanager
    async def node(
        self, *_what: Any, data: Mapping[str, Any] | None = None, **_more: Any
    ) -> AsyncGenerator[_Nowhere]:
        del data  # there is no tree
        yield _Nowhere()

    async def note(self, text: str) -> None:
        """Nobody reads it."""
