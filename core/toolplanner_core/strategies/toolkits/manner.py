"""How the APIs of a toolkit are tried: which first, which after a failure, how many."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.candidates import ScoredApi
from toolplanner_core.domain.plan import Step
from toolplanner_core.strategies.scope import RunScope

MAX_MEMBERS = 9
"""APIs tried in one toolkit at most, whatever its size: about a toolkit's size at the paper's best
k (Source: arXiv 2406.03807, 1,800 toolkits for 16,464 APIs)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the APIs of a toolkit are tried.

    Attributes:
        max_members: at most so many; None = all, but never more than `MAX_MEMBERS`.
        order: of the candidates: by similarity to the step and health, or by chance.
        next_api: who chooses after a failure: a model that sees the failures, the order, or chance.
        single: plans are made over single APIs: a step has the one that it names.
    """

    max_members: int | None = None
    order: Literal["similarity", "random"] = "similarity"
    next_api: Literal["model", "rank", "random"] = "rank"
    single: bool = False


async def candidates_for(run: RunScope, step: Step, manner: Manner) -> list[ScoredApi]:
    """What may be tried for a step, in the order in which it is tried by rank.

    Members are ranked for the step before the list is cut, so that of a large toolkit those are
    tried that fit. An API that the query names comes first.
    """
    if manner.single and step.api is not None:
        return [ScoredApi(api=await run.catalogue.api(step.api), score=0.0)]
    assert step.toolkit is not None, "a step without a toolkit names its API"
    ranked = await run.toolkits.members(step.toolkit, near=step.goal)
    if step.api is not None and all(item.api.id != step.api for item in ranked):
        await run.note("The plan names an API that its toolkit does not hold; it is passed over.")
    first = [item for item in ranked if item.api.id == step.api]
    named = named_by(run.task.query, [item.api for item in ranked])
    first += [item for item in ranked if item.api in named and item not in first]
    rest = [item for item in ranked if item not in first]
    left = min(manner.max_members or MAX_MEMBERS, MAX_MEMBERS)
    tried = [*first, *rest][:left]
    if manner.order == "random":
        pinned, others = tried[: len(first)], tried[len(first) :]
        run.random.shuffle(others)
        tried = [*pinned, *others]
    return tried


def named_by(query: str, apis: Sequence[Api]) -> list[Api]:
    """Those that a query names as what shall be used: "using the StormGlass Pro API", "the
    getZipCode API", "via SkyView" (Source: Tool-Planner, appendix J: "select the specified API if
    the user has indicated one").

    A name of one common word counts only with the word "API" behind it, or with capitals inside.
    """
    return [api for api in apis if _is_said(api.name, query) or _is_said(api.tool, query)]


def _is_said(name: str, query: str) -> bool:
    said = f" {_plain(query)} "
    plain = re.sub(r" (?:api|service)$", "", _plain(name))
    if len(plain) < 3:
        return False
    words = re.escape(plain)
    is_own = " " in plain or re.search(r"[a-z][A-Z]|[A-Z]{2}|\d", name) is not None
    more = r"(?: \w+)?" if is_own else ""
    if re.search(rf" {words}{more} (?:api|endpoint|service|tool) ", said):
        return True
    by = r" (?:using|use|via|with|through|from|by|ask|query)(?: the)? "
    return is_own and re.search(rf"{by}{words} ", said) is not None and _verbatim(name, query)


def _verbatim(name: str, query: str) -> bool:
    """Whether a name stands in the query as it is written, not as ordinary words: "with gas price"
    does not name the tool "Gas Price"."""
    spoken = re.sub(r"[\s_-]+", " ", query)
    return re.sub(r"[\s_-]+", " ", name) in spoken


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))
