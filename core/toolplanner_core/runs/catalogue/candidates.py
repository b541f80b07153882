"""A catalogue of the few APIs that were given with a task: its retrieval is not measured then.

Published tables have methods with "reference APIs" in the place of a retriever, benchmarks that
give each query its APIs, and candidates of which some are right and others drawn at random (arXiv
2402.04253, table 1; 2307.16789; 2405.16533, section 4.1). A strategy sees nothing else, whichever
way it looks.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import MemberFit, ScoredApi, ScoredToolkit, Toolkit
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.catalogue.workspace_catalogue import CataloguePager, WorkspaceCatalogue
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, ids_by_rowid, rowids_of
from toolplanner_core.workspace.toolkits import excluded_ids, excluded_rowids, plannable_labels


class CandidateCatalogue(WorkspaceCatalogue):
    """The catalogue of a workspace as if it held these APIs alone.

    Args:
        whole: gives vectors, embedder and health; not to be closed by this one.
        apis: that are there, see `check_candidates`.
    """

    def __init__(
        self, workspace: Workspace, apis: Sequence[ApiId], *, whole: WorkspaceCatalogue
    ) -> None:
        super().__init__(workspace, like=whole)
        rowids = rowids_of(workspace, apis)
        self._given = [rowids[api] for api in dict.fromkeys(apis)]
        self._browser = CataloguePager(workspace, only=self._given)
        labels = plannable_labels(workspace)
        self._toolkit_of = {api: labels[rowids[api]] for api in apis if rowids[api] in labels}

    def evidence(self, text: str, words: str, toolkits: Sequence[ToolkitId]) -> list[MemberFit]:
        """How much the given members of each toolkit have to do with a text."""
        return self._toolkits.fits(text, words, toolkits, among=self._given)

    async def search(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` given APIs that fit a text best; without a word that is known, too."""
        ranked = await asyncio.to_thread(self._index.rank, text, self._given)
        return ranked[:k]

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId]
    ) -> list[ScoredToolkit]:
        """The `n` toolkits of given APIs that fit a text best, by their best given member."""
        best: dict[ToolkitId, ScoredApi] = {}
        for each in await self.search(text, len(self._given)):
            toolkit = self._toolkit_of.get(each.api.id)
            if toolkit is not None and toolkit not in without:
                best.setdefault(toolkit, each)
        return [
            ScoredToolkit(
                toolkit=await self.get(toolkit), score=one.score, parts={"best member": one.score}
            )
            for toolkit, one in list(best.items())[:n]
        ]

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """The given APIs of a toolkit."""
        found = await super().members(toolkit, near=near)
        return [each for each in found if self._toolkit_of.get(each.api.id) == toolkit]

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit, of the size that it has here."""
        size = sum(each == toolkit for each in self._toolkit_of.values())
        return replace(await super().get(toolkit), size=size)


def check_candidates(workspace: Workspace, apis: Sequence[ApiId]) -> None:
    """Refuse candidates that a run could not see. Blocks.

    Raises:
        BadInput: one is not in the workspace, or was excluded by a person.
    """
    known, excluded = rowids_of(workspace, apis), excluded_ids(workspace)
    if lost := [api for api in apis if api not in known]:
        raise BadInput(
            f"{counted(len(lost), 'candidate')} of the task {_is_are(lost)} not in this workspace",
            why=", ".join(lost[:5]),
            todo="Leave them out, or import their catalogue",
        )
    if hidden := [api for api in apis if api in excluded]:
        raise BadInput(
            f"{counted(len(hidden), 'candidate')} of the task {_is_are(hidden)} excluded",
            why=f"A person took them out of all plans: {', '.join(hidden[:5])}",
            todo="Include them again, or leave them out of the candidates",
        )


def _is_are(several: Sequence[ApiId]) -> str:
    return "is" if len(several) == 1 else "are"


def add_distractors(
    workspace: Workspace, apis: Sequence[ApiId], number: int, *, seed: int
) -> tuple[ApiId, ...]:
    """The APIs and so many others drawn by the seed, in an order that tells nothing. Without APIs:
    a random part of the catalogue (Source: arXiv 2402.04253, table 5). Blocks.

    Raises:
        BadInput: the workspace has too few others.
    """
    own, hidden = set(rowids_of(workspace, apis).values()), excluded_rowids(workspace)
    others = [rowid for rowid in all_rowids(workspace) if rowid not in own | hidden]
    if number > len(others):
        raise BadInput(
            f"There are no {number:,} other APIs to be candidates",
            why=f"The workspace has {len(others):,} beside those that are given",
            todo="Ask for fewer",
        )
    random = Random(f"candidates:{seed}")
    ids = ids_by_rowid(workspace, random.sample(others, number))
    mixed = [*dict.fromkeys(apis), *ids.values()]
    random.shuffle(mixed)
    return tuple(mixed)
